/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/ab_report.h"

#include <math.h>
#include <stdlib.h>

static int by_total(const void *a, const void *b)
{
    const struct ab_sample *x = a, *y = b;

    return x->total_us < y->total_us ? -1 : x->total_us > y->total_us;
}

static int by_value(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return x < y ? -1 : x > y;
}

void ab_sort_by_total(struct ab_sample *samples, size_t count)
{
    if (count > 1)
        qsort(samples, count, sizeof(samples[0]), by_total);
}

size_t ab_rank(size_t count, unsigned percent)
{
    const size_t rank = (size_t)((uint64_t)count * percent / 100);

    if (count == 0)
        return 0;
    return percent >= 100 || rank >= count ? count - 1 : rank;
}

static uint64_t median(const uint64_t *sorted, size_t count)
{
    if (count > 1 && count % 2 == 1)
        return (sorted[count / 2] + sorted[count / 2 + 1]) / 2;
    return sorted[count / 2];
}

/* The values are sorted in place. */
static void times_of(struct ab_times *out, uint64_t *values, size_t count)
{
    uint64_t sum = 0;
    double squares = 0.0;

    qsort(values, count, sizeof(values[0]), by_value);
    for (size_t i = 0; i < count; i++)
        sum += values[i];
    const uint64_t mean = sum / count;
    for (size_t i = 0; i < count; i++) {
        const double d = (double)values[i] - (double)mean;
        squares += d * d;
    }
    out->min_ms = ab_round_ms(values[0]);
    out->mean_ms = ab_round_ms(mean);
    out->median_ms = ab_round_ms(median(values, count));
    out->max_ms = ab_round_ms(values[count - 1]);
    out->sd_ms = count > 1 ? sqrt(squares / (double)(count - 1)) / 1000.0 : 0.0;
}

bool ab_statistics_of(struct ab_statistics *out, const struct ab_sample *samples, size_t count)
{
    *out = (struct ab_statistics){ 0 };
    if (count == 0)
        return true;
    uint64_t *const values = calloc(count, sizeof(values[0]));
    if (values == NULL)
        return false;
    for (size_t i = 0; i < count; i++)
        values[i] = samples[i].connect_us;
    times_of(&out->connect, values, count);
    for (size_t i = 0; i < count; i++)
        values[i] = samples[i].total_us - samples[i].connect_us;
    times_of(&out->processing, values, count);
    for (size_t i = 0; i < count; i++)
        values[i] = samples[i].wait_us;
    times_of(&out->waiting, values, count);
    for (size_t i = 0; i < count; i++)
        values[i] = samples[i].total_us;
    times_of(&out->total, values, count);
    free(values);
    return true;
}

struct slice ab_report_software(const struct ab_report *r)
{
    struct slice rest = slice_trim(slice_str(r->server_software));

    return slice_split(&rest, ' ');
}

uint64_t ab_report_failed(const struct ab_report *r)
{
    return r->failed_connect + r->failed_receive + r->failed_length + r->failed_exceptions;
}

double ab_report_per_s(const struct ab_report *r, uint64_t amount)
{
    return r->time_taken_s > 0.0 ? (double)amount / r->time_taken_s : 0.0;
}
