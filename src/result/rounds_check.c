/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>
#include <math.h>

#include "result/result.h"

/* Larger than what rounding makes of a sum. */
#define TOLERANCE 1e-9

static bool broken(struct result *r, const struct rounds_round *round, const char *what)
{
    result_add_reason(r, "figures contradict each other: round %u: %s", (unsigned)round->number, what);
    return false;
}

static bool check_round(struct result *r, const struct rounds_round *round)
{
    const double slack = TOLERANCE * (1 + fabs(round->max_s));
    bool ok = true;

    if (round->copy_count > 0 && round->ok + round->failed + round->unfinished != round->copy_count)
        ok = broken(r, round, "ok + failed + unfinished is not the number of its copies");
    if (round->copy_count > round->concurrency)
        ok = broken(r, round, "more copies than its concurrency");
    if (round->mean_ok_s < round->min_s - slack || round->mean_ok_s > round->max_s + slack ||
        round->median_s < round->min_s - slack || round->median_s > round->max_s + slack)
        ok = broken(r, round, "mean or median outside min ... max");
    if (round->makespan_s < round->max_s - slack)
        ok = broken(r, round, "its longest copy took longer than it");
    return ok;
}

bool result_check_rounds(struct result *r)
{
    const struct totals *t = &r->totals;
    uint64_t started = 0, ok = 0, failed = 0, unfinished = 0;
    bool holds = true;

    for (size_t i = 0; i < r->rounds->round_count; i++) {
        const struct rounds_round *round = &r->rounds->rounds[i];

        holds = check_round(r, round) && holds;
        started += round->copy_count > 0 ? round->copy_count : round->ok + round->failed + round->unfinished;
        ok += round->ok;
        failed += round->failed;
        unfinished += round->unfinished;
    }
    if (t->started != started || t->ok != ok || t->failed != failed || t->unfinished != unfinished) {
        result_add_reason(r,
                          "figures contradict each other: %" PRIu64 " copies in all, %" PRIu64 " ok, %" PRIu64
                          " failed, but %" PRIu64 ", %" PRIu64 " and %" PRIu64 " over the rounds",
                          t->started, t->ok, t->failed, started, ok, failed);
        holds = false;
    }
    return holds;
}
