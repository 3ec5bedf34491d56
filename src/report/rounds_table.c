/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A row per round: how long its copies took, and how they ended. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "report/fit.h"
#include "report/rounds_parts.h"
#include "report/table.h"
#include "stats/summary.h"

#define ROWS (TABLE_ROWS_MAX - 1) /* below the head */

/* What columns the rounds of a series need. */
struct shape {
    uint32_t series;
    bool samples, failures, copies, moments, usage;
};

static struct shape shape_of(const struct rounds_result *r, uint32_t series)
{
    struct shape shape = { .series = series };

    for (size_t i = 0; i < r->round_count; i++) {
        const struct rounds_round *round = &r->rounds[i];

        if (round->series != series)
            continue;
        shape.samples = shape.samples || round->sample > 1;
        shape.failures = shape.failures || round->failed + round->unfinished > 0;
        shape.copies = shape.copies || round->copy_count > 0;
        shape.moments = shape.moments || !isnan(round->makespan_s);
        shape.usage = shape.usage || !isnan(round->user_s);
    }
    return shape;
}

/* The rounds of a series by size, then by sample: the order in which they are read. */
static int by_size_and_sample(const void *a, const void *b)
{
    const struct rounds_round *x = *(const struct rounds_round *const *)a, *y = *(const struct rounds_round *const *)b;

    if (x->concurrency != y->concurrency)
        return x->concurrency > y->concurrency ? 1 : -1;
    if (x->sample != y->sample)
        return x->sample > y->sample ? 1 : -1;
    return (x->number > y->number) - (x->number < y->number);
}

/* The caller frees. NULL when out of memory, and then the report fails. */
static const struct rounds_round **sorted_rounds(const struct rounds_report *p, uint32_t series, size_t *count)
{
    const struct rounds_round **list = calloc(p->rounds->round_count + 1, sizeof(*list));

    *count = 0;
    if (list == NULL) {
        (void)buf_reserve(p->s.out, SIZE_MAX);
        return NULL;
    }
    for (size_t i = 0; i < p->rounds->round_count; i++)
        if (p->rounds->rounds[i].series == series)
            list[(*count)++] = &p->rounds->rounds[i];
    qsort(list, *count, sizeof(*list), by_size_and_sample);
    return list;
}

static void add_key_head(struct table *t, const struct shape *shape)
{
    table_cell(t, "at once");
    if (shape->samples)
        table_cell(t, "sample");
}

static void add_key(struct table *t, const struct shape *shape, const struct rounds_round *round)
{
    table_cell(t, "%" PRIu32, round->concurrency);
    if (shape->samples)
        table_cell(t, "%" PRIu32, round->sample);
}

static void add_time(struct table *t, double s)
{
    char text[UNITS_TEXT_MAX];

    table_cell(t, "%s", rounds_time(text, s));
}

static void add_times_head(struct table *t, const struct shape *shape)
{
    static const char *const OF_COPIES[] = { "median", "min", "max", "stddev" };

    add_key_head(t, shape);
    table_cell(t, "ok");
    if (shape->failures)
        table_cell(t, "failed");
    table_cell(t, "mean");
    for (size_t i = 0; shape->copies && i < sizeof(OF_COPIES) / sizeof(OF_COPIES[0]); i++)
        table_cell(t, "%s", OF_COPIES[i]);
}

static void add_times(struct table *t, const struct shape *shape, const struct rounds_round *round)
{
    add_key(t, shape, round);
    table_cell(t, "%" PRIu32, round->ok);
    if (shape->failures)
        table_cell(t, "%" PRIu32, round->failed);
    add_time(t, round->copy_count > 0 ? round->mean_ok_s : round->mean_s);
    if (!shape->copies)
        return;
    add_time(t, round->median_s);
    add_time(t, round->min_s);
    add_time(t, round->max_s);
    add_time(t, round->stddev_s);
}

static void add_ends_head(struct table *t, const struct shape *shape)
{
    add_key_head(t, shape);
    table_cell(t, "makespan");
    table_cell(t, "copies/min");
    if (shape->usage)
        table_cell(t, "CPU");
    table_cell(t, "spread");
    table_cell(t, "they ended");
}

static void add_ends(struct table *t, const struct shape *shape, const struct rounds_round *round)
{
    char text[UNITS_TEXT_MAX];

    add_key(t, shape, round);
    add_time(t, round->makespan_s);
    table_cell(t, "%s", isnan(round->copies_per_s) ? "-" : section_rate(text, round->copies_per_s * 60));
    if (shape->usage)
        add_time(t, round->user_s + round->sys_s);
    if (isnan(round->completion_spread))
        table_cell(t, "-");
    else
        table_cell(t, "%.2f", round->completion_spread);
    table_cell(t, "%s", round->completion == COMPLETION_UNKNOWN ? "-" : completion_text(round->completion));
}

static void add_usage_head(struct table *t, const struct shape *shape)
{
    add_key_head(t, shape);
    table_cell(t, "user");
    table_cell(t, "system");
    table_cell(t, "peak RSS");
    table_cell(t, "exec spread");
}

static void add_usage(struct table *t, const struct shape *shape, const struct rounds_round *round)
{
    char text[UNITS_TEXT_MAX];

    add_key(t, shape, round);
    add_time(t, round->user_s);
    add_time(t, round->sys_s);
    table_cell(t, "%s", isnan(round->max_rss_bytes) ? "-" : units_format_size(text, round->max_rss_bytes));
    add_time(t, round->exec_spread_s);
}

static void add_means_head(struct table *t, const struct shape *shape)
{
    add_key_head(t, shape);
    table_cell(t, "failed");
    table_cell(t, "mean of all");
    table_cell(t, "mean of ok");
    table_cell(t, "all time / ok");
}

static void add_means(struct table *t, const struct shape *shape, const struct rounds_round *round)
{
    if (round->failed == 0)
        return;
    add_key(t, shape, round);
    table_cell(t, "%" PRIu32, round->failed);
    add_time(t, round->mean_s);
    add_time(t, round->mean_ok_s);
    add_time(t, round->mean_discounted_s);
}

struct layout {
    const char *title;
    size_t columns; /* beside those of the key, and those that depend on the shape */
    void (*head)(struct table *, const struct shape *);
    void (*row)(struct table *, const struct shape *, const struct rounds_round *);
};

/* As many tables as it takes: each holds so many rows. */
static void add_tables(const struct rounds_report *p, const struct shape *shape, const struct layout *layout,
                       const struct rounds_round **list, size_t count)
{
    char align[TABLE_COLUMNS_MAX + 1] = "rrrrrrrrrrrr";

    align[layout->columns + (shape->samples ? 2 : 1)] = '\0';
    buf_printf(p->s.out, "\n%s\n", layout->title);
    for (size_t at = 0; at < count; at += ROWS) {
        struct table t;

        table_init(&t, align);
        layout->head(&t, shape);
        for (size_t i = at; i < count && i < at + ROWS; i++)
            layout->row(&t, shape, list[i]);
        table_print(&t, p->s.out, p->s.width);
        table_release(&t);
    }
}

static void say_how_they_started(const struct rounds_report *p, const struct rounds_round **list, size_t count)
{
    double most = NAN;
    char text[UNITS_TEXT_MAX];

    for (size_t i = 0; i < count; i++)
        if (list[i]->concurrency > 1)
            most = fmax(most, list[i]->exec_spread_s);
    if (!isnan(most))
        buf_printf(p->s.out, "  The copies of a round started within %s.\n", rounds_time(text, most));
}

/* The rounds of a size taken together, where there are several. */
static void add_sizes(const struct rounds_report *p, uint32_t series)
{
    size_t count;
    const struct rounds_size *sizes = rounds_sizes_of_series(&p->sizes, series, &count);
    struct table t;

    buf_add_str(p->s.out, "\nMean of the rounds of a size\n");
    table_init(&t, "rrrr");
    table_cell(&t, "at once");
    table_cell(&t, "rounds");
    table_cell(&t, "mean");
    table_cell(&t, "stddev");
    for (size_t i = 0; i < count && i < ROWS; i++) {
        double *means = calloc(sizes[i].mean_count + 1, sizeof(*means));
        struct summary sum = { .mean = NAN };

        for (size_t k = 0; means != NULL && k < sizes[i].mean_count; k++)
            means[k] = sizes[i].means[k];
        if (means != NULL && sizes[i].mean_count > 0)
            summary_of(&sum, means, sizes[i].mean_count);
        free(means);
        table_cell(&t, "%" PRIu32, sizes[i].concurrency);
        table_cell(&t, "%zu", sizes[i].rounds);
        add_time(&t, sum.mean);
        add_time(&t, sum.count > 1 ? sum.stddev : NAN);
    }
    table_print(&t, p->s.out, p->s.width);
    table_release(&t);
}

static bool any_failed(const struct rounds_round **list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (list[i]->failed > 0)
            return true;
    return false;
}

void rounds_part_rounds(const struct rounds_report *p, uint32_t series)
{
    const struct shape shape = shape_of(p->rounds, series);
    const struct layout times = { shape.copies ? "Durations of the copies that were ok"
                                               : "Averages, as they were given",
                                  2u + shape.failures + (shape.copies ? 4 : 0), add_times_head, add_times };
    const struct layout ends = { "How the rounds ended", 4u + shape.usage, add_ends_head, add_ends };
    const struct layout usage = { "Usage of all copies, and how far apart they started", 4, add_usage_head, add_usage };
    const struct layout means = { "Averages where copies failed", 4, add_means_head, add_means };
    size_t count;
    const struct rounds_round **list = sorted_rounds(p, series, &count);

    /* Averages alone stand side by side already. */
    if (list != NULL && count > 0 && (shape.copies || p->rounds->series_count == 1))
        add_tables(p, &shape, &times, list, count);
    if (list != NULL && count > 0) {
        if (shape.samples)
            add_sizes(p, series);
        if (any_failed(list, count))
            add_tables(p, &shape, &means, list, count);
        if (shape.moments)
            add_tables(p, &shape, &ends, list, count);
        say_how_they_started(p, list, count);
        if (shape.usage && p->verbose)
            add_tables(p, &shape, &usage, list, count);
    }
    free(list);
}

static void add_durations(const struct rounds_report *p, const struct rounds_round *round)
{
    char first[32], text[UNITS_TEXT_MAX];
    struct buf line;

    buf_init(&line, 1u << 22);
    for (size_t i = 0; i < round->copy_count; i++) {
        const struct rounds_copy *c = &round->copies[i];

        buf_printf(&line, "%s%s%s", i > 0 ? ", " : "", rounds_time(text, c->duration_s),
                   c->ok           ? ""
                   : c->unfinished ? " (unfinished)"
                                   : " (failed)");
    }
    snprintf(first, sizeof(first), "  %5" PRIu32 "  ", round->concurrency);
    if (line.len > 0)
        fit_paragraph(p->s.out, first, buf_slice(&line), p->s.width);
    buf_release(&line);
}

void rounds_part_durations(const struct rounds_report *p, uint32_t series)
{
    size_t count;
    const struct rounds_round **list = sorted_rounds(p, series, &count);
    bool any = false;

    for (size_t i = 0; list != NULL && i < count; i++) {
        if (list[i]->copy_count == 0)
            continue;
        if (!any)
            buf_add_str(p->s.out, "\nEvery duration\n");
        any = true;
        add_durations(p, list[i]);
    }
    free(list);
}
