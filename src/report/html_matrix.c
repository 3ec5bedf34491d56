/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A suite's cells as a matrix: the last dimension across, the others down; a table for each figure, coloured by its
 * value, or by its change against the first run. A cell leads to its own figures. */
#include "report/html_parts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/compare_words.h"

enum { METRICS_MAX = 4, COLUMNS_MAX = 24 };
#define CHANGE_FULL 0.3 /* a change whose colour is as strong as it gets */

/* Rows are cells that are alike but in the last dimension. */
struct layout {
    size_t dimensions;
    const char *columns[COLUMNS_MAX];
    size_t column_count;
    size_t *row_of, *column_of; /* by cell */
    size_t *first;              /* by row: a cell of it */
    size_t row_count;
};

static const char *value_at(const struct page *p, size_t cell, size_t dimension)
{
    return p->cells.cells[cell].values[dimension] != NULL ? p->cells.cells[cell].values[dimension] : "";
}

static bool same_row(const struct page *p, const struct layout *l, size_t a, size_t b)
{
    for (size_t d = 0; d + 1 < l->dimensions; d++)
        if (strcmp(value_at(p, a, d), value_at(p, b, d)) != 0)
            return false;
    return true;
}

static bool place(struct layout *l, const struct page *p, size_t cell)
{
    const char *column = l->dimensions > 0 ? value_at(p, cell, l->dimensions - 1) : "";

    for (l->column_of[cell] = 0; l->column_of[cell] < l->column_count; l->column_of[cell]++)
        if (strcmp(l->columns[l->column_of[cell]], column) == 0)
            break;
    if (l->column_of[cell] == l->column_count) {
        if (l->column_count == COLUMNS_MAX)
            return false;
        l->columns[l->column_count++] = column;
    }
    for (l->row_of[cell] = 0; l->row_of[cell] < l->row_count; l->row_of[cell]++)
        if (same_row(p, l, l->first[l->row_of[cell]], cell))
            return true;
    l->first[l->row_count++] = cell;
    return true;
}

static bool lay_out(struct layout *l, const struct page *p)
{
    *l = (struct layout){ .dimensions = p->cells.dimensions.count };
    l->row_of = calloc(p->cell_count + 1, sizeof(size_t));
    l->column_of = calloc(p->cell_count + 1, sizeof(size_t));
    l->first = calloc(p->cell_count + 1, sizeof(size_t));
    if (l->row_of == NULL || l->column_of == NULL || l->first == NULL)
        return false;
    for (size_t cell = 0; cell < p->cell_count; cell++)
        if (!place(l, p, cell))
            return false;
    return true;
}

static void layout_release(struct layout *l)
{
    free(l->row_of);
    free(l->column_of);
    free(l->first);
}

/* ---- cells ---- */

/* What a table shows: a figure of a run, and, unless it is the first, its change. */
struct shown {
    const struct metric *metric;
    size_t run;
    double low, high;
};

static void find_range(struct shown *s, const struct page *p)
{
    s->low = INFINITY;
    s->high = -INFINITY;
    for (size_t cell = 0; cell < p->cell_count; cell++) {
        const double value = page_figure(p, page_group(p, cell, s->run), s->metric->name, NULL);

        s->low = fmin(s->low, isnan(value) ? INFINITY : value);
        s->high = fmax(s->high, isnan(value) ? -INFINITY : value);
    }
}

/* 0 ... 1: of positive values by their ratio, so that cells a hundred times apart keep their colours. */
static double strength(const struct shown *s, double value)
{
    if (!(s->high > s->low))
        return 0.3;
    if (s->low > 0)
        return log(value / s->low) / log(s->high / s->low);
    return (value - s->low) / (s->high - s->low);
}

static void add_change(struct page *p, const struct shown *s, double base, double value)
{
    const double change = s->metric->is_share ? value - base : base > 0 ? value / base - 1 : NAN;
    const struct comparison_metric as = { .name = s->metric->name, .is_share = s->metric->is_share };
    char text[WORDS_MAX];

    if (isnan(change))
        return;
    buf_add_str(&p->body, "<span class=\"change\">");
    html_text(&p->body, words_change(text, &as, change));
    buf_add_str(&p->body, "</span>");
}

static void add_cell(struct page *p, const struct shown *s, size_t cell)
{
    const double value = page_figure(p, page_group(p, cell, s->run), s->metric->name, NULL);
    const double base = s->run > 0 ? page_figure(p, page_group(p, cell, 0), s->metric->name, NULL) : NAN;
    const bool higher = s->metric->higher_is_better;
    char text[PAGE_TEXT_MAX];

    if (isnan(value)) {
        buf_add_str(&p->body, "<td>\xe2\x80\x93</td>");
        return;
    }
    if (isnan(base) || !(base > 0 || s->metric->is_share))
        buf_printf(&p->body, "<td style=\"--h:%.2f\">", strength(s, value));
    else
        buf_printf(&p->body, "<td class=\"%s\" style=\"--h:%.2f\">", (value > base) == higher ? "better" : "worse",
                   fmin(1, fabs(s->metric->is_share ? (value - base) * 10 : value / base - 1) / CHANGE_FULL));
    buf_printf(&p->body, "<a href=\"#cell-%zu\">", cell);
    html_text(&p->body, page_value(text, s->metric, value));
    buf_add_str(&p->body, "</a>");
    if (!isnan(base))
        add_change(p, s, base, value);
    buf_add_str(&p->body, "</td>");
}

static void add_row_head(struct page *p, const struct layout *l, size_t row)
{
    struct buf name;

    buf_init(&name, BUF_TEXT_MAX_BYTES);
    for (size_t d = 0; d + 1 < l->dimensions; d++)
        buf_printf(&name, "%s%s %s", d > 0 ? ", " : "", p->cells.dimensions.items[d], value_at(p, l->first[row], d));
    html_cell_head(&p->body, name.len > 0 ? name.data : "all");
    buf_release(&name);
}

static void add_table(struct page *p, const struct layout *l, const struct shown *s)
{
    char name[PAGE_TEXT_MAX];
    struct buf names, caption;

    buf_init(&names, BUF_TEXT_MAX_BYTES);
    buf_init(&caption, BUF_TEXT_MAX_BYTES);
    buf_printf(&caption, "%s%s%s%s", page_metric_name(name, s->metric->name), p->c->count > 1 ? ", " : "",
               p->c->count > 1 ? p->c->runs[s->run].name : "",
               s->run > 0 ? ", and its change; blue is better, orange worse" : "; the darker the greater");
    html_column(&names, false, "%s", l->dimensions > 1 ? "cell" : " ");
    for (size_t c = 0; c < l->column_count; c++)
        html_column(&names, true, "%s %s", l->dimensions > 0 ? p->cells.dimensions.items[l->dimensions - 1] : "",
                    l->columns[c]);
    buf_add_str(&p->body, "<div class=\"heat\">");
    html_table_open(&p->body, buf_ok(&caption) ? caption.data : "", buf_ok(&names) ? names.data : "");
    for (size_t row = 0; row < l->row_count; row++) {
        html_row_open(&p->body);
        add_row_head(p, l, row);
        for (size_t column = 0; column < l->column_count; column++) {
            size_t cell = 0;

            while (cell < p->cell_count && (l->row_of[cell] != row || l->column_of[cell] != column))
                cell++;
            if (cell < p->cell_count)
                add_cell(p, s, cell);
            else
                buf_add_str(&p->body, "<td></td>");
        }
        html_row_close(&p->body);
    }
    html_table_close(&p->body);
    buf_add_str(&p->body, "</div>\n");
    buf_release(&names);
    buf_release(&caption);
}

/* ---- which figures ---- */

static size_t pick(const struct metric *out[METRICS_MAX], const struct page *p)
{
    static const char *const NAMES[] = { "requests_per_s", "latency_p50", "latency_p99", "error_share" };
    const char *gate = p->comparison_count > 0 && p->comparisons[0].metric_count > 0 ? p->comparisons[0].metrics[0].name
                       : p->options->metrics != NULL && p->options->metrics->count > 0 ? p->options->metrics->items[0]
                                                                                       : NULL;
    size_t count = 0;

    if (gate != NULL && page_metric(p, gate) != NULL)
        out[count++] = page_metric(p, gate);
    for (size_t i = 0; i < sizeof(NAMES) / sizeof(NAMES[0]) && count < METRICS_MAX; i++) {
        const struct metric *m = page_metric(p, NAMES[i]);

        if (m != NULL && (gate == NULL || strcmp(gate, m->name) != 0) && (i < 3 || count == 0))
            out[count++] = m;
    }
    for (size_t i = 0; count == 0 && p->all.count > 0 && i < p->all.records[0].metric_count && i < 2; i++)
        out[count++] = &p->all.records[0].metrics[i];
    return count;
}

void html_part_matrix(struct page *p)
{
    const struct metric *metrics[METRICS_MAX];
    const size_t count = p->cell_count > 1 && p->shown == NULL ? pick(metrics, p) : 0;
    struct layout l = { 0 };

    if (count == 0)
        return;
    if (!lay_out(&l, p)) { /* more columns than a table holds: the headline has the cells one below the other */
        layout_release(&l);
        return;
    }
    page_section(p, "matrix", "Matrix");
    for (size_t i = 0; i < count; i++) {
        if (i == 1)
            html_details_open(&p->body, NULL, "Other figures as matrices", false);
        for (size_t run = p->c->count > 1 ? 1 : 0; run < p->c->count; run++) {
            struct shown s = { .metric = metrics[i], .run = run };

            find_range(&s, p);
            add_table(p, &l, &s);
        }
    }
    if (count > 1)
        html_details_close(&p->body);
    layout_release(&l);
}
