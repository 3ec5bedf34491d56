/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One round: set-up of every copy, the copies, clean-up, and whatever was left behind. run.c says which round comes
 * when. */
#ifndef PLIMSOLL_ROUNDS_ROUND_H
#define PLIMSOLL_ROUNDS_ROUND_H

#include "rounds/batch.h"
#include "rounds/line_log.h"
#include "rounds/order.h"
#include "rounds/orphans.h"
#include "rounds/outcome.h"
#include "rounds/rounds.h"

/* For the whole run; run.c makes and ends it. */
struct round_context {
    const struct rounds_plan *plan;
    struct batch *batch;
    struct orphans *orphans;
    struct line_stamp stamp;
    struct batch_process *processes; /* of the largest round */
    struct places *places;
    struct line_log *logs; /* NULL: output is not kept */
    struct outcome_rules rules;
    struct rounds_progress now;
    uint64_t begun_ns; /* of the run */
    int log_error;     /* errno: output could not be kept */

    /* Of the round in hand. */
    struct rounds_round *round; /* also of a warm-up, which no result keeps */
    uint64_t release_ns;
    const char *hook; /* "setup", "cleanup"; NULL: the copies themselves */
    bool no_memory;
};

void round_tell(struct round_context *c, const char *stage);
/* Fills *round, whose number, concurrency, series and sample are there. *setup_failed: no copy was started because of
 * it. -1: the machine failed us; what was measured until then is in the round. */
MUST_CHECK int round_run(struct round_context *c, struct rounds_round *round, bool warmup, bool *setup_failed,
                         struct err *err);

#endif
