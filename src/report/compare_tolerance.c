/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/compare_tolerance.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/compare_words.h"
#include "report/fit.h"
#include "stats/tolerance.h"

enum { CELL_WIDTH = 60, FIXED_COLUMNS = 6, COLUMNS_MAX = 24, TEXT_MAX_BYTES = 1 << 26 };
static const char *const FIXED[FIXED_COLUMNS] = { "metric", "result", "verdict", "deviation", NULL, NULL };

/* Cells as texts, a row of the heading first. */
struct grid {
    struct buf text;
    size_t *starts;
    size_t count, columns, room;
};

static void put(struct grid *g, const char *text)
{
    size_t *grown = g->starts;

    if (g->count == g->room) {
        g->room = g->room > 0 ? 2 * g->room : 256;
        grown = realloc(g->starts, g->room * sizeof(*grown));
        if (grown == NULL) {
            (void)buf_reserve(&g->text, SIZE_MAX);
            return;
        }
        g->starts = grown;
    }
    g->starts[g->count++] = g->text.len;
    fit_line(&g->text, slice_str(text), CELL_WIDTH, FIT_BOTH_ENDS);
    buf_add_char(&g->text, '\0');
}

static const char *at(const struct grid *g, size_t i)
{
    return g->text.data + g->starts[i];
}

static void rule_line(struct buf *out, const size_t *widths, size_t columns)
{
    for (size_t i = 0; i < columns; i++) {
        buf_add_char(out, '+');
        for (size_t k = 0; k < widths[i] + 2; k++)
            buf_add_char(out, '-');
    }
    buf_add_str(out, "+\n");
}

static void print_grid(struct buf *out, const struct grid *g)
{
    size_t widths[COLUMNS_MAX] = { 0 };

    if (!buf_ok(&g->text)) {
        (void)buf_reserve(out, SIZE_MAX);
        return;
    }
    for (size_t i = 0; i < g->count; i++)
        widths[i % g->columns] = strlen(at(g, i)) > widths[i % g->columns] ? strlen(at(g, i)) : widths[i % g->columns];
    rule_line(out, widths, g->columns);
    for (size_t i = 0; i < g->count; i++) {
        const size_t width = widths[i % g->columns], len = strlen(at(g, i)), left = (width - len) / 2;

        buf_printf(out, "| %*s%s%*s ", (int)left, "", at(g, i), (int)(width - len - left), "");
        if (i % g->columns + 1 < g->columns)
            continue;
        buf_add_str(out, "|\n");
        if (i + 1 == g->columns || i + 1 == g->count)
            rule_line(out, widths, g->columns);
    }
}

static void put_number(struct grid *g, double value)
{
    char text[64];

    snprintf(text, sizeof(text), fabs(value) < 100 ? "%.6g" : "%.1f", value);
    put(g, isnan(value) ? "" : text);
}

static void put_row(struct grid *g, const struct comparison *c, const struct comparison_metric *m, size_t cell)
{
    const double deviation = tolerance_deviation(m->base_mean[cell], m->new_mean[cell]);
    char text[64];

    for (size_t i = 0; i < c->dimensions.count; i++)
        put(g, c->cells[cell].values[i]);
    snprintf(text, sizeof(text), "%.2f%%", 100 * deviation);
    put(g, m->name);
    put(g, m->tolerance_holds[cell] ? "Pass" : "Fail");
    put(g, compare_verdict_text(m->out.cells[cell].verdict));
    put(g, isnan(deviation) ? "" : text);
    put_number(g, m->base_mean[cell]);
    put_number(g, m->new_mean[cell]);
}

static void put_heading(struct grid *g, const struct comparison *c)
{
    g->columns = c->dimensions.count + FIXED_COLUMNS;
    for (size_t i = 0; i < c->dimensions.count; i++)
        put(g, c->dimensions.items[i]);
    for (size_t i = 0; i < FIXED_COLUMNS - 2; i++)
        put(g, FIXED[i]);
    put(g, c->base->name != NULL ? c->base->name : "base");
    put(g, c->new->name != NULL ? c->new->name : "new");
}

/* A table of its own per test_type, when that is the first dimension. */
static const char *table_of(const struct comparison *c, size_t cell)
{
    return c->dimensions.count > 0 && strcmp(c->dimensions.items[0], "test_type") == 0 ? c->cells[cell].values[0] : "";
}

static void print_table(struct buf *out, const struct comparison *c, const char *type)
{
    struct grid g = { 0 };
    size_t rows = 0;

    buf_init(&g.text, TEXT_MAX_BYTES);
    put_heading(&g, c);
    for (size_t i = 0; i < c->cell_count; i++)
        for (size_t k = 0; k < c->metric_count; k++)
            if (c->metrics[k].rule[i] != NULL && strcmp(table_of(c, i), type) == 0) {
                put_row(&g, c, &c->metrics[k], i);
                rows++;
            }
    if (rows > 0)
        print_grid(out, &g);
    buf_release(&g.text);
    free(g.starts);
}

static bool is_first_of_its_table(const struct comparison *c, size_t cell)
{
    for (size_t i = 0; i < cell; i++)
        if (strcmp(table_of(c, i), table_of(c, cell)) == 0)
            return false;
    return true;
}

static void largest_deviation(struct buf *out, const struct comparison *c)
{
    const char *where = NULL;
    double largest = 0;

    for (size_t k = 0; k < c->metric_count; k++)
        for (size_t i = 0; i < c->cell_count; i++) {
            const struct comparison_metric *m = &c->metrics[k];
            const double deviation = tolerance_deviation(m->base_mean[i], m->new_mean[i]);

            if (m->rule[i] == NULL || isnan(deviation) || (where != NULL && fabs(deviation) <= fabs(largest)))
                continue;
            largest = deviation;
            where = c->cells[i].label;
        }
    if (where != NULL)
        buf_printf(out, "Largest deviation: %.2f%% in %s\n", 100 * largest, where);
}

void compare_tolerance_table(struct buf *out, const struct comparison *c)
{
    if (c->rules == NULL || c->dimensions.count + FIXED_COLUMNS > COLUMNS_MAX)
        return;
    for (size_t i = 0; i < c->cell_count; i++)
        if (is_first_of_its_table(c, i))
            print_table(out, c, table_of(c, i));
    largest_deviation(out, c);
}
