/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/special.h"

#include <math.h>

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_errno.h>
#include <gsl/gsl_randist.h>
#include <gsl/gsl_sf_psi.h>

/* Beyond this many degrees of freedom t and the normal differ by less than 1e-9. */
#define DF_NORMAL 1e8

__attribute__((constructor)) static void keep_gsl_from_aborting(void)
{
    gsl_set_error_handler_off();
}

double special_t_two_sided(double t, double df)
{
    if (isnan(t) || isnan(df) || df <= 0)
        return NAN;
    if (isinf(t))
        return 0;
    if (df > DF_NORMAL)
        return 2 * gsl_cdf_ugaussian_Q(fabs(t));
    return gsl_cdf_beta_P(df / (df + t * t), df / 2, 0.5);
}

/* GSL's quantile, then Newton's steps on the tail that two_sided() gives. */
static double t_upper_quantile(double tail, double df)
{
    double t = gsl_cdf_tdist_Qinv(tail, df);

    for (int i = 0; i < 3 && isfinite(t) && t > 0; i++) {
        const double slope = gsl_ran_tdist_pdf(t, df);
        const double step = slope > 0 ? (special_t_two_sided(t, df) / 2 - tail) / slope : 0;

        if (!isfinite(step) || fabs(step) > t / 2)
            break;
        t += step;
    }
    return t;
}

double special_t_quantile(double p, double df)
{
    if (isnan(df) || df <= 0 || !(p > 0 && p < 1))
        return NAN;
    if (df > DF_NORMAL)
        return special_normal_quantile(p);
    if (p == 0.5)
        return 0;
    return p > 0.5 ? t_upper_quantile(1 - p, df) : -t_upper_quantile(p, df);
}

double special_normal_quantile(double p)
{
    return p > 0 && p < 1 ? gsl_cdf_ugaussian_Pinv(p) : NAN;
}

double special_digamma(double x)
{
    gsl_sf_result r;

    return x > 0 && isfinite(x) && gsl_sf_psi_e(x, &r) == GSL_SUCCESS ? r.val : NAN;
}

double special_trigamma(double x)
{
    gsl_sf_result r;

    return x > 0 && isfinite(x) && gsl_sf_psi_1_e(x, &r) == GSL_SUCCESS ? r.val : NAN;
}

static double tetragamma(double x)
{
    gsl_sf_result r;

    return gsl_sf_psi_n_e(2, x, &r) == GSL_SUCCESS ? r.val : NAN;
}

double special_trigamma_inverse(double y)
{
    double x;

    if (!(y > 0) || isinf(y))
        return NAN;
    if (y > 1e7)
        return 1 / sqrt(y);
    if (y < 1e-6)
        return 1 / y;
    x = 0.5 + 1 / y;
    for (int i = 0; i < 50; i++) {
        const double trigamma = special_trigamma(x);
        const double step = trigamma * (1 - trigamma / y) / tetragamma(x);

        x += step;
        if (!(fabs(step) > 1e-12 * x))
            break;
    }
    return x;
}

double special_ln_choose(double n, double k)
{
    if (!(k >= 0 && k <= n))
        return NAN;
    return lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1);
}
