/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "result/matrix.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define COLLAPSE 4.0 /* times */

static int no_memory(struct err *err)
{
    return err_set(err, ERR_SYSTEM, ENOMEM, "out of memory");
}

void matrix_release(struct matrix *m)
{
    for (size_t k = 0; k < m->cell_count; k++) {
        for (size_t d = 0; m->cells[k].values != NULL && d < m->dimensions.count; d++)
            free(m->cells[k].values[d]);
        free(m->cells[k].values);
        free(m->cells[k].name);
    }
    for (size_t k = 0; k < m->sample_count; k++) {
        free(m->samples[k].note);
        strlist_release(&m->samples[k].warnings);
    }
    free(m->cells);
    free(m->samples);
    free(m->name);
    free(m->run);
    strlist_release(&m->dimensions);
    strlist_release(&m->facts);
    strlist_release(&m->notes);
    buf_release(&m->summary);
    strlist_release(&m->metrics);
    side_release(&m->sides[0]);
    side_release(&m->sides[1]);
    *m = (struct matrix){ 0 };
}

static struct matrix_warning *find_warning(struct matrix_warning *all, size_t count, const char *text)
{
    for (size_t k = 0; k < count; k++)
        if (strcmp(all[k].text, text) == 0)
            return &all[k];
    return NULL;
}

size_t matrix_warnings(const struct matrix *m, struct matrix_warning *out, size_t room, size_t *more)
{
    size_t count = 0;

    *more = 0;
    for (size_t k = 0; k < m->sample_count; k++) {
        const struct matrix_sample *s = &m->samples[k];

        for (size_t w = 0; w < s->warnings.count; w++) {
            struct matrix_warning *known = find_warning(out, count, s->warnings.items[w]);

            if (known != NULL)
                known->others++;
            else if (count < room)
                out[count++] = (struct matrix_warning){ .text = s->warnings.items[w], .first = s };
            else
                ++*more;
        }
    }
    return count;
}

static bool any_has(const struct matrix *m, const char *metric)
{
    for (size_t k = 0; k < m->sides[0].count; k++)
        if (record_metric(&m->sides[0].records[k], metric) != NULL)
            return true;
    return false;
}

static int add_metric(struct matrix *m, const char *name, struct err *err)
{
    if (strlist_contains(&m->metrics, slice_str(name)) || strlist_add(&m->metrics, slice_str(name)))
        return 0;
    return no_memory(err);
}

int matrix_pick_metrics(struct matrix *m, const char *gate, struct err *err)
{
    static const char *const USUAL[] = { "requests_per_s", "latency_p50", "latency_p99",
                                         "mean_ok_s",      "makespan_s",  "error_share" };

    if (gate != NULL && add_metric(m, gate, err) != 0)
        return -1;
    for (size_t k = 0; k < sizeof(USUAL) / sizeof(USUAL[0]); k++)
        if (any_has(m, USUAL[k]) && add_metric(m, USUAL[k], err) != 0)
            return -1;
    if (m->metrics.count > (gate != NULL ? 1u : 0u))
        return 0;
    for (size_t k = 0; k < m->sides[0].count; k++)
        for (size_t i = 0; i < m->sides[0].records[k].metric_count; i++)
            if (add_metric(m, m->sides[0].records[k].metrics[i].name, err) != 0)
                return -1;
    return 0;
}

struct matrix_figure matrix_figure(const struct matrix *m, uint32_t cell, uint32_t side, const char *metric)
{
    struct matrix_figure f = { .mean = (double)NAN, .min = (double)INFINITY, .max = -(double)INFINITY };
    double sum = 0, logs = 0;
    size_t near = 0;

    for (size_t k = 0; k < m->sample_count; k++) {
        const struct matrix_sample *s = &m->samples[k];
        const struct metric *found;

        if (s->cell != cell || s->side != side || s->outcome != MATRIX_VALID)
            continue;
        found = record_metric_near(&m->sides[side].records[s->record], metric, &near);
        if (found == NULL || !isfinite(found->value))
            continue;
        f.count++;
        f.min = fmin(f.min, found->value);
        f.max = fmax(f.max, found->value);
        sum += found->value;
        logs += found->value > 0 ? log(found->value) : (double)NAN;
    }
    if (f.count > 0)
        f.mean = f.count == 1 || isnan(logs) ? sum / f.count : exp(logs / f.count);
    else
        f.min = f.max = (double)NAN;
    return f;
}

int matrix_exit_code(const struct matrix *m, bool promises_kept)
{
    bool all_valid = true;

    for (size_t k = 0; k < m->sample_count; k++)
        all_valid = all_valid && m->samples[k].outcome != MATRIX_INVALID && m->samples[k].outcome != MATRIX_FAILED;
    if (m->interrupted)
        return 130;
    if (!promises_kept)
        return 1;
    return all_valid ? 0 : 3;
}

/* ---- effects ---- */

/* The same in every other dimension. */
static bool differ_only_in(const struct matrix *m, const struct matrix_cell *a, const struct matrix_cell *b, size_t d)
{
    for (size_t k = 0; k < m->dimensions.count; k++)
        if (k != d && strcmp(a->values[k], b->values[k]) != 0)
            return false;
    return true;
}

struct finder {
    const struct matrix *m;
    const double *logs; /* by cell; NAN: none */
    bool higher_is_better;
    struct matrix_effects *out;
    struct err *err;
};

static bool is_first_of_value(const struct matrix *m, size_t cell, size_t d)
{
    for (size_t k = 0; k < cell; k++)
        if (strcmp(m->cells[k].values[d], m->cells[cell].values[d]) == 0)
            return false;
    return true;
}

/* Against the dimension's first value, over the cells that both have. */
static double change_from(const struct finder *f, const char *first, const char *value, size_t d)
{
    double sum = 0;
    uint32_t pairs = 0;

    for (size_t a = 0; a < f->m->cell_count; a++) {
        if (strcmp(f->m->cells[a].values[d], first) != 0 || isnan(f->logs[a]))
            continue;
        for (size_t b = 0; b < f->m->cell_count; b++)
            if (strcmp(f->m->cells[b].values[d], value) == 0 && !isnan(f->logs[b]) &&
                differ_only_in(f->m, &f->m->cells[a], &f->m->cells[b], d)) {
                sum += f->logs[b] - f->logs[a];
                pairs++;
            }
    }
    return pairs > 0 ? exp(sum / pairs) - 1 : (double)NAN;
}

static int add_effect(const struct finder *f, size_t cell, size_t d)
{
    const char *value = f->m->cells[cell].values[d];
    struct matrix_effects *out = f->out;
    struct matrix_effect e = { .dimension = d, .value = value };
    struct matrix_effect *grown;
    double sum = 0;

    for (size_t k = 0; k < f->m->cell_count; k++)
        if (strcmp(f->m->cells[k].values[d], value) == 0 && !isnan(f->logs[k])) {
            sum += f->logs[k];
            e.cells++;
        }
    e.mean = e.cells > 0 ? exp(sum / e.cells) : (double)NAN;
    e.change = change_from(f, f->m->cells[0].values[d], value, d);
    grown = realloc(out->effects, (out->effect_count + 1) * sizeof(*grown));
    if (grown == NULL)
        return no_memory(f->err);
    out->effects = grown;
    grown[out->effect_count++] = e;
    return 0;
}

static int add_collapse(const struct finder *f, size_t from, size_t to, size_t d)
{
    struct matrix_effects *out = f->out;
    struct matrix_collapse *grown = realloc(out->collapses, (out->collapse_count + 1) * sizeof(*grown));

    if (grown == NULL)
        return no_memory(f->err);
    out->collapses = grown;
    grown[out->collapse_count++] = (struct matrix_collapse){ .from = (uint32_t)from,
                                                             .to = (uint32_t)to,
                                                             .dimension = d,
                                                             .before = exp(f->logs[from]),
                                                             .after = exp(f->logs[to]) };
    return 0;
}

/* The next cell along a dimension, everything else alike; cell_count: none. */
static size_t next_along(const struct finder *f, size_t cell, size_t d)
{
    size_t k = cell + 1;

    while (k < f->m->cell_count && !differ_only_in(f->m, &f->m->cells[cell], &f->m->cells[k], d))
        k++;
    return k;
}

static int find_along(const struct finder *f, size_t d)
{
    for (size_t k = 0; k < f->m->cell_count; k++) {
        const size_t next = next_along(f, k, d);
        double fall;

        if (is_first_of_value(f->m, k, d) && add_effect(f, k, d) != 0)
            return -1;
        if (next == f->m->cell_count || isnan(f->logs[k]) || isnan(f->logs[next]))
            continue;
        fall = f->logs[k] - f->logs[next];
        if (f->higher_is_better && fall >= log(COLLAPSE) && add_collapse(f, k, next, d) != 0)
            return -1;
    }
    return 0;
}

static int compare_collapses(const void *a, const void *b)
{
    const struct matrix_collapse *x = a, *y = b;
    const double fall_x = fabs(log(x->before / x->after)), fall_y = fabs(log(y->before / y->after));

    return fall_x > fall_y ? -1 : fall_x < fall_y;
}

/* Beyond it the pairs of all cells would take too long, and nobody reads their table. */
#define CELLS_MAX 2000u

int matrix_find_effects(const struct matrix *m, const char *metric, bool higher_is_better, struct matrix_effects *out,
                        struct err *err)
{
    double *logs = calloc(m->cell_count + 1, sizeof(*logs));
    const struct finder f = { m, logs, higher_is_better, out, err };
    int rc = logs != NULL ? 0 : no_memory(err);

    *out = (struct matrix_effects){ 0 };
    for (uint32_t k = 0; rc == 0 && k < m->cell_count; k++) {
        const struct matrix_figure figure = matrix_figure(m, k, 0, metric);

        logs[k] = figure.count > 0 && figure.mean > 0 ? log(figure.mean) : (double)NAN;
    }
    for (size_t d = 0; rc == 0 && m->cell_count > 1 && m->cell_count <= CELLS_MAX && d < m->dimensions.count; d++)
        rc = find_along(&f, d);
    if (out->collapse_count > 1)
        qsort(out->collapses, out->collapse_count, sizeof(*out->collapses), compare_collapses);
    free(logs);
    return rc;
}

void matrix_effects_release(struct matrix_effects *e)
{
    free(e->effects);
    free(e->collapses);
    *e = (struct matrix_effects){ 0 };
}
