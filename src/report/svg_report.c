/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/svg_report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "result/rounds_scaling.h"

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

/* cell: a record of it; NULL: its run has but one. */
static void add_curve_name(struct buf *out, const struct collection *c, const struct collection_run *run,
                           const struct record *cell)
{
    if (cell == NULL || c->count > 1)
        buf_add_str(out, run->name);
    if (cell != NULL) {
        buf_add_str(out, c->count > 1 ? " " : "");
        add_cell(out, cell);
    }
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
            add_curve_name(&name, c, run, by_cell ? &run->side.records[i] : NULL);
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

/* ---- samples side by side ---- */

#define SAMPLES_MAX 64

/* Every document of every run, whole, by the name of its curve. */
struct samples {
    struct svg_run items[SAMPLES_MAX];
    char *names[SAMPLES_MAX];
    struct result *results[SAMPLES_MAX];
    size_t count, names_different;
};

static void samples_release(struct samples *s)
{
    for (size_t i = 0; i < s->count; i++) {
        free(s->names[i]);
        result_free(s->results[i]);
    }
}

static void count_name(struct samples *s, const char *name)
{
    bool is_new = true;

    for (size_t i = 0; i < s->count && is_new; i++)
        is_new = strcmp(s->names[i], name) != 0;
    s->names_different += is_new;
}

static int add_sample(struct samples *s, const struct collection_run *run, size_t document, struct slice name,
                      struct err *err)
{
    char *copy;

    if (s->count == SAMPLES_MAX) {
        err_set(err, ERR_CONFIG, 0, "more than %d samples do not fit into one picture", SAMPLES_MAX);
        return err_hint(err, "name fewer runs, or draw them with --plot matrix");
    }
    copy = slice_dup(name);
    if (copy == NULL)
        return err_set(err, ERR_SYSTEM, 0, "no memory for the picture");
    count_name(s, copy);
    s->names[s->count] = copy;
    s->results[s->count] = NULL;
    s->count++;
    if (s->names_different > SVG_RUNS_MAX) {
        err_set(err, ERR_CONFIG, 0, "more than %d curves do not fit into one picture", SVG_RUNS_MAX);
        return err_hint(err, "name fewer runs, or draw them with --plot matrix");
    }
    if (collection_read(&run->documents[document], &s->results[s->count - 1], err) != 0)
        return -1;
    s->items[s->count - 1] = (struct svg_run){ copy, s->results[s->count - 1] };
    return 0;
}

/* A record of a document stands for it: its run's name, its cell, or both. */
static int collect_samples(struct samples *out, const struct collection *c, struct err *err)
{
    struct buf name;
    int rc = 0;

    buf_init(&name, BUF_TEXT_MAX_BYTES);
    for (size_t k = 0; k < c->count && rc == 0; k++) {
        const struct collection_run *run = &c->runs[k];
        const bool by_cell = !run->documents[0].rounds && has_cells(run);
        size_t taken = SIZE_MAX;

        for (size_t i = 0; i < run->side.count && rc == 0; i++) {
            if (run->document_of[i] == taken || (!run->side.records[i].valid && run->count > 1))
                continue;
            taken = run->document_of[i];
            buf_clear(&name);
            add_curve_name(&name, c, run, by_cell ? &run->side.records[i] : NULL);
            rc = add_sample(out, run, taken, buf_slice(&name), err);
        }
    }
    buf_release(&name);
    return rc;
}

static int draw_time(struct buf *out, const struct collection *c, struct err *err)
{
    struct samples *s = calloc(1, sizeof(*s));
    int rc = s != NULL ? collect_samples(s, c, err) : err_set(err, ERR_SYSTEM, 0, "no memory for the picture");

    if (rc == 0 && s->count == 0)
        rc = err_set(err, ERR_CONFIG, 0, "no sample is valid");
    if (rc == 0)
        rc = s->count == 1 ? svg_time(out, &s->items[0], err) : svg_times(out, s->items, s->count, err);
    if (s != NULL)
        samples_release(s);
    free(s);
    return rc;
}

/* ---- rounds together ---- */

/* The series of that name, new when there is none. */
static int series_for(struct rounds_result *all, const char *name, uint32_t *index, struct err *err)
{
    for (size_t i = 0; i < all->series_count; i++)
        if (strcmp(all->series[i].name, name) == 0) {
            *index = (uint32_t)i;
            return 0;
        }
    if (all->series_count == SVG_RUNS_MAX) {
        err_set(err, ERR_CONFIG, 0, "more than %d series do not fit into one picture", SVG_RUNS_MAX);
        return err_hint(err, "name fewer runs");
    }
    *index = (uint32_t)all->series_count;
    return rounds_result_add_series(all, name, NULL) != NULL ? 0
                                                             : err_set(err, ERR_SYSTEM, 0, "no memory for the picture");
}

/* The rounds of a sample become rounds of the whole; the sample has none after it. */
static int take_rounds(struct rounds_result *all, struct rounds_result *from, const char *name, struct err *err)
{
    struct buf series;
    int rc = 0;

    buf_init(&series, BUF_TEXT_MAX_BYTES);
    for (size_t i = 0; i < from->round_count && rc == 0; i++) {
        struct rounds_round *added = rounds_result_add_round(all);
        uint32_t index = 0;

        buf_clear(&series);
        buf_printf(&series, "%s%s%s", name, from->series_count > 1 ? ": " : "",
                   from->series_count > 1 ? from->series[from->rounds[i].series].name : "");
        if (added == NULL || !buf_ok(&series)) {
            rc = err_set(err, ERR_SYSTEM, 0, "no memory for the picture");
            continue;
        }
        *added = from->rounds[i];
        from->rounds[i] = (struct rounds_round){ 0 };
        rc = series_for(all, series.data, &index, err);
        added->series = index;
    }
    buf_release(&series);
    return rc;
}

/* As if one run had made the rounds of all samples: means over them, the law fitted to them. */
static int draw_together(struct buf *out, struct samples *s, const char *name, struct err *err)
{
    struct result *all = NULL;
    int rc = result_new(&all, err);

    if (rc == 0)
        rc = result_make_rounds(all, err);
    for (size_t i = 0; i < s->count && rc == 0; i++)
        rc = s->results[i]->rounds != NULL ? take_rounds(all->rounds, s->results[i]->rounds, s->names[i], err)
                                           : err_set(err, ERR_CONFIG, 0, "%s has no rounds", s->names[i]);
    if (rc == 0 && all->rounds->round_count > 0)
        rc = rounds_scale(all->rounds, err);
    if (rc == 0)
        rc = svg_rounds(out, &(struct svg_run){ name, all }, err);
    result_free(all);
    return rc;
}

static int draw_rounds(struct buf *out, const struct collection *c, struct err *err)
{
    struct samples *s = calloc(1, sizeof(*s));
    int rc = s != NULL ? collect_samples(s, c, err) : err_set(err, ERR_SYSTEM, 0, "no memory for the picture");
    char name[64];

    if (rc == 0 && s->count == 0)
        rc = err_set(err, ERR_CONFIG, 0, "no sample is valid");
    if (rc == 0) {
        snprintf(name, sizeof(name), "%zu samples together", s->count);
        rc = s->count == 1 ? svg_rounds(out, &s->items[0], err) : draw_together(out, s, name, err);
    }
    if (s != NULL)
        samples_release(s);
    free(s);
    return rc;
}

static int draw_limits(struct buf *out, const struct collection *c, struct err *err)
{
    struct svg_limit_of *limits = calloc(c->limit_count + 1, sizeof(*limits));
    int rc;

    if (limits == NULL)
        return err_set(err, ERR_SYSTEM, 0, "no memory for the picture");
    for (size_t i = 0; i < c->limit_count; i++)
        limits[i] = (struct svg_limit_of){ c->limits[i].name, c->limits[i].report };
    rc = c->limit_count > 0 ? svg_limit(out, limits, c->limit_count, err)
                            : err_set(err, ERR_CONFIG, 0, "none of these is the document of a limit");
    free(limits);
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
    if (c->count == 0)
        return SVG_LIMIT;
    if (c->runs[0].documents[0].rounds)
        return SVG_ROUNDS;
    return has_cells(&c->runs[0]) ? SVG_MATRIX : SVG_PERCENTILES;
}

int report_svg(struct buf *out, const struct collection *c, const enum svg_plot *plot, const char *metric,
               struct err *err)
{
    int rc = -1;
    const enum svg_plot chosen = plot != NULL ? *plot : fitting(c);

    if (chosen != SVG_LIMIT && (c->count == 0 || c->runs[0].count == 0))
        return err_set(err, ERR_CONFIG, 0, "there is no run to draw");
    switch (chosen) {
    case SVG_PERCENTILES:
        rc = draw_percentiles(out, c, err);
        break;
    case SVG_TIME:
        rc = draw_time(out, c, err);
        break;
    case SVG_ROUNDS:
        rc = draw_rounds(out, c, err);
        break;
    case SVG_LIMIT:
        rc = draw_limits(out, c, err);
        break;
    case SVG_MATRIX:
    case SVG_PLOT_COUNT:
        rc = draw_matrix(out, c, metric, err);
        break;
    }
    return rc;
}
