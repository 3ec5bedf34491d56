/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The Universal Scalability Law: how the throughput of N at once grows with N, where it peaks, and whether it can be
 * said at all.
 *
 * SUMMARY (Gunther 1993, "A simple capacity model of massively parallel transaction systems", CMG Conf.; 2007,
 * Guerrilla Capacity Planning, ch. 4 to 6).
 *
 *     X(N) = lambda N / (1 + sigma (N-1) + kappa N (N-1)),        X = N / mean duration, so
 *     T(N) = (1 + sigma (N-1) + kappa N (N-1)) / lambda
 *
 * lambda: what one alone does per second; sigma: the share that waits for its turn (Amdahl); kappa: the price of each
 * pair's getting along with one another. X has its peak at sqrt((1 - sigma) / kappa); without kappa it never falls.
 *
 * FIT. Least squares on ln X (an error of 3 % weighs alike where X is small and where it is large), sigma and kappa not
 * below 0. The mean of a round of N copies is known the better the more copies it has: part of its noise is shared by
 * all of them, part averages out. So point N has the weight N / (N + USL_NOISE_RATIO), the ratio being that of the two
 * variances. Bounds: the unbounded optimum when it keeps them, else the best of the edges (one of the two zero, or
 * both), which for two bounds is the exact answer. GSL's trust region method (multifit_nlinear) does each of these.
 *
 * INTERVALS. 95 %, by the percentile bootstrap: every point's samples are drawn again with replacement, USL_RESAMPLES
 * times, from a fixed seed. With one sample at any point there is none.
 *
 * WHETHER IT CAN BE SAID. Below USL_POINTS_MIN different N: too few points. Root mean square of ln X - ln X(N) (not
 * weighted) above USL_RMS_MAX: does not fit; the numbers are then kept, for whoever wants to know, but mean nothing.
 * `faster` is the usual reason for it: at that point each of N took more than 5 % less time than one alone, which this
 * law has no room for.
 *
 * WORKED EXAMPLE. Pushes on four cells, 1 2 4 8 16 32 at once, on average 32.1 32.295 33.905 36.1487 46.0206 72.0588 s:
 * lambda 0.0315, sigma 0.0166, kappa 0.000765; peak at 35.9. */
#ifndef PLIMSOLL_STATS_USL_H
#define PLIMSOLL_STATS_USL_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

#define USL_POINTS_MIN 4u
#define USL_POINTS_MAX 256u
#define USL_RMS_MAX 0.05
#define USL_FASTER 0.05
#define USL_NOISE_RATIO 4.0
#define USL_RESAMPLES 1000u
#define USL_PEAK_FAR 100.0 /* a peak beyond so many times the largest N is none */

struct usl_point {
    double n;             /* at once; at least 1 */
    const double *mean_s; /* of each sample (round): the mean duration; the caller's */
    size_t samples;
};

enum usl_verdict { USL_FITS, USL_TOO_FEW_POINTS, USL_DOES_NOT_FIT };
const char *usl_verdict_text(enum usl_verdict v); /* "fits", "too few points", "does not fit" */

struct usl_law {
    double lambda, sigma, kappa; /* lambda per second */
    double peak;                 /* N; INFINITY: none */
};

struct usl {
    enum usl_verdict verdict;
    struct usl_law law; /* NaN with too few points */
    double rms;         /* of ln X */
    double n_max;       /* the largest N measured */
    bool extrapolated;  /* the peak lies beyond it */
    bool has_intervals;
    double lambda[2], sigma[2], kappa[2], peak[2]; /* 95 % */
    bool is_faster;
    size_t faster; /* index of the point that took least, when is_faster */
};

/* points in rising order of n, every n once, every mean above 0; others are our bug. -1: out of memory, or more than
 * USL_POINTS_MAX points. */
MUST_CHECK int usl_fit(struct usl *out, const struct usl_point *points, size_t count, struct err *err);

double usl_duration_s(const struct usl_law *law, double n);
/* The largest N whose duration is below limit_s: INFINITY when all are, 0 when not even one alone is. */
double usl_largest_within(const struct usl_law *law, double limit_s);

#endif
