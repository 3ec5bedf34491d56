/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/sections.h"

#include <inttypes.h>
#include <stdio.h>

#include "report/fit.h"
#include "report/table.h"

#define ERRORS_SHOWN 12u
#define EXAMPLES_SHOWN 3u
#define EXAMPLE_LINES 12u
#define EXAMPLE_TITLE_COLUMNS 40u /* for what stands around the detail */

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

/* The most frequent ones first; returns how many of them are in order[]. */
static size_t most_frequent(const struct result *r, const struct error_entry *order[ERRORS_SHOWN])
{
    size_t count = 0;

    for (size_t i = 0; i < r->error_count; i++) {
        size_t at = count;

        if (count == ERRORS_SHOWN && r->errors[i].count <= order[--at]->count)
            continue;
        for (; at > 0 && order[at - 1]->count < r->errors[i].count; at--)
            order[at] = order[at - 1];
        order[at] = &r->errors[i];
        count += count < ERRORS_SHOWN;
    }
    return count;
}

static void add_errors_table(struct section *s, const struct error_entry *const *order, size_t count)
{
    struct table t;

    table_init(&t, "rrrrlw");
    table_cell(&t, "failed requests");
    table_cell(&t, "of started");
    table_cell(&t, "first at");
    table_cell(&t, "last at");
    table_cell(&t, "kind");
    table_cell(&t, "detail");
    for (size_t i = 0; i < count; i++) {
        char number[SECTION_CELL_MAX];

        table_cell(&t, "%s", units_format_count(number, order[i]->count));
        table_cell(&t, "%s", section_share(number, order[i]->count, s->result->totals.started));
        table_cell(&t, "%s", units_format_duration(number, order[i]->first_at_s * NS_PER_S));
        table_cell(&t, "%s", units_format_duration(number, order[i]->last_at_s * NS_PER_S));
        table_cell(&t, "%s", fail_kind_text(order[i]->kind));
        table_cell(&t, "%s", order[i]->detail != NULL ? order[i]->detail : "");
    }
    table_print(&t, s->out, s->width);
    table_release(&t);
}

/* The reply's head and the beginning of its body as they came, or a sentence. */
static void add_example(struct section *s, const struct error_entry *e)
{
    const struct slice detail = slice_str(e->detail);
    struct slice rest = slice_str(e->first);

    buf_printf(s->out, "\n  First %s%s", fail_kind_text(e->kind), detail.len > 0 ? ", " : "");
    fit_line(s->out, detail, s->width - EXAMPLE_TITLE_COLUMNS, FIT_HEAD);
    buf_add_str(s->out, ":\n");
    while (rest.len > 0 && is_space(rest.ptr[rest.len - 1]))
        rest.len--;
    for (size_t lines = 0; rest.len > 0 && lines < EXAMPLE_LINES; lines++) {
        struct slice line = slice_split(&rest, '\n');

        while (line.len > 0 && is_space(line.ptr[line.len - 1]))
            line.len--;
        buf_add_str(s->out, line.len > 0 ? "    " : "");
        fit_line(s->out, line, s->width - 4, FIT_HEAD);
        buf_add_char(s->out, '\n');
    }
    if (rest.len > 0)
        buf_add_str(s->out, "    ...\n");
}

void section_errors(struct section *s)
{
    const struct error_entry *order[ERRORS_SHOWN];
    const size_t count = most_frequent(s->result, order);
    size_t examples = 0;

    if (count == 0)
        return;
    buf_add_str(s->out, "\nErrors (times from the start of the window)\n");
    add_errors_table(s, order, count);
    if (s->result->error_count > count)
        buf_printf(s->out, "  and %zu more kind%s, less frequent\n", s->result->error_count - count,
                   units_plural(s->result->error_count - count));
    for (size_t i = 0; i < count && examples < EXAMPLES_SHOWN; i++) {
        if (order[i]->first == NULL || order[i]->first[0] == '\0')
            continue;
        add_example(s, order[i]);
        examples++;
    }
}

/* "200" alone, or "200: 69,000, 204: 12" of a class. */
static void add_codes(struct buf *out, const struct result *r, enum reply_class class)
{
    const unsigned first = ((unsigned)class + 1) * 100;
    unsigned different = 0;
    bool before = false;

    for (unsigned i = first; i < first + 100; i++)
        different += r->status[i] > 0;
    for (unsigned i = first; i < first + 100; i++) {
        char number[UNITS_TEXT_MAX];

        if (r->status[i] == 0)
            continue;
        buf_printf(out, "%s%u", before ? ", " : "", i);
        before = true;
        if (different > 1)
            buf_printf(out, ": %s", units_format_count(number, r->status[i]));
    }
}

static void add_class(struct section *s, struct table *t, enum reply_class class)
{
    const struct hist *h = s->result->by_class[class];
    char text[SECTION_CELL_MAX];
    struct buf codes;

    buf_init(&codes, 1u << 16);
    if (class != CLASS_ERROR)
        add_codes(&codes, s->result, class);
    table_cell(t, "%s", reply_class_text(class));
    table_cell(t, "%s", units_format_count(text, hist_count(h) + hist_overflow(h)));
    table_cell(t, "%s", section_percentile(s, text, h, 50));
    table_cell(t, "%s", section_percentile(s, text, h, 99));
    table_cell(t, "%s", section_duration(text, h, (double)hist_max_ns(h)));
    table_cell(t, "%s", section_duration(text, h, hist_mean_ns(h)));
    table_cell(t, "%s", class == CLASS_ERROR ? "no complete reply" : buf_ok(&codes) && codes.len > 0 ? codes.data : "");
    buf_release(&codes);
}

void section_statuses(struct section *s)
{
    bool any = false;
    struct table t;

    table_init(&t, "lrrrrrh");
    table_cell(&t, "status");
    table_cell(&t, "requests");
    table_cell(&t, "p50");
    table_cell(&t, "p99");
    table_cell(&t, "max");
    table_cell(&t, "mean");
    table_cell(&t, "codes");
    for (unsigned i = 0; i < CLASSES; i++) {
        if (hist_count(s->result->by_class[i]) == 0 && hist_overflow(s->result->by_class[i]) == 0)
            continue;
        add_class(s, &t, (enum reply_class)i);
        any = true;
    }
    if (any) {
        buf_add_str(s->out, "\nLatency by status, each class apart\n");
        table_print(&t, s->out, s->width);
    }
    table_release(&t);
}
