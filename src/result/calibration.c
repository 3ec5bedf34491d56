/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "result/calibration.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "result/json_out.h"
#include "result/side_alike.h"

enum { SEED = 20040 };

static int no_memory(struct err *err)
{
    return err_set(err, ERR_SYSTEM, 0, "out of memory");
}

/* Runs of unchanged code, dealt to three sides. Records are the caller's: only the arrays are ours. */
struct deal {
    struct side base, new, history;
};

/* A run on its way to a side: those of a cell lie together, in random order. */
struct place {
    size_t run, cell;
    uint64_t chance;
};

struct work {
    struct calibration *out;
    const struct side *runs;
    const struct comparison_options *options;
    struct deal deal;
    uint32_t *session;   /* of each run */
    struct place *order; /* of a deal within one session */
    double *needed;      /* of each metric, CALIBRATION_MAX each: the least change that was found */
    struct rng rng;
};

static int find_sessions(struct work *w, struct err *err)
{
    struct strlist names = STRLIST_INIT;
    bool ok = true;

    for (size_t i = 0; i < w->runs->count && ok; i++) {
        const struct slice name = slice_str(w->runs->records[i].session);
        size_t at = 0;

        while (at < names.count && !slice_eq(slice_str(names.items[at]), name))
            at++;
        w->session[i] = (uint32_t)at;
        ok = at < names.count || strlist_add(&names, name);
    }
    w->out->sessions = names.count;
    strlist_release(&names);
    return ok ? 0 : no_memory(err);
}

static void put(struct side *s, const struct record *r)
{
    s->records[s->count++] = *r;
}

static void deal_sessions(struct work *w, size_t base, size_t new)
{
    w->deal.base.count = w->deal.new.count = w->deal.history.count = 0;
    for (size_t i = 0; i < w->runs->count; i++) {
        struct side *s = w->session[i] == base ? &w->deal.base : w->session[i] == new ? &w->deal.new : &w->deal.history;

        put(s, &w->runs->records[i]);
    }
}

static int by_place(const void *a, const void *b)
{
    const struct place *x = a, *y = b;

    if (x->cell != y->cell)
        return x->cell < y->cell ? -1 : 1;
    return (x->chance > y->chance) - (x->chance < y->chance);
}

/* Dealt by chance, they are in no order of time. */
static void put_without_time(struct side *s, const struct record *r)
{
    put(s, r);
    s->records[s->count - 1].session = NULL;
    s->records[s->count - 1].started[0] = '\0';
    s->records[s->count - 1].has_round = false;
}

/* As many of each cell to each side; one may be left over. */
static void deal_samples(struct work *w)
{
    const size_t n = w->runs->count;

    w->deal.base.count = w->deal.new.count = w->deal.history.count = 0;
    for (size_t i = 0; i < n; i++)
        w->order[i].chance = rng_next(&w->rng);
    qsort(w->order, n, sizeof(*w->order), by_place);
    for (size_t i = 0; i + 1 < n; i++) {
        if (w->order[i].cell != w->order[i + 1].cell)
            continue;
        put_without_time(&w->deal.base, &w->runs->records[w->order[i].run]);
        put_without_time(&w->deal.new, &w->runs->records[w->order[i + 1].run]);
        i++;
    }
}

/* ---- one comparison ---- */

static int judge(struct compare_output *out, const struct comparison *c, const struct comparison_metric *m,
                 struct err *err)
{
    const struct compare_input in = {
        .design = c->design,
        .scale = m->is_share ? COMPARE_SHARE : COMPARE_RATIO,
        .higher_is_better = m->higher_is_better,
        .min_change = m->is_share ? 0 : c->min_change,
        .cells = m->cells,
        .cell_count = c->cell_count,
    };

    return compare_run(out, &in, err);
}

/* Whether the cell regresses when its new side is worse by that fraction. -1: failure. */
static int is_found(const struct comparison *c, struct comparison_metric *m, size_t cell, double change,
                    struct err *err)
{
    const double factor = m->higher_is_better ? 1 - change : 1 / (1 - change);
    const struct compare_samples honest = m->cells[cell].new;
    struct compare_sample *worse = calloc(honest.count + 1, sizeof(*worse));
    struct compare_output out = { 0 };
    int found = -1;

    if (worse == NULL)
        return no_memory(err);
    for (size_t i = 0; i < honest.count; i++) {
        worse[i] = honest.items[i];
        worse[i].value = m->is_share ? fmin(1, worse[i].value + change) : worse[i].value * factor;
    }
    m->cells[cell].new.items = worse;
    if (judge(&out, c, m, err) == 0)
        found = out.cells[cell].verdict == COMPARE_REGRESSED;
    m->cells[cell].new = honest;
    compare_release(&out);
    free(worse);
    return found;
}

#define CHANGE_MOST 0.99
#define CHANGE_STEP 0.001

/* INFINITY when no change is found. */
static int find_needed(const struct comparison *c, struct comparison_metric *m, size_t cell, double *out,
                       struct err *err)
{
    double low = 0, high = CHANGE_MOST;
    int found = is_found(c, m, cell, high, err);

    *out = INFINITY;
    while (found == 1 && high - low > CHANGE_STEP) {
        const double middle = (low + high) / 2;
        const int here = is_found(c, m, cell, middle, err);

        if (here < 0)
            return -1;
        if (here == 1)
            high = middle;
        else
            low = middle;
    }
    if (found == 1)
        *out = high;
    return found < 0 ? -1 : 0;
}

static int note_metric(struct work *w, const struct comparison *c, size_t number, struct err *err)
{
    struct calibration_metric *to = &w->out->metrics[number];
    struct comparison_metric *m = &c->metrics[number];
    const size_t *counts = m->out.counts;
    const size_t cell = to->comparisons % c->cell_count;

    if (counts[COMPARE_REGRESSED] + counts[COMPARE_IMPROVED] > 0)
        to->alarms++;
    else if (counts[COMPARE_SUSPECT] > 0)
        to->suspects++;
    if (find_needed(c, m, cell, &w->needed[number * CALIBRATION_MAX + to->comparisons], err) != 0)
        return -1;
    to->comparisons++;
    return 0;
}

/* The first comparison says which metrics there are. */
static int name_metrics(struct work *w, const struct comparison *c, struct err *err)
{
    struct calibration *out = w->out;

    out->metrics = calloc(c->metric_count, sizeof(*out->metrics));
    w->needed = calloc(c->metric_count * CALIBRATION_MAX, sizeof(*w->needed));
    if (out->metrics == NULL || w->needed == NULL)
        return no_memory(err);
    for (; out->metric_count < c->metric_count; out->metric_count++) {
        struct calibration_metric *m = &out->metrics[out->metric_count];

        m->name = strdup(c->metrics[out->metric_count].name);
        m->higher_is_better = c->metrics[out->metric_count].higher_is_better;
        if (m->name == NULL)
            return no_memory(err);
    }
    out->cells = c->cell_count;
    out->design = c->design;
    out->min_change = c->min_change;
    return 0;
}

static int compare_deal(struct work *w, struct err *err)
{
    struct comparison_options options = *w->options;
    struct comparison c;
    int failed;

    options.rules = NULL;
    options.same_session |= w->out->sessions == 1;
    failed = comparison_make(&c, &w->deal.base, &w->deal.new, w->deal.history.count > 0 ? &w->deal.history : NULL,
                             &options, err);
    if (failed == 0 && w->out->metrics == NULL)
        failed = name_metrics(w, &c, err);
    for (size_t i = 0; i < w->out->metric_count && i < c.metric_count && failed == 0; i++)
        if (c.cell_count > 0 && strcmp(w->out->metrics[i].name, c.metrics[i].name) == 0)
            failed = note_metric(w, &c, i, err);
    comparison_release(&c);
    return failed;
}

/* ---- all of them ---- */

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* The least change that nine of ten comparisons find. */
static void find_changes(struct work *w)
{
    for (size_t i = 0; i < w->out->metric_count; i++) {
        struct calibration_metric *m = &w->out->metrics[i];
        double *needed = &w->needed[i * CALIBRATION_MAX];
        const size_t rank = (size_t)ceil(0.9 * (double)m->comparisons);

        qsort(needed, m->comparisons, sizeof(*needed), by_value);
        m->found_change = rank > 0 && isfinite(needed[rank - 1]) ? needed[rank - 1] : NAN;
    }
}

static int compare_sessions(struct work *w, struct err *err)
{
    const size_t n = w->out->sessions, pairs = n * (n - 1) / 2, every = 1 + (pairs - 1) / CALIBRATION_MAX;
    size_t pair = 0;

    for (size_t base = 0; base < n; base++)
        for (size_t new = base + 1; new < n; new ++, pair++) {
            if (pair % every != 0)
                continue;
            deal_sessions(w, base, new);
            if (compare_deal(w, err) != 0)
                return -1;
        }
    return 0;
}

static int compare_samples(struct work *w, struct err *err)
{
    for (unsigned i = 0; i < CALIBRATION_DEALS; i++) {
        deal_samples(w);
        if (compare_deal(w, err) != 0)
            return -1;
    }
    return 0;
}

/* Runs that did the same are of one cell. */
static int find_places(struct work *w, struct err *err)
{
    struct strlist keys = STRLIST_INIT;
    bool ok = true;

    for (size_t i = 0; i < w->runs->count && ok; i++) {
        char *key = side_key_of(&w->runs->records[i]);
        size_t at = 0;

        while (key != NULL && at < keys.count && strcmp(keys.items[at], key) != 0)
            at++;
        w->order[i] = (struct place){ .run = i, .cell = at };
        ok = key != NULL && (at < keys.count || strlist_add(&keys, slice_str(key)));
        free(key);
    }
    strlist_release(&keys);
    return ok ? 0 : no_memory(err);
}

static int prepare(struct work *w, struct err *err)
{
    const size_t n = w->runs->count;

    w->session = calloc(n + 1, sizeof(*w->session));
    w->order = calloc(n + 1, sizeof(*w->order));
    w->deal.base.records = calloc(n + 1, sizeof(struct record));
    w->deal.new.records = calloc(n + 1, sizeof(struct record));
    w->deal.history.records = calloc(n + 1, sizeof(struct record));
    if (w->session == NULL || w->order == NULL || w->deal.base.records == NULL || w->deal.new.records == NULL ||
        w->deal.history.records == NULL)
        return no_memory(err);
    rng_init(&w->rng, SEED);
    return find_places(w, err) != 0 ? -1 : find_sessions(w, err);
}

static int too_few(const struct side *runs, struct err *err)
{
    err_set(err, ERR_CONFIG, 0, "%zu runs of one session are too few to be set against each other", runs->count);
    return err_hint(err, "four runs of unchanged code, or runs of several sessions (label session)");
}

int calibration_make(struct calibration *out, const struct side *runs, const struct comparison_options *options,
                     struct err *err)
{
    struct work w = { .out = out, .runs = runs, .options = options };
    int failed;

    *out = (struct calibration){ .runs = runs->count };
    failed = prepare(&w, err);
    if (failed == 0 && out->sessions < 2 && runs->count < 4)
        failed = too_few(runs, err);
    if (failed == 0)
        failed = out->sessions >= 2 ? compare_sessions(&w, err) : compare_samples(&w, err);
    if (failed == 0)
        find_changes(&w);
    free(w.session);
    free(w.order);
    free(w.needed);
    free(w.deal.base.records);
    free(w.deal.new.records);
    free(w.deal.history.records);
    return failed;
}

void calibration_release(struct calibration *c)
{
    for (size_t i = 0; i < c->metric_count; i++)
        free(c->metrics[i].name);
    free(c->metrics);
    *c = (struct calibration){ 0 };
}

void calibration_to_json(const struct calibration *c, struct buf *out)
{
    struct json_out o = { .buf = out };

    json_out_open(&o, NULL, '{');
    json_out_u64(&o, "runs", c->runs);
    json_out_u64(&o, "sessions", c->sessions);
    json_out_u64(&o, "cells", c->cells);
    json_out_double(&o, "min_change", c->min_change);
    json_out_open(&o, "metrics", '[');
    for (size_t i = 0; i < c->metric_count; i++) {
        const struct calibration_metric *m = &c->metrics[i];
        const double n = m->comparisons > 0 ? (double)m->comparisons : NAN;

        json_out_open(&o, NULL, '{');
        json_out_string(&o, "metric", m->name);
        json_out_u64(&o, "comparisons", m->comparisons);
        json_out_u64(&o, "false_alarms", m->alarms);
        json_out_double(&o, "false_alarm_share", (double)m->alarms / n);
        json_out_u64(&o, "suspects", m->suspects);
        json_out_double(&o, "found_change", m->found_change);
        json_out_close(&o, '}');
    }
    json_out_close(&o, ']');
    json_out_close(&o, '}');
    buf_add_char(out, '\n');
}
