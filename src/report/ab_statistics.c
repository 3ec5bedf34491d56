/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/ab_report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Comparing costs more than counting here: the times of a million requests are sorted five times, inside what is
 * compared with ab's CPU time. Radix sort from the lowest digit; digits above the largest value are all 0 and left out.
 */
enum { DIGIT_BITS = 11, DIGITS = 1 << DIGIT_BITS };

static void sort_by_digit(const uint64_t *from, uint64_t *to, size_t count, unsigned shift)
{
    size_t starts[DIGITS] = { 0 };
    size_t sum = 0;

    for (size_t i = 0; i < count; i++)
        starts[(from[i] >> shift) & (DIGITS - 1)]++;
    for (size_t d = 0; d < DIGITS; d++) {
        const size_t n = starts[d];
        starts[d] = sum;
        sum += n;
    }
    for (size_t i = 0; i < count; i++)
        to[starts[(from[i] >> shift) & (DIGITS - 1)]++] = from[i];
}

/* By the bits from first_bit on; equal ones keep their order. spare holds as many. */
static void sort_values(uint64_t *values, uint64_t *spare, size_t count, unsigned first_bit)
{
    uint64_t *from = values, *to = spare;
    uint64_t all = 0;

    for (size_t i = 0; i < count; i++)
        all |= values[i];
    for (unsigned shift = first_bit; shift < 64 && all >> shift != 0; shift += DIGIT_BITS) {
        sort_by_digit(from, to, count, shift);
        uint64_t *const swap = from;
        from = to;
        to = swap;
    }
    if (from != values && count > 0)
        memcpy(values, from, count * sizeof(values[0]));
}

/* Keys of total time and index; times above an hour and more are alike. */
bool ab_sort_by_total(struct ab_sample *samples, size_t count)
{
    enum { INDEX_BITS = 32 };
    uint64_t *const keys = calloc(count + 1, 2 * sizeof(keys[0]));
    struct ab_sample *const sorted = calloc(count + 1, sizeof(sorted[0]));
    const bool ok = keys != NULL && sorted != NULL && count <= UINT32_MAX;

    for (size_t i = 0; ok && i < count; i++)
        keys[i] = (samples[i].total_us < UINT32_MAX ? samples[i].total_us : UINT32_MAX) << INDEX_BITS | i;
    if (ok) {
        sort_values(keys, keys + count, count, INDEX_BITS);
        for (size_t i = 0; i < count; i++)
            sorted[i] = samples[keys[i] & UINT32_MAX];
        if (count > 0)
            memcpy(samples, sorted, count * sizeof(samples[0]));
    }
    free(keys);
    free(sorted);
    return ok;
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

/* The values are sorted in place; as much room follows them. */
static void times_of(struct ab_times *out, uint64_t *values, size_t count)
{
    uint64_t sum = 0;
    double squares = 0.0;

    sort_values(values, values + count, count, 0);
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
    uint64_t *const values = calloc(count, 2 * sizeof(values[0]));
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
