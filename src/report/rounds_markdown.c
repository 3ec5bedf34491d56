/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>
#include <math.h>

#include "report/rounds.h"
#include "report/escapes.h"
#include "report/rounds_parts.h"

static void add_times(struct buf *out, const double *times, size_t count)
{
    char text[UNITS_TEXT_MAX];

    for (size_t i = 0; i < count; i++)
        buf_printf(out, " %s |", rounds_time(text, times[i]));
}

static void add_rounds(struct buf *out, const struct rounds_result *r)
{
    buf_add_str(out, "| series | at once | sample | ok | failed | mean | median | min | max | makespan | ended |\n"
                     "|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---|\n");
    for (size_t i = 0; i < r->round_count; i++) {
        const struct rounds_round *round = &r->rounds[i];
        const double times[] = { round->copy_count > 0 ? round->mean_ok_s : round->mean_s, round->median_s,
                                 round->min_s, round->max_s, round->makespan_s };

        buf_add_str(out, "| ");
        escape_markdown(out, r->series[round->series].name);
        buf_printf(out, " | %" PRIu32 " | %" PRIu32 " | %" PRIu32 " | %" PRIu32 " |", round->concurrency, round->sample,
                   round->ok, round->failed);
        add_times(out, times, sizeof(times) / sizeof(times[0]));
        buf_printf(out, " %s |\n", round->completion == COMPLETION_UNKNOWN ? "-" : completion_text(round->completion));
    }
}

static void add_phases(struct buf *out, const struct rounds_result *r, const struct rounds_sizes *sizes)
{
    buf_add_str(out, "\n| series | at once |");
    for (size_t i = 0; i < r->phase_count; i++) {
        buf_add_char(out, ' ');
        escape_markdown(out, r->phases[i].name);
        buf_add_str(out, " |");
    }
    buf_add_str(out, " other |\n|---|---:|");
    for (size_t i = 0; i <= r->phase_count; i++)
        buf_add_str(out, "---:|");
    buf_add_char(out, '\n');
    for (size_t i = 0; i < sizes->count; i++) {
        const struct rounds_size *size = &sizes->items[i];

        if (size->phases == NULL)
            continue;
        buf_add_str(out, "| ");
        escape_markdown(out, r->series[size->series].name);
        buf_printf(out, " | %" PRIu32 " |", size->concurrency);
        add_times(out, size->phases, r->phase_count);
        add_times(out, &size->other_s, 1);
        buf_add_char(out, '\n');
    }
}

void rounds_markdown(struct buf *out, const struct result *result)
{
    struct rounds_sizes sizes;

    add_rounds(out, result->rounds);
    if (rounds_sizes_of(&sizes, result->rounds, NULL) != 0)
        (void)buf_reserve(out, SIZE_MAX); /* can not be had: the report fails */
    else if (result->rounds->phase_count > 0)
        add_phases(out, result->rounds, &sizes);
    rounds_sizes_release(&sizes);
}
