/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>
#include <math.h>

#include "report/rounds.h"

/* GNU time's words for what did not end well. */
static void add_copy(struct buf *out, const struct rounds_copy *c)
{
    if (c->ok)
        buf_printf(out, "%.2f\n", c->duration_s);
    else if (c->signal > 0)
        buf_printf(out, "Command terminated by signal %d\n", c->signal);
    else
        buf_printf(out, "Command exited with non-zero status %d\n", c->exit > 0 ? c->exit : 1);
}

static void add_round(struct buf *out, const struct rounds_round *round)
{
    buf_printf(out, "Starting round of %" PRIu32 "\n", round->concurrency);
    for (size_t i = 0; i < round->copy_count; i++)
        add_copy(out, &round->copies[i]);
    if (!isnan(round->mean_s))
        buf_printf(out, "Average %.6g seconds\n", round->mean_s);
    if (round->failed > 0 && !isnan(round->mean_discounted_s))
        buf_printf(out, "Average discounting %" PRIu32 " failed %.6g seconds\n", round->failed,
                   round->mean_discounted_s);
}

void rounds_roundup(struct buf *out, const struct result *result)
{
    const struct rounds_result *r = result->rounds;

    for (uint32_t s = 0; s < r->series_count; s++) {
        if (r->series_count > 1)
            buf_printf(out, "%sSeries: %s\n", s > 0 ? "\n" : "", r->series[s].name != NULL ? r->series[s].name : "");
        for (size_t i = 0; i < r->round_count; i++)
            if (r->rounds[i].series == s)
                add_round(out, &r->rounds[i]);
        buf_add_str(out, "Rounds:\n");
        for (size_t i = 0; i < r->round_count; i++)
            if (r->rounds[i].series == s && !isnan(r->rounds[i].mean_s))
                buf_printf(out, "%" PRIu32 " %.6g\n", r->rounds[i].concurrency, r->rounds[i].mean_s);
    }
}
