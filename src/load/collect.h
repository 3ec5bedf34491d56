/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From the workers' counters to one result, after the workers have stopped. */
#ifndef PLIMSOLL_LOAD_COLLECT_H
#define PLIMSOLL_LOAD_COLLECT_H

#include "load/health.h"
#include "load/loader.h"

struct run_facts {
    uint64_t started_wall_ns, ramp_start_ns;
    struct net_counters net_before, net_after;
    bool interrupted, never_reached;
    uint64_t open_files_limit;
};

MUST_CHECK int collect(struct result *r, const struct run *run, struct loader *workers, const struct run_facts *facts,
                       struct err *err);
/* The replies kept by --save-failures, as files of the plan's directory. Adds a warning per file that can not be
 * written. */
void collect_save_failures(struct result *r, const struct run *run, struct loader *workers);

#endif
