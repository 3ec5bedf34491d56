/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "result/rounds_sizes.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define DURATION_MIN_S 1e-9 /* what is below it is no duration, and its inverse no rate */

static int no_memory(struct err *err)
{
    return err_set(err, ERR_SYSTEM, ENOMEM, "no memory to sum up rounds");
}

static struct rounds_size *find(const struct rounds_sizes *s, const struct rounds_round *round)
{
    for (size_t i = 0; i < s->count; i++)
        if (s->items[i].series == round->series && s->items[i].concurrency == round->concurrency)
            return &s->items[i];
    return NULL;
}

static int by_series_and_size(const void *a, const void *b)
{
    const struct rounds_size *x = a, *y = b;

    if (x->series != y->series)
        return x->series > y->series ? 1 : -1;
    return (x->concurrency > y->concurrency) - (x->concurrency < y->concurrency);
}

static int make_size(struct rounds_sizes *s, const struct rounds_result *r, const struct rounds_round *round,
                     struct err *err)
{
    struct rounds_size *grown = reallocarray(s->items, s->count + 1, sizeof(*grown)), *size;

    if (grown == NULL)
        return no_memory(err);
    s->items = grown;
    size = &grown[s->count++];
    *size = (struct rounds_size){ .series = round->series, .concurrency = round->concurrency };
    size->duration_s = size->discounted_s = size->makespan_s = size->other_s = size->followed_s = NAN;
    if (r->phase_count == 0)
        return 0;
    size->phases = calloc(r->phase_count, sizeof(*size->phases));
    return size->phases != NULL ? 0 : no_memory(err);
}

static bool append(double **list, size_t count, double value)
{
    double *grown = reallocarray(*list, count + 1, sizeof(*grown));

    if (grown == NULL)
        return false;
    grown[count] = value;
    *list = grown;
    return true;
}

static int add_duration(struct rounds_size *size, const struct rounds_round *round, struct err *err)
{
    const bool alone = isnan(round->mean_ok_s) && round->copy_count == 0;
    const double mean = alone ? round->mean_s : round->mean_ok_s;
    const double discounted = isnan(round->mean_discounted_s) ? mean : round->mean_discounted_s;

    if (!(mean >= DURATION_MIN_S) || !isfinite(mean) || size->concurrency == 0)
        return 0;
    size->counts_failures = size->counts_failures || (alone && round->failed > 0);
    if (!append(&size->means, size->mean_count, mean) || !append(&size->discounted, size->mean_count, discounted))
        return no_memory(err);
    size->mean_count++;
    return 0;
}

static bool was_followed(const struct rounds_result *r, const struct rounds_copy *c)
{
    for (size_t i = 0; c->ok && c->phases != NULL && i < r->phase_count; i++)
        if (!isnan(c->phases[i]))
            return true;
    return false;
}

/* Sums for now; finish() divides. */
static void add_phases(struct rounds_size *size, const struct rounds_result *r, const struct rounds_round *round)
{
    for (size_t k = 0; k < round->copy_count; k++) {
        const struct rounds_copy *c = &round->copies[k];

        if (!was_followed(r, c))
            continue;
        size->followed++;
        size->followed_s = (isnan(size->followed_s) ? 0 : size->followed_s) +
                           (isnan(c->duration_s) ? 0 : c->duration_s);
        for (size_t i = 0; i < r->phase_count; i++)
            size->phases[i] += isnan(c->phases[i]) ? 0 : c->phases[i];
    }
}

static int add_round(struct rounds_sizes *s, const struct rounds_result *r, const struct rounds_round *round,
                     struct err *err)
{
    struct rounds_size *size = find(s, round);

    if (size == NULL) {
        if (make_size(s, r, round, err) != 0)
            return -1;
        size = &s->items[s->count - 1];
    }
    size->rounds++;
    size->ok += round->ok;
    size->failed += round->failed;
    size->unfinished += round->unfinished;
    if (!isnan(round->makespan_s)) /* a sum for now */
        size->makespan_s = (isnan(size->makespan_s) ? 0 : size->makespan_s) + round->makespan_s;
    add_phases(size, r, round);
    return add_duration(size, round, err);
}

static double mean_of(const double *x, size_t n)
{
    double sum = 0;

    for (size_t i = 0; i < n; i++)
        sum += x[i];
    return n > 0 ? sum / (double)n : NAN;
}

static void finish(struct rounds_size *size, const struct rounds_result *r)
{
    double in_phases = 0;

    size->duration_s = mean_of(size->means, size->mean_count);
    size->discounted_s = mean_of(size->discounted, size->mean_count);
    size->makespan_s /= (double)size->rounds;
    if (size->followed == 0) {
        free(size->phases);
        size->phases = NULL;
        return;
    }
    size->followed_s /= (double)size->followed;
    for (size_t i = 0; i < r->phase_count; i++) {
        size->phases[i] /= (double)size->followed;
        in_phases += size->phases[i];
    }
    size->other_s = fmax(0, size->followed_s - in_phases);
}

int rounds_sizes_of(struct rounds_sizes *out, const struct rounds_result *r, struct err *err)
{
    *out = (struct rounds_sizes){ 0 };
    for (size_t i = 0; i < r->round_count; i++)
        if (add_round(out, r, &r->rounds[i], err) != 0)
            return -1;
    for (size_t i = 0; i < out->count; i++)
        finish(&out->items[i], r);
    if (out->count > 0)
        qsort(out->items, out->count, sizeof(*out->items), by_series_and_size);
    return 0;
}

void rounds_sizes_release(struct rounds_sizes *s)
{
    for (size_t i = 0; i < s->count; i++) {
        free(s->items[i].means);
        free(s->items[i].discounted);
        free(s->items[i].phases);
    }
    free(s->items);
    *s = (struct rounds_sizes){ 0 };
}

const struct rounds_size *rounds_sizes_of_series(const struct rounds_sizes *s, uint32_t series, size_t *count)
{
    size_t first = 0;

    while (first < s->count && s->items[first].series != series)
        first++;
    *count = 0;
    while (first + *count < s->count && s->items[first + *count].series == series)
        ++*count;
    return s->items != NULL ? s->items + first : NULL;
}

static bool in_group(const struct rounds_phase *p, const char *group)
{
    return p->group != NULL && strcmp(p->group, group) == 0;
}

double rounds_part_s(const struct rounds_result *r, const struct rounds_size *size, const struct rounds_part *part)
{
    double sum = 0;

    if (size->phases == NULL)
        return NAN;
    if (!part->is_group)
        return size->phases[part->phase];
    for (size_t i = 0; i < r->phase_count; i++)
        sum += in_group(&r->phases[i], part->name) ? size->phases[i] : 0;
    return sum;
}

static bool is_first_of_several(const struct rounds_result *r, size_t at)
{
    size_t members = 0;

    if (r->phases[at].group == NULL)
        return false;
    for (size_t i = 0; i < r->phase_count; i++) {
        if (!in_group(&r->phases[i], r->phases[at].group))
            continue;
        if (i < at)
            return false;
        members++;
    }
    return members > 1;
}

size_t rounds_groups(const struct rounds_result *r, struct rounds_part *out, size_t max)
{
    size_t count = 0;

    for (size_t i = 0; i < r->phase_count && count < max; i++)
        if (is_first_of_several(r, i))
            out[count++] = (struct rounds_part){ .name = r->phases[i].group, .is_group = true };
    return count;
}
