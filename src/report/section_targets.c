/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/sections.h"

#include <stdlib.h>

#include "report/fit.h"
#include "report/table.h"

#define ALL_SHOWN 20u /* up to here every target has its line */
#define WORST_SHOWN 10u
#define COMMON_MIN 8u      /* "https://" is not worth a line */
#define COMMON_COLUMNS 22u /* of the words before the common part */

typedef bool worse_than(const struct target_result *a, const struct target_result *b);

static bool is_slower(const struct target_result *a, const struct target_result *b)
{
    return hist_value_at(a->latency, 99) > hist_value_at(b->latency, 99);
}

static bool fails_more(const struct target_result *a, const struct target_result *b)
{
    return a->totals.failed + a->totals.unfinished > b->totals.failed + b->totals.unfinished;
}

static size_t find_worst(const struct result *r, worse_than *worse, const struct target_result *order[WORST_SHOWN])
{
    size_t count = 0;

    for (size_t i = 0; i < r->target_count; i++) {
        size_t at = count;

        if (count == WORST_SHOWN && !worse(&r->targets[i], order[--at]))
            continue;
        for (; at > 0 && worse(&r->targets[i], order[at - 1]); at--)
            order[at] = order[at - 1];
        order[at] = &r->targets[i];
        count += count < WORST_SHOWN;
    }
    return count;
}

/* How much of all URLs is the same, up to and without a slash: said once, so that the tables have room for the rest. */
static size_t common_length(const struct result *r)
{
    const struct slice first = slice_str(r->targets[0].url);
    size_t len = first.len;

    for (size_t i = 1; i < r->target_count; i++) {
        const struct slice other = slice_str(r->targets[i].url);
        size_t same = 0;

        while (same < len && same < other.len && first.ptr[same] == other.ptr[same])
            same++;
        len = same;
    }
    while (len > 0 && (len == first.len || first.ptr[len] != '/'))
        len--;
    return len > COMMON_MIN ? len : 0;
}

static void add_row(struct section *s, struct table *t, const struct target_result *target, size_t common)
{
    char text[SECTION_CELL_MAX];

    table_cell(t, "%s", units_format_count(text, target->totals.ok));
    table_cell(t, "%s", units_format_count(text, target->totals.failed));
    table_cell(t, "%s", units_format_count(text, target->totals.unfinished));
    table_cell(t, "%s", section_percentile(s, text, target->latency, 50));
    table_cell(t, "%s", section_percentile(s, text, target->latency, 99));
    table_cell(t, "%s", section_duration(text, target->latency, (double)hist_max_ns(target->latency)));
    table_cell(t, "%s", target->url != NULL ? target->url + common : "");
}

static void add_table(struct section *s, const char *title, const struct target_result *const *rows, size_t count)
{
    const size_t common = common_length(s->result);
    struct table t;

    if (count == 0)
        return;
    buf_printf(s->out, "\n%s\n", title);
    table_init(&t, "rrrrrrb");
    table_cell(&t, "ok");
    table_cell(&t, "failed");
    table_cell(&t, "unfinished");
    table_cell(&t, "p50");
    table_cell(&t, "p99");
    table_cell(&t, "max");
    table_cell(&t, "target");
    for (size_t i = 0; i < count; i++)
        add_row(s, &t, rows[i], common);
    table_print(&t, s->out, s->width);
    table_release(&t);
}

static int by_number(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a;
    const uint64_t y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

/* How evenly the load fell on the targets. */
static void add_fairness(struct section *s)
{
    const struct result *r = s->result;
    uint64_t *started = calloc(r->target_count, sizeof(*started));
    char min[UNITS_TEXT_MAX], median[UNITS_TEXT_MAX], max[UNITS_TEXT_MAX];

    if (started == NULL) {
        (void)buf_reserve(s->out, SIZE_MAX); /* can not be had: the report fails */
        return;
    }
    for (size_t i = 0; i < r->target_count; i++)
        started[i] = r->targets[i].totals.started;
    qsort(started, r->target_count, sizeof(*started), by_number);
    buf_printf(s->out, "  requests started per target: min %s, median %s, max %s\n",
               units_format_count(min, started[0]), units_format_count(median, started[(r->target_count - 1) / 2]),
               units_format_count(max, started[r->target_count - 1]));
    free(started);
}

static void add_common(struct section *s)
{
    const struct slice common = slice_from(s->result->targets[0].url, common_length(s->result));

    if (common.len == 0)
        return;
    buf_add_str(s->out, "  all URLs begin with ");
    fit_line(s->out, common, s->width - COMMON_COLUMNS, FIT_BOTH_ENDS);
    buf_add_char(s->out, '\n');
}

static void add_worst(struct section *s)
{
    const struct target_result *order[WORST_SHOWN];
    size_t count = find_worst(s->result, is_slower, order);

    add_table(s, "Slowest targets (by p99 of latency)", order, count);
    count = find_worst(s->result, fails_more, order);
    while (count > 0 && order[count - 1]->totals.failed + order[count - 1]->totals.unfinished == 0)
        count--;
    add_table(s, "Targets that failed most", order, count);
}

void section_targets(struct section *s)
{
    const struct result *r = s->result;
    const struct target_result *all[ALL_SHOWN];

    if (r->target_count < 2)
        return;
    if (r->target_count > ALL_SHOWN) {
        add_worst(s);
    } else {
        for (size_t i = 0; i < r->target_count; i++)
            all[i] = &r->targets[i];
        add_table(s, "Targets (requests, and latency of the ok ones)", all, r->target_count);
    }
    add_common(s);
    add_fairness(s);
}
