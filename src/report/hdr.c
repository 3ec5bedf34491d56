/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/hdr.h"

#include <inttypes.h>
#include <math.h>

#define TICKS_PER_HALF 5
#define NS_PER_MS_F 1e6
/* Beyond it doubles can not count on: one in 10^12. */
#define LAST_STEP (100 - 1e-10)

/* The next percentile to print: steps of 100 % / (ticks · 2^(halvings + 1)), where halvings is how often the distance
 * to 100 % has been halved so far. From 0 that is 10, 20 … 50, 55, 60 … 75, 77.5 … */
static double next_percentile(double percentile)
{
    const double halvings = floor(log2(100 / (100 - percentile)));

    return percentile + 100 / (TICKS_PER_HALF * exp2(halvings + 1));
}

static void add_line(struct buf *out, uint64_t ns, double percentile, uint64_t cumulative)
{
    buf_printf(out, "%12.3f %2.12f %10" PRIu64, (double)ns / NS_PER_MS_F, percentile / 100, cumulative);
    if (percentile < 100)
        buf_printf(out, " %14.2f\n", 1 / (1 - percentile / 100));
    else
        buf_add_str(out, "\n");
}

static double share_at(const struct hist_iter *it, uint64_t total)
{
    return 100.0 * (double)it->cumulative / (double)total;
}

static uint64_t clamped(uint64_t ns, const struct hist *h)
{
    const uint64_t max = hist_max_ns(h);

    return ns < max ? ns : max;
}

static void add_lines(struct buf *out, const struct hist *h)
{
    const uint64_t total = hist_count(h);
    struct hist_iter it;
    double percentile = 0;

    hist_iter_init(&it, h);
    while (hist_iter_next(&it)) {
        while (it.cumulative < total && percentile <= share_at(&it, total) && percentile < LAST_STEP) {
            add_line(out, clamped(it.high_ns, h), percentile, it.cumulative);
            percentile = next_percentile(percentile);
        }
    }
    if (total > 0)
        add_line(out, hist_max_ns(h), 100, total);
}

void report_hdr(struct buf *out, const struct hist *h)
{
    buf_add_str(out, "       Value     Percentile TotalCount 1/(1-Percentile)\n\n");
    add_lines(out, h);
    buf_printf(out, "#[Mean    = %12.3f, StdDeviation   = %12.3f]\n", hist_mean_ns(h) / NS_PER_MS_F,
               hist_stddev_ns(h) / NS_PER_MS_F);
    buf_printf(out, "#[Max     = %12.3f, Total count    = %12" PRIu64 "]\n", (double)hist_max_ns(h) / NS_PER_MS_F,
               hist_count(h));
    buf_printf(out, "#[Buckets = %12u, SubBuckets     = %12u]\n", HIST_SLOTS / HIST_SUB_HALF - 1, HIST_SUB_COUNT);
}
