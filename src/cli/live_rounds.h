/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From what `plimsoll rounds` knows while it runs to the figures on the board: copies take the place of requests,
 * rounds that of seconds, and the table is of the sizes. */
#ifndef PLIMSOLL_CLI_LIVE_ROUNDS_H
#define PLIMSOLL_CLI_LIVE_ROUNDS_H

#include "cli/live.h"
#include "rounds/rounds.h"

struct live_rounds {
    struct live *live; /* NULL: nothing is shown */
    const struct rounds_plan *plan;
    struct hist *whole, *last;                /* durations of the ok copies */
    uint64_t ok, failed, unfinished, started; /* of the rounds that are over */
};

MUST_CHECK int live_rounds_init(struct live_rounds *l, struct live *live, const struct rounds_plan *plan,
                                struct err *err);
void live_rounds_release(struct live_rounds *l);
void live_rounds_show(struct live_rounds *l, const struct rounds_progress *now);
/* A round that counts is over. */
void live_rounds_round(struct live_rounds *l, const struct rounds_round *round);

#endif
