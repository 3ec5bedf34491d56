/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/summary.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a;
    const double y = *(const double *)b;

    return (x > y) - (x < y);
}

static double mean_of(const double *x, size_t n)
{
    long double sum = 0.0L;

    for (size_t i = 0; i < n; i++)
        sum += x[i];
    return (double)(sum / (long double)n);
}

/* Two passes: the one-pass formula loses all digits when the spread is small against the mean. */
static double stddev_of(const double *x, size_t n, double mean)
{
    long double squares = 0.0L;

    if (n < 2)
        return 0.0;
    for (size_t i = 0; i < n; i++)
        squares += ((long double)x[i] - mean) * ((long double)x[i] - mean);
    return (double)sqrtl(squares / (long double)(n - 1));
}

void summary_of(struct summary *out, double *x, size_t n)
{
    *out = (struct summary){ 0 };
    if (n == 0)
        return;
    qsort(x, n, sizeof(*x), by_size);
    out->count = n;
    out->mean = mean_of(x, n);
    out->stddev = stddev_of(x, n, out->mean);
    out->min = x[0];
    out->max = x[n - 1];
    out->median = n % 2 == 1 ? x[n / 2] : x[n / 2 - 1] + (x[n / 2] - x[n / 2 - 1]) / 2.0;
}

#define DECIMALS 9
#define ONE UINT64_C(1000000000) /* 1 with 9 decimals */

/* The percentile's digits: whole part and decimals without trailing zeros (an empty text when there are none). */
struct digits {
    uint64_t whole;
    char decimals[DECIMALS + 1];
};

static struct digits digits_of(double percentile)
{
    const double within = percentile > 0.0 ? (percentile < 100.0 ? percentile : 100.0) : 0.0; /* NaN gives 0 */
    const uint64_t scaled = (uint64_t)llround(within * (double)ONE);
    struct digits d = { .whole = scaled / ONE };
    uint64_t rest = scaled % ONE;
    size_t len = DECIMALS;

    for (size_t i = len; i-- > 0; rest /= 10)
        d.decimals[i] = (char)('0' + rest % 10);
    while (len > 0 && d.decimals[len - 1] == '0')
        len--;
    d.decimals[len] = '\0';
    return d;
}

const char *summary_percentile_key(char out[SUMMARY_KEY_MAX], double percentile)
{
    const struct digits d = digits_of(percentile);

    if (d.decimals[0] == '\0')
        snprintf(out, SUMMARY_KEY_MAX, "p%" PRIu64, d.whole);
    else
        snprintf(out, SUMMARY_KEY_MAX, "p%02" PRIu64 "%s", d.whole, d.decimals);
    return out;
}

const char *summary_percentile_label(char out[SUMMARY_KEY_MAX], double percentile)
{
    const struct digits d = digits_of(percentile);

    snprintf(out, SUMMARY_KEY_MAX, "p%" PRIu64 "%s%s", d.whole, d.decimals[0] != '\0' ? "." : "", d.decimals);
    return out;
}
