/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/compare_fit.h"

#include <math.h>
#include <stdlib.h>

#include "stats/effects.h"

/* By cell and round: the mean of base and of new, where both were measured. */
struct rounds {
    uint32_t *numbers;
    size_t count;
    double *sum, *n;             /* [side * count + round], of one cell */
    double *deviation, *members; /* by round: of new - base from the cell's own d, over the cells */
};

static int rounds_init(struct rounds *r, const struct compare_work *w, struct err *err)
{
    *r = (struct rounds){ 0 };
    if (compare_levels(&r->numbers, &r->count, w, false, err) != 0)
        return -1;
    r->sum = calloc(2 * r->count + 1, sizeof(double));
    r->n = calloc(2 * r->count + 1, sizeof(double));
    r->deviation = calloc(r->count + 1, sizeof(double));
    r->members = calloc(r->count + 1, sizeof(double));
    if (r->sum == NULL || r->n == NULL || r->deviation == NULL || r->members == NULL)
        return err_set(err, ERR_SYSTEM, 0, "out of memory");
    return 0;
}

static void rounds_release(struct rounds *r)
{
    free(r->numbers);
    free(r->sum);
    free(r->n);
    free(r->deviation);
    free(r->members);
}

static void sort_into_rounds(struct rounds *r, const struct compare_work *w, size_t c)
{
    for (size_t i = 0; i < 2 * r->count; i++)
        r->sum[i] = r->n[i] = 0;
    for (size_t side = SIDE_BASE; side <= SIDE_NEW; side++) {
        const struct compare_samples *s = compare_side(&w->in->cells[c], (int)side);
        const double *y = w->y + w->starts[c * SIDES + side];

        for (size_t i = 0; i < s->count; i++) {
            const size_t at = side * r->count + compare_level_index(r->numbers, r->count, s->items[i].round);

            r->sum[at] += y[i];
            r->n[at] += 1;
        }
    }
}

/* False: the round has not both sides. */
static bool difference(const struct rounds *r, size_t round, double *out)
{
    const size_t new = r->count + round;

    if (r->n[round] == 0 || r->n[new] == 0)
        return false;
    *out = r->sum[new] / r->n[new] - r->sum[round] / r->n[round];
    return true;
}

/* The paired t of one cell. */
static void fit_paired(struct compare_work *w, struct rounds *r, size_t c)
{
    struct compare_fit *f = &w->fits[c];
    double n = 0, mean = 0, squares = 0, x;

    sort_into_rounds(r, w, c);
    for (size_t i = 0; i < r->count; i++)
        if (difference(r, i, &x)) {
            mean += x;
            n += 1;
        }
    if (n < 2)
        return;
    mean /= n;
    for (size_t i = 0; i < r->count; i++)
        if (difference(r, i, &x)) {
            squares += (x - mean) * (x - mean);
            r->deviation[i] += x - mean;
            r->members[i] += 1;
        }
    f->known = true;
    f->d = mean;
    f->df = n - 1;
    f->s2 = squares / f->df;
    f->k = 1 / n;
    f->counted = n;
    f->p_least = fmin(1, exp2(1 - n));
}

/* The paired t of the rounds' means over all cells. */
static void overall(struct compare_work *w, const struct rounds *r)
{
    double n = 0, squares = 0;

    for (size_t i = 0; i < r->count; i++)
        if (r->members[i] > 0) {
            const double x = r->deviation[i] / r->members[i];

            squares += x * x;
            n += 1;
        }
    if (n >= 2)
        compare_set_overall(w, sqrt(squares / (n - 1) / n), n - 1);
}

static int observations(struct effects_observation **out, const struct rounds *r, const struct compare_work *w,
                        struct err *err)
{
    *out = calloc(w->starts[w->in->cell_count * SIDES] + 1, sizeof(**out));
    if (*out == NULL)
        return err_set(err, ERR_SYSTEM, 0, "out of memory");
    for (size_t c = 0; c < w->in->cell_count; c++)
        for (size_t side = SIDE_BASE; side <= SIDE_NEW; side++) {
            const struct compare_samples *s = compare_side(&w->in->cells[c], (int)side);
            const size_t from = w->starts[c * SIDES + side];

            for (size_t i = 0; i < s->count && w->fits[c].ready; i++)
                (*out)[from + i] = (struct effects_observation){
                    compare_level_index(r->numbers, r->count, s->items[i].round), w->y[from + i]
                };
        }
    return 0;
}

/* Only cells that the paired t knows: two rounds with both sides. */
static void fit_cell(struct compare_work *w, const struct effects *e, const struct effects_observation *obs, size_t c)
{
    struct compare_fit *f = &w->fits[c];
    const size_t base = w->starts[c * SIDES + SIDE_BASE], new = w->starts[c * SIDES + SIDE_NEW];
    const size_t n_base = compare_side_count(w, c, SIDE_BASE), n_new = compare_side_count(w, c, SIDE_NEW);
    struct effects_group a, b;

    effects_group(&a, e, obs + base, n_base);
    effects_group(&b, e, obs + new, n_new);
    f->d = b.mean - a.mean;
    f->df = (double)n_base + (double)n_new - 2 - a.df_used - b.df_used;
    f->s2 = f->df > 0 ? (a.squares + b.squares) / f->df : 0;
    f->k = 1 / (double)n_base + 1 / (double)n_new + effects_contrast(e, obs + base, n_base, obs + new, n_new);
    f->known = f->df > 0;
}

/* Degrees of freedom that the model of all cells has: observations - 2 cells - levels' rank. */
static double df_of_all(const struct compare_work *w, const struct effects *e)
{
    double df = -(double)e->rank;

    for (size_t c = 0; c < w->in->cell_count; c++)
        if (w->fits[c].ready)
            df += (double)compare_side_count(w, c, SIDE_BASE) + (double)compare_side_count(w, c, SIDE_NEW) - 2;
    return df;
}

/* The history has no part in it, nor have cells that are not ready: their groups are left empty. */
static int fit_together(struct compare_work *w, const struct rounds *r, struct err *err)
{
    const size_t groups = w->in->cell_count * SIDES;
    struct effects_observation *obs = NULL, *packed = NULL;
    size_t *starts = calloc(groups + 1, sizeof(*starts)), at = 0;
    struct effects e = { 0 };
    int failed = observations(&obs, r, w, err);

    packed = calloc(w->starts[groups] + 1, sizeof(*packed));
    if (failed != 0 || starts == NULL || packed == NULL) {
        failed = err_set(err, ERR_SYSTEM, 0, "out of memory");
        goto out;
    }
    for (size_t g = 0; g < groups; g++) {
        starts[g] = at;
        for (size_t i = w->starts[g]; i < w->starts[g + 1] && w->fits[g / SIDES].ready && g % SIDES != SIDE_HISTORY;
             i++)
            packed[at++] = obs[i];
    }
    starts[groups] = at;
    failed = effects_fit(&e, packed, starts, groups, r->count, err);
    if (failed == 0 && df_of_all(w, &e) >= COMPARE_MODERATE_DF_MIN - 1e-9)
        for (size_t c = 0; c < w->in->cell_count; c++)
            if (w->fits[c].known)
                fit_cell(w, &e, obs, c);
out:
    effects_release(&e);
    free(packed);
    free(obs);
    free(starts);
    return failed;
}

int compare_fit_interleaved(struct compare_work *w, struct err *err)
{
    struct rounds r;
    int failed = rounds_init(&r, w, err);

    for (size_t c = 0; failed == 0 && c < w->in->cell_count; c++)
        if (w->fits[c].ready)
            fit_paired(w, &r, c);
    if (failed == 0)
        failed = fit_together(w, &r, err);
    if (failed == 0) {
        compare_moderate(w, COMPARE_MODERATE_DF_MIN);
        overall(w, &r);
    }
    rounds_release(&r);
    return failed;
}
