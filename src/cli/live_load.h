/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From what `plimsoll load` and `limit` know while they run to the figures on the board. */
#ifndef PLIMSOLL_CLI_LIVE_LOAD_H
#define PLIMSOLL_CLI_LIVE_LOAD_H

#include "cli/live.h"
#include "cli/share_start.h"
#include "load/load.h"
#include "result/limit.h"

/* Of each target that has a row, at the end of the last second. */
struct live_load_before {
    uint64_t ok, sum_ns;
};

struct live_load {
    struct live *live; /* NULL: nothing is shown */
    bool of_trials;    /* the table is of trials, not of targets */
    bool trial_is_over;
    uint64_t seconds;
    double at_s; /* when the counters of the last second were copied, on the clock of the window */
    struct live_load_before before[LIVE_ROWS];
};

/* The title and, unless of_trials, a row per target. */
void live_load_init(struct live_load *l, struct live *live, const struct load_plan *plan, bool of_trials);
/* Before the window: the moment that is waited for; share: "2/4", or NULL. left_ns 0: it has come. */
void live_load_wait(struct live_load *l, const struct share_start *s, const char *share, uint64_t left_ns);
void live_load_show(struct live_load *l, const struct load_pulse *p);
/* A trial of a search is over; the next load begins from zero. */
void live_load_trial(struct live_load *l, const struct limit_report *so_far);

#endif
