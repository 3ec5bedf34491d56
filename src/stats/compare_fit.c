/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/compare_fit.h"

#include <math.h>
#include <stdlib.h>

#include "stats/effects.h"
#include "stats/moderate.h"
#include "stats/special.h"

double compare_least_p(double n_a, double n_b)
{
    return fmin(1, 2 * exp(-special_ln_choose(n_a + n_b, n_a)));
}

static void set_error(struct compare_fit *f, double s2, double df)
{
    f->error = sqrt(f->k * s2);
    f->error_df = df;
}

void compare_moderate(struct compare_work *w, double df_min)
{
    struct moderate_prior prior = { 0 };
    double pooled = 0;

    for (size_t c = 0; c < w->in->cell_count; c++) {
        w->scratch_a[c] = w->fits[c].known ? w->fits[c].s2 : NAN;
        w->scratch_b[c] = w->fits[c].known ? w->fits[c].df : 0;
        pooled += w->scratch_b[c];
    }
    if (pooled >= df_min - 1e-9)
        w->out->moderated = moderate_fit(&prior, w->scratch_a, w->scratch_b, w->in->cell_count, w->scratch_c);
    for (size_t c = 0; c < w->in->cell_count; c++) {
        struct compare_fit *f = &w->fits[c];

        if (!f->known)
            continue;
        set_error(f, moderate_variance(&prior, f->s2, f->df), moderate_df(&prior, f->df, pooled));
        if (w->out->moderated)
            f->p_least = 0;
    }
}

void compare_set_overall_change(struct compare_work *w)
{
    double sum = 0;

    w->out->overall.cells = 0;
    for (size_t c = 0; c < w->in->cell_count; c++)
        if (w->fits[c].ready) {
            sum += w->fits[c].d;
            w->out->overall.cells++;
        }
    w->out->overall.change = w->out->overall.cells > 0 ? sum / (double)w->out->overall.cells : NAN;
}

void compare_set_overall(struct compare_work *w, double error, double df)
{
    struct compare_overall *o = &w->out->overall;
    const double half = special_t_quantile(0.975, df) * error;

    compare_set_overall_change(w);
    o->p = error > 0 ? special_t_two_sided(o->change / error, df) : NAN;
    o->interval[0] = o->change - half;
    o->interval[1] = o->change + half;
}

static void squares_around_mean(double *mean, double *squares, const double *y, size_t n)
{
    *mean = *squares = 0;
    for (size_t i = 0; i < n; i++)
        *mean += y[i] / (double)n;
    for (size_t i = 0; i < n; i++)
        *squares += (y[i] - *mean) * (y[i] - *mean);
}

static void fit_pooled(struct compare_work *w, size_t c)
{
    struct compare_fit *f = &w->fits[c];
    double mean[2], squares[2], n[2];

    for (int side = SIDE_BASE; side <= SIDE_NEW; side++) {
        const size_t count = compare_side_count(w, c, side);

        squares_around_mean(&mean[side], &squares[side], w->y + w->starts[c * SIDES + (size_t)side], count);
        n[side] = (double)count;
    }
    if (n[0] < 2 || n[1] < 2)
        return;
    f->known = true;
    f->df = n[0] + n[1] - 2;
    f->s2 = (squares[0] + squares[1]) / f->df;
    f->k = 1 / n[0] + 1 / n[1];
    f->counted = 2 / f->k;
    f->p_least = compare_least_p(n[0], n[1]);
}

/* The cells' errors are independent: the variance of their mean, with Satterthwaite's degrees of freedom. */
static void overall_of_independent_cells(struct compare_work *w)
{
    double sum = 0, spread = 0, m = 0;

    for (size_t c = 0; c < w->in->cell_count; c++) {
        const struct compare_fit *f = &w->fits[c];

        if (!f->known)
            continue;
        sum += f->k * f->s2;
        spread += f->k * f->s2 * f->k * f->s2 / f->df;
        m += 1;
    }
    if (m > 0 && m == (double)w->out->overall.cells)
        compare_set_overall(w, sqrt(sum) / m, spread > 0 ? sum * sum / spread : NAN);
}

int compare_fit_one_session(struct compare_work *w, struct err *err)
{
    (void)err;
    for (size_t c = 0; c < w->in->cell_count; c++)
        if (w->fits[c].ready)
            fit_pooled(w, c);
    compare_moderate(w, COMPARE_MODERATE_DF_MIN);
    overall_of_independent_cells(w);
    return 0;
}
