/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/moderate.h"

#include <math.h>
#include <stdlib.h>

#include "stats/special.h"

#define LIFT_ZERO 1e-5 /* of the median */

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static bool counts(double s2, double df)
{
    return isfinite(s2) && s2 >= 0 && isfinite(df) && df > 1e-9;
}

/* How many cells count, their values sorted in scratch. */
static size_t collect(double *scratch, const double *s2, const double *df, size_t n)
{
    size_t used = 0;

    for (size_t i = 0; i < n; i++)
        if (counts(s2[i], df[i]))
            scratch[used++] = s2[i];
    qsort(scratch, used, sizeof(scratch[0]), by_value);
    return used;
}

static double median_of_sorted(const double *x, size_t n)
{
    return n % 2 == 1 ? x[n / 2] : x[n / 2 - 1] / 2 + x[n / 2] / 2;
}

/* The e of the header; df values repeat, so that the digamma of the last one is kept. */
struct logs {
    double mean_e, variance_e, mean_trigamma, mean_s2;
};

static void log_moments(struct logs *out, const double *s2, const double *df, size_t n, double *e, double lift)
{
    double last_df = NAN, shift = NAN, trigamma = NAN, squares = 0;
    size_t used = 0;

    *out = (struct logs){ 0 };
    for (size_t i = 0; i < n; i++) {
        const double x = s2[i] > lift ? s2[i] : lift;

        if (!counts(s2[i], df[i]))
            continue;
        if (df[i] != last_df) {
            last_df = df[i];
            shift = log(last_df / 2) - special_digamma(last_df / 2);
            trigamma = special_trigamma(last_df / 2);
        }
        e[used++] = log(x) + shift;
        out->mean_trigamma += trigamma;
        out->mean_s2 += x;
        out->mean_e += e[used - 1];
    }
    out->mean_trigamma /= (double)used;
    out->mean_s2 /= (double)used;
    out->mean_e /= (double)used;
    for (size_t i = 0; i < used; i++)
        squares += (e[i] - out->mean_e) * (e[i] - out->mean_e);
    out->variance_e = squares / (double)(used - 1);
}

bool moderate_fit(struct moderate_prior *out, const double *s2, const double *df, size_t n, double *scratch)
{
    const size_t used = collect(scratch, s2, df, n);
    const double median = used > 0 ? median_of_sorted(scratch, used) : 0;
    struct logs logs;
    double beyond;

    *out = (struct moderate_prior){ 0 };
    if (used < 2 || !(median > 0))
        return false;
    log_moments(&logs, s2, df, n, scratch, LIFT_ZERO * median);
    beyond = logs.variance_e - logs.mean_trigamma;
    if (!(beyond > 0)) {
        *out = (struct moderate_prior){ INFINITY, logs.mean_s2 };
        return true;
    }
    out->df = 2 * special_trigamma_inverse(beyond);
    out->variance = exp(logs.mean_e + special_digamma(out->df / 2) - log(out->df / 2));
    return true;
}

double moderate_variance(const struct moderate_prior *prior, double s2, double df)
{
    if (isinf(prior->df))
        return prior->variance;
    if (!(df > 0))
        return prior->df > 0 ? prior->variance : NAN;
    return (prior->df * prior->variance + df * s2) / (prior->df + df);
}

double moderate_df(const struct moderate_prior *prior, double df, double df_pooled)
{
    const double sum = df + prior->df;

    return prior->df > 0 && sum > df_pooled ? df_pooled : sum;
}
