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
/* The window of the run: from the common start to the deadline, or to the last end when the run was by count. */
struct span {
    uint64_t start_ns, end_ns;
};
struct span collect_window(const struct run *run, const struct loader *workers);
/* Seconds from the window's start; what came before it (while connections were opened) is at 0. */
double span_since(const struct span *s, uint64_t ns);
/* The replies kept by --save-failures: DIR/failure-001.http, and failure-001.txt that says why and what was asked. A
 * file that can not be written becomes a warning. */
void collect_save_failures(struct result *r, const struct run *run, struct loader *workers, const struct span *s);

#endif
