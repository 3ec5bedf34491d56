/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/svg_report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A curve's documents added up. */
struct curve {
    struct buf name;
    struct result *sum;
};

struct curves {
    struct curve items[SVG_RUNS_MAX];
    size_t count;
};

static void curves_release(struct curves *c)
{
    for (size_t i = 0; i < c->count; i++) {
        buf_release(&c->items[i].name);
        result_free(c->items[i].sum);
    }
}

/* "edge/500": the values of a sample's cell; of one run alone they are its name. */
static void add_cell(struct buf *out, const struct record *r)
{
    bool is_first = true;

    for (size_t i = 0; i < r->fact_count; i++) {
        if (r->facts[i].role != FACT_CELL)
            continue;
        buf_printf(out, "%s%s", is_first ? "" : "/", r->facts[i].value);
        is_first = false;
    }
}

static struct curve *find_curve(struct curves *c, struct slice name)
{
    for (size_t i = 0; i < c->count; i++)
        if (slice_eq(buf_slice(&c->items[i].name), name))
            return &c->items[i];
    return NULL;
}

static int add_document(struct curves *c, struct buf *name, const struct collected *d, struct err *err)
{
    struct curve *found = find_curve(c, buf_slice(name));
    struct result *r = NULL;

    if (found == NULL && c->count == SVG_RUNS_MAX) {
        err_set(err, ERR_CONFIG, 0, "more than %d curves do not fit into one picture", SVG_RUNS_MAX);
        return err_hint(err, "name fewer runs, or draw them with --plot matrix");
    }
    if (collection_read(d, &r, err) != 0)
        return -1;
    if (found != NULL) {
        hist_merge(found->sum->latency, r->latency);
        hist_merge(found->sum->service_time, r->service_time);
        result_free(r);
        return 0;
    }
    buf_init(&c->items[c->count].name, BUF_TEXT_MAX_BYTES);
    buf_add_slice(&c->items[c->count].name, buf_slice(name));
    c->items[c->count++].sum = r;
    return 0;
}

static bool has_cells(const struct collection_run *run)
{
    struct buf first, other;
    bool differ = false;

    buf_init(&first, BUF_TEXT_MAX_BYTES);
    buf_init(&other, BUF_TEXT_MAX_BYTES);
    for (size_t i = 0; i < run->side.count && !differ; i++) {
        buf_clear(&other);
        add_cell(i == 0 ? &first : &other, &run->side.records[i]);
        differ = i > 0 && !slice_eq(buf_slice(&first), buf_slice(&other));
    }
    buf_release(&first);
    buf_release(&other);
    return differ;
}

static int collect(struct curves *out, const struct collection *c, struct err *err)
{
    struct buf name;
    int rc = 0;

    buf_init(&name, BUF_TEXT_MAX_BYTES);
    for (size_t k = 0; k < c->count && rc == 0; k++) {
        const struct collection_run *run = &c->runs[k];
        const bool by_cell = has_cells(run);

        for (size_t i = 0; i < run->side.count && rc == 0; i++) {
            const struct collected *d = &run->documents[run->document_of[i]];

            if (d->rounds || !run->side.records[i].valid)
                continue;
            buf_clear(&name);
            if (!by_cell || c->count > 1)
                buf_add_str(&name, run->name);
            if (by_cell) {
                buf_add_str(&name, c->count > 1 ? " " : "");
                add_cell(&name, &run->side.records[i]);
            }
            rc = add_document(out, &name, d, err);
        }
    }
    buf_release(&name);
    return rc;
}

static int draw_percentiles(struct buf *out, const struct collection *c, struct err *err)
{
    struct svg_run runs[SVG_RUNS_MAX];
    struct curves curves = { .count = 0 };
    int rc = collect(&curves, c, err);

    for (size_t i = 0; i < curves.count; i++)
        runs[i] = (struct svg_run){ curves.items[i].name.data != NULL ? curves.items[i].name.data : "run",
                                    curves.items[i].sum };
    if (rc == 0)
        rc = svg_percentiles(out, runs, curves.count, err);
    curves_release(&curves);
    return rc;
}

typedef int draw_one_fn(struct buf *out, const struct svg_run *run, struct err *err);

static int draw_one(struct buf *out, const struct collection *c, draw_one_fn *draw, struct err *err)
{
    const struct collection_run *run = &c->runs[0];
    struct result *r = NULL;
    struct buf name;
    int rc;

    if (c->count > 1) {
        err_set(err, ERR_CONFIG, 0, "such a picture shows one run, not %zu", c->count);
        return err_hint(err, "name one of them");
    }
    if (collection_read(&run->documents[0], &r, err) != 0)
        return -1;
    buf_init(&name, BUF_TEXT_MAX_BYTES);
    buf_add_str(&name, run->name);
    if (run->count > 1)
        buf_printf(&name, ", the first of %zu samples", run->count);
    rc = draw(out, &(struct svg_run){ name.data != NULL ? name.data : "run", r }, err);
    buf_release(&name);
    result_free(r);
    return rc;
}

static int draw_matrix(struct buf *out, const struct collection *c, const char *metric, struct err *err)
{
    if (c->count > 2) {
        err_set(err, ERR_CONFIG, 0, "a matrix shows one run, or a second against the first, not %zu", c->count);
        return err_hint(err, "name one or two of them");
    }
    return svg_matrix(out, &c->runs[c->count - 1].side, c->count > 1 ? &c->runs[0].side : NULL, metric, err);
}

static enum svg_plot fitting(const struct collection *c)
{
    if (c->runs[0].documents[0].rounds)
        return SVG_ROUNDS;
    return has_cells(&c->runs[0]) ? SVG_MATRIX : SVG_PERCENTILES;
}

int report_svg(struct buf *out, const struct collection *c, const enum svg_plot *plot, const char *metric,
               struct err *err)
{
    int rc = -1;

    if (c->count == 0 || c->runs[0].count == 0)
        return err_set(err, ERR_CONFIG, 0, "there is no run to draw");
    switch (plot != NULL ? *plot : fitting(c)) {
    case SVG_PERCENTILES:
        rc = draw_percentiles(out, c, err);
        break;
    case SVG_TIME:
        rc = draw_one(out, c, svg_time, err);
        break;
    case SVG_ROUNDS:
        rc = draw_one(out, c, svg_rounds, err);
        break;
    case SVG_MATRIX:
    case SVG_PLOT_COUNT:
        rc = draw_matrix(out, c, metric, err);
        break;
    }
    return rc;
}
