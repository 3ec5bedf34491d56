/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/adjust.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

static int by_p(const void *a, const void *b, void *p)
{
    const double x = ((const double *)p)[*(const size_t *)a], y = ((const double *)p)[*(const size_t *)b];

    return (x > y) - (x < y);
}

/* The tested ones in rising order; all others get their NaN. Returns how many. */
static size_t sort_tested(double *out, const double *p, size_t n, size_t *order)
{
    size_t m = 0;

    for (size_t i = 0; i < n; i++) {
        out[i] = NAN;
        if (!isnan(p[i]))
            order[m++] = i;
    }
    qsort_r(order, m, sizeof(order[0]), by_p, (void *)(uintptr_t)p);
    return m;
}

void adjust_holm(double *out, const double *p, size_t n, size_t *order)
{
    const size_t m = sort_tested(out, p, n, order);
    double least = 0;

    for (size_t i = 0; i < m; i++) {
        least = fmax(least, fmin(1, p[order[i]] * (double)(m - i)));
        out[order[i]] = least;
    }
}

void adjust_benjamini_hochberg(double *out, const double *p, size_t n, size_t *order)
{
    const size_t m = sort_tested(out, p, n, order);
    double most = 1;

    for (size_t i = m; i-- > 0;) {
        most = fmin(most, p[order[i]] * (double)m / (double)(i + 1));
        out[order[i]] = most;
    }
}
