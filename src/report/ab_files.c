/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/ab_report.h"

#include <inttypes.h>
#include <time.h>

/* Rounded, unlike the table's ranks; 100 is the last. Where ab would read beyond its figures (few requests), the last
 * too. */
static size_t rounded_rank(size_t count, unsigned percent)
{
    const size_t rank = percent == 0 ? 0 : (size_t)(0.5 + (double)count * percent / 100.0);

    return percent >= 100 || rank >= count ? count - 1 : rank;
}

void ab_report_csv(const struct ab_report *r, struct buf *out)
{
    buf_add_str(out, "Percentage served,Time in ms\n");
    for (unsigned percent = 0; percent <= 100 && r->count > 0; percent++)
        buf_printf(out, "%u,%.3f\n", percent, (double)r->samples[rounded_rank(r->count, percent)].total_us / 1000.0);
}

void ab_report_gnuplot(const struct ab_report *r, struct buf *out)
{
    buf_add_str(out, "starttime\tseconds\tctime\tdtime\tttime\twait\n");
    for (size_t i = 0; i < r->count; i++) {
        const struct ab_sample *s = &r->samples[i];
        const time_t seconds = (time_t)(s->started_wall_us / 1000000);
        char when[64] = "";
        struct tm tm;
        if (localtime_r(&seconds, &tm) != NULL)
            strftime(when, sizeof(when), "%a %b %e %H:%M:%S %Y", &tm);
        buf_printf(out, "%s\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\n", when,
                   s->started_wall_us / 1000000, ab_round_ms(s->connect_us), ab_round_ms(s->total_us - s->connect_us),
                   ab_round_ms(s->total_us), ab_round_ms(s->wait_us));
    }
}
