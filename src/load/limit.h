/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The highest rate, or number of connections, that keeps a promise: trials of one length each, at the levels that
 * stats/search.h asks for.
 *
 * A trial keeps the promise when every clause is kept and, in the open model, when the load was really offered: at
 * least LIMIT_OFFERED of what was due was sent and no more than the same share was left unfinished. A target that
 * answers little but quickly has not carried the rest. */
#ifndef PLIMSOLL_LOAD_LIMIT_H
#define PLIMSOLL_LOAD_LIMIT_H

#include "load/load.h"
#include "result/limit.h"
#include "stats/search.h"

#define LIMIT_OFFERED 0.98

struct limit_config {
    const struct slo *promise;
    bool of_connections;
    struct search_config search; /* levels in requests/s, or connections */
    uint64_t step_ns;
    enum load_arrivals arrivals;
    /* After each trial, from the calling thread; may be NULL. */
    void (*on_trial)(void *arg, const struct limit_report *so_far, const struct search *search);
    void *arg;
};

/* plan says all but the level and the length; its callbacks and stop are used, its schedule is not. Fills a new report
 * (the caller frees it), without url and promise. -1 when a trial could not be made at all (*out is then NULL). */
MUST_CHECK int limit_run(struct limit_report **out, const struct load_plan *plan, const struct limit_config *config,
                         struct err *err);
/* One trial's figures against the promise, without running anything. False when out of memory. */
bool limit_judge(struct limit_trial *t, const struct limit_config *config, const struct result *r,
                 uint64_t connections);

#endif
