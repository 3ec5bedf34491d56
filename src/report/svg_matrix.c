/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/svg.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/compare_words.h"
#include "report/fit.h"
#include "report/svg_axes.h"

enum { ROWS_MAX = 200, COLUMNS_MAX = 24, SHADES = 7, ROW_HEIGHT = 26, LABEL_WIDTH = 240, TOP = 92 };
#define CELL_WIDTH_MAX 130.0
#define CELLS_WIDTH 640.0

/* Samples in rows and columns; every text of its own. */
struct grid {
    struct strlist dimensions, rows, columns;
    ptrdiff_t column_dimension; /* -1: one column */
};

static bool no_memory(struct err *err)
{
    return err_set(err, ERR_SYSTEM, ENOMEM, "no memory for the picture") == 0;
}

static void grid_release(struct grid *g)
{
    strlist_release(&g->dimensions);
    strlist_release(&g->rows);
    strlist_release(&g->columns);
}

static bool add_once(struct strlist *l, struct slice text)
{
    return strlist_contains(l, text) || strlist_add(l, text);
}

static ptrdiff_t index_of(const struct strlist *l, const char *text)
{
    for (size_t i = 0; i < l->count; i++)
        if (strcmp(l->items[i], text) == 0)
            return (ptrdiff_t)i;
    return -1;
}

static bool add_dimensions(struct grid *g, const struct side *side)
{
    for (size_t i = 0; i < side->count; i++)
        for (size_t k = 0; k < side->records[i].fact_count; k++)
            if (side->records[i].facts[k].role == FACT_CELL &&
                !add_once(&g->dimensions, slice_str(side->records[i].facts[k].name)))
                return false;
    return true;
}

static const char *value_of(const struct record *r, const char *dimension)
{
    const char *value = record_fact(r, dimension);

    return value != NULL ? value : "-";
}

static bool varies(const struct side *side, const char *dimension)
{
    for (size_t i = 1; i < side->count; i++)
        if (strcmp(value_of(&side->records[i], dimension), value_of(&side->records[0], dimension)) != 0)
            return true;
    return false;
}

/* The last dimension that has several values goes across, all others down. */
static void choose_columns(struct grid *g, const struct side *side)
{
    size_t varying = 0;

    g->column_dimension = -1;
    for (size_t d = 0; d < g->dimensions.count; d++)
        if (varies(side, g->dimensions.items[d])) {
            varying++;
            g->column_dimension = (ptrdiff_t)d;
        }
    if (varying < 2)
        g->column_dimension = -1;
}

/* "edge, 500": the record's values but that of the column. Ends with a NUL. */
static bool row_label(struct buf *out, const struct grid *g, const struct side *side, const struct record *r)
{
    buf_clear(out);
    for (size_t d = 0; d < g->dimensions.count; d++)
        if ((ptrdiff_t)d != g->column_dimension && varies(side, g->dimensions.items[d]))
            buf_printf(out, "%s%s", out->len > 0 ? ", " : "", value_of(r, g->dimensions.items[d]));
    if (out->len == 0)
        buf_add_str(out, r->source != NULL && g->dimensions.count == 0 ? r->source : "all");
    return buf_ok(out);
}

static const char *column_label(const struct grid *g, const struct record *r)
{
    return g->column_dimension < 0 ? "" : value_of(r, g->dimensions.items[g->column_dimension]);
}

static bool grid_make(struct grid *g, const struct side *side, struct err *err)
{
    struct buf label;
    bool ok;

    *g = (struct grid){ .column_dimension = -1 };
    if (!add_dimensions(g, side))
        return no_memory(err);
    choose_columns(g, side);
    buf_init(&label, BUF_TEXT_MAX_BYTES);
    ok = true;
    for (size_t i = 0; i < side->count && ok; i++)
        ok = row_label(&label, g, side, &side->records[i]) && add_once(&g->rows, buf_slice(&label)) &&
             add_once(&g->columns, slice_str(column_label(g, &side->records[i])));
    buf_release(&label);
    if (!ok)
        return no_memory(err);
    if (g->rows.count > ROWS_MAX || g->columns.count > COLUMNS_MAX)
        return err_set(err, ERR_CONFIG, 0, "%zu rows of %zu cells are too many for a picture", g->rows.count,
                       g->columns.count) == 0;
    return true;
}

struct figures {
    double *values; /* rows x columns; NAN: none */
    double lowest, highest;
};

struct sum {
    double plain, logs;
    size_t count;
};

/* The samples' mean, the geometric one as comparisons have it when all are above 0. */
static bool figures_make(struct figures *f, const struct grid *g, const struct side *side, const struct side *labels,
                         const char *metric)
{
    const size_t cells = g->rows.count * g->columns.count;
    struct sum *sums = calloc(cells, sizeof(*sums));
    struct buf label;

    f->values = calloc(cells, sizeof(*f->values));
    buf_init(&label, BUF_TEXT_MAX_BYTES);
    for (size_t i = 0; i < side->count && sums != NULL; i++) {
        const struct record *r = &side->records[i];
        const struct metric *m = record_metric(r, metric);
        const bool labelled = row_label(&label, g, labels, r);
        const ptrdiff_t row = labelled ? index_of(&g->rows, label.data) : -1;
        const ptrdiff_t column = index_of(&g->columns, column_label(g, r));

        if (!r->valid || m == NULL || !isfinite(m->value) || row < 0 || column < 0)
            continue;
        struct sum *sum = &sums[(size_t)row * g->columns.count + (size_t)column];

        sum->count++;
        sum->plain += m->value;
        sum->logs += m->value > 0 ? log(m->value) : NAN;
    }
    f->lowest = (double)INFINITY;
    f->highest = -(double)INFINITY;
    for (size_t i = 0; i < cells && sums != NULL && f->values != NULL; i++) {
        const double n = (double)sums[i].count;

        f->values[i] = sums[i].count == 0                          ? NAN
                       : sums[i].count == 1 || isnan(sums[i].logs) ? sums[i].plain / n
                                                                   : exp(sums[i].logs / n);
        f->lowest = isnan(f->values[i]) ? f->lowest : fmin(f->lowest, f->values[i]);
        f->highest = isnan(f->values[i]) ? f->highest : fmax(f->highest, f->values[i]);
    }
    buf_release(&label);
    free(sums);
    return sums != NULL && f->values != NULL;
}

/* By its logarithm, as the eye compares figures. */
static unsigned shade_of(const struct figures *f, double value)
{
    const bool is_log = f->lowest > 0;
    const double range = is_log ? log(f->highest / f->lowest) : f->highest - f->lowest;
    const double at = is_log ? log(value / f->lowest) : value - f->lowest;

    return range > 1e-9 ? (unsigned)fmin(SHADES - 1, at / range * SHADES) : SHADES / 2;
}

static unsigned steps_of(double change)
{
    return fabs(change) < 0.03 ? 0 : fabs(change) < 0.1 ? 1 : fabs(change) < 0.3 ? 2 : 3;
}

struct picture {
    struct svg svg;
    const struct grid *grid;
    const struct side *side;    /* that the grid was made of */
    struct figures now, before; /* before.values NULL: there is no base */
    struct comparison_metric metric;
    double cell_width;
};

static double change_at(const struct picture *p, size_t i)
{
    return p->metric.is_share ? p->now.values[i] - p->before.values[i] : p->now.values[i] / p->before.values[i] - 1;
}

static void draw_cell(struct picture *p, size_t i, double x, double y)
{
    const double value = p->now.values[i];
    const double change = p->before.values != NULL ? change_at(p, i) : NAN;
    const unsigned steps = isfinite(change) ? steps_of(change) : 0;
    const bool is_better = (change > 0) == p->metric.higher_is_better;
    char class[24], text[WORDS_MAX];

    if (isnan(value))
        snprintf(class, sizeof(class), "none");
    else if (!isfinite(change))
        snprintf(class, sizeof(class), p->before.values != NULL ? "none" : "v%u", shade_of(&p->now, value));
    else if (steps == 0)
        snprintf(class, sizeof(class), "same");
    else
        snprintf(class, sizeof(class), "%s%u", is_better ? "better" : "worse", steps);
    svg_rect(&p->svg, x + 1, y + 1, p->cell_width - 2, ROW_HEIGHT - 2, class);
    if (isfinite(change))
        words_change(text, &p->metric, change);
    else
        words_value(text, &p->metric, value);
    if (strcmp(class, "none") == 0)
        snprintf(class, sizeof(class), "soft small");
    else
        snprintf(class, sizeof(class), "small %s",
                 steps == 3 || (!isfinite(change) && shade_of(&p->now, value) >= 4) ? "ondark" : "onlight");
    svg_text(&p->svg, x + p->cell_width / 2, y + 17, SVG_MIDDLE, class, "%s", text);
}

static void draw_label(struct svg *s, double x, double y, enum svg_anchor anchor, double width, const char *text)
{
    struct buf cut;

    buf_init(&cut, BUF_TEXT_MAX_BYTES);
    fit_line(&cut, slice_str(text), svg_fitting(width), FIT_BOTH_ENDS);
    svg_text(s, x, y, anchor, "small", "%s", cut.data != NULL ? cut.data : "");
    buf_release(&cut);
}

/* "termination, routes / connections": what goes down, what goes across. */
static void draw_names(struct picture *p)
{
    const struct grid *g = p->grid;
    struct buf names;

    buf_init(&names, BUF_TEXT_MAX_BYTES);
    for (size_t d = 0; d < g->dimensions.count; d++)
        if ((ptrdiff_t)d != g->column_dimension && varies(p->side, g->dimensions.items[d]))
            buf_printf(&names, "%s%s", names.len > 0 ? ", " : "", g->dimensions.items[d]);
    if (g->column_dimension >= 0)
        buf_printf(&names, " / %s", g->dimensions.items[g->column_dimension]);
    if (names.len > 0 && buf_ok(&names))
        draw_label(&p->svg, LABEL_WIDTH - 10, TOP - 10, SVG_END, LABEL_WIDTH - 20, names.data);
    buf_release(&names);
}

static void draw_cells(struct picture *p)
{
    const struct grid *g = p->grid;

    draw_names(p);
    for (size_t c = 0; c < g->columns.count; c++)
        draw_label(&p->svg, LABEL_WIDTH + ((double)c + 0.5) * p->cell_width, TOP - 10, SVG_MIDDLE, p->cell_width,
                   g->columns.items[c]);
    for (size_t r = 0; r < g->rows.count; r++) {
        draw_label(&p->svg, LABEL_WIDTH - 10, TOP + (double)r * ROW_HEIGHT + 17, SVG_END, LABEL_WIDTH - 20,
                   g->rows.items[r]);
        for (size_t c = 0; c < g->columns.count; c++)
            draw_cell(p, r * g->columns.count + c, LABEL_WIDTH + (double)c * p->cell_width,
                      TOP + (double)r * ROW_HEIGHT);
    }
}

static void describe(struct buf *out, const struct picture *p)
{
    const struct grid *g = p->grid;

    for (size_t i = 0; i < g->rows.count * g->columns.count; i++) {
        const char *row = g->rows.items[i / g->columns.count], *column = g->columns.items[i % g->columns.count];
        char value[WORDS_MAX], change[WORDS_MAX];

        buf_printf(out, "%s%s%s: %s", row, column[0] != '\0' ? ", " : "", column,
                   words_value(value, &p->metric, p->now.values[i]));
        if (p->before.values != NULL)
            buf_printf(out, " (%s)", words_change(change, &p->metric, change_at(p, i)));
        buf_add_str(out, ". ");
    }
}

static void draw(struct picture *p, const char *name, const char *base)
{
    char title[WORDS_MAX + 32], metric[WORDS_MAX];
    struct buf description, subtitle;

    buf_init(&description, BUF_TEXT_MAX_BYTES);
    buf_init(&subtitle, BUF_TEXT_MAX_BYTES);
    describe(&description, p);
    snprintf(title, sizeof(title), "%s%s", p->before.values != NULL ? "Change of " : "",
             words_metric(metric, p->metric.name));
    buf_printf(&subtitle, "%s%s%s", name != NULL ? name : "", base != NULL ? " against " : "",
               base != NULL ? base : "");
    svg_begin(&p->svg, title, subtitle.data, description.data != NULL ? description.data : "");
    draw_cells(p);
    svg_text(&p->svg, LABEL_WIDTH, p->svg.height - 14, SVG_START, "soft small", "%s",
             p->before.values != NULL ? "blue is better, red is worse, grey less than 3 %; a dash: no valid sample"
                                      : "darker is more; a dash: no valid sample");
    svg_end(&p->svg);
    buf_release(&description);
    buf_release(&subtitle);
}

static const struct metric *metric_of(const struct side *side, const char *name)
{
    for (size_t i = 0; i < side->count; i++)
        for (size_t k = 0; k < side->records[i].metric_count; k++)
            if (name == NULL || strcmp(side->records[i].metrics[k].name, name) == 0)
                return &side->records[i].metrics[k];
    return NULL;
}

static const struct metric *pick_metric(const struct side *side, const char *asked)
{
    const struct metric *found = NULL;

    if (asked != NULL)
        return metric_of(side, asked);
    found = metric_of(side, "requests_per_s");
    if (found == NULL)
        found = metric_of(side, "mean_ok_s");
    return found != NULL ? found : metric_of(side, NULL);
}

int svg_matrix(struct buf *out, const struct side *side, const struct side *base, const char *asked, struct err *err)
{
    const struct metric *metric = pick_metric(side, asked);
    struct picture p = { .svg = { .out = out } };
    struct grid g;
    int rc = 0;

    if (metric == NULL)
        return err_set(err, ERR_CONFIG, 0, "no sample has the figure %s", asked != NULL ? asked : "to draw");
    if (!grid_make(&g, side, err)) {
        grid_release(&g);
        return -1;
    }
    p.grid = &g;
    p.side = side;
    p.metric = (struct comparison_metric){ .name = metric->name,
                                           .higher_is_better = metric->higher_is_better,
                                           .is_share = metric->is_share };
    p.cell_width = fmin(CELL_WIDTH_MAX, CELLS_WIDTH / (double)g.columns.count);
    p.svg.width = LABEL_WIDTH + fmax(CELLS_WIDTH, p.cell_width * (double)g.columns.count) + 20;
    p.svg.height = TOP + ROW_HEIGHT * (double)g.rows.count + 40;
    if (!figures_make(&p.now, &g, side, side, metric->name) ||
        (base != NULL && !figures_make(&p.before, &g, base, side, metric->name)))
        rc = err_set(err, ERR_SYSTEM, ENOMEM, "no memory for the picture");
    else
        draw(&p, side->name, base != NULL ? base->name : NULL);
    free(p.now.values);
    free(p.before.values);
    grid_release(&g);
    return rc == 0 && !buf_ok(out) ? err_set(err, ERR_SYSTEM, ENOMEM, "no memory for the picture") : rc;
}
