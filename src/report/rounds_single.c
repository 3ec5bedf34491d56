/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One command at a time, several times: what hyperfine's users look for. */
#include <math.h>
#include <stdlib.h>

#include "report/rounds_parts.h"
#include "stats/outliers.h"
#include "stats/summary.h"

bool rounds_is_single(const struct rounds_report *p, uint32_t series)
{
    size_t count;
    const struct rounds_size *sizes = rounds_sizes_of_series(&p->sizes, series, &count);

    return count == 1 && sizes->concurrency == 1 && sizes->mean_count > 1;
}

/* Mean of the copies' user and system times; NAN where not known. */
static double mean_usage(const struct rounds_report *p, uint32_t series, bool user)
{
    double sum = 0;
    size_t n = 0;

    for (size_t i = 0; i < p->rounds->round_count; i++) {
        const struct rounds_round *round = &p->rounds->rounds[i];

        for (size_t k = 0; round->series == series && k < round->copy_count; k++) {
            const double s = user ? round->copies[k].user_s : round->copies[k].sys_s;

            if (!round->copies[k].ok || isnan(s))
                continue;
            sum += s;
            n++;
        }
    }
    return n > 0 ? sum / (double)n : NAN;
}

static void warn_of_outliers(const struct rounds_report *p, const struct outliers *o)
{
    if (o->first)
        section_line(&p->s, "  Note",
                     "the first round was much slower than the others: something was cold. --warmup, "
                     "or --setup to make it so every time");
    if (o->count > (o->first ? 1u : 0u))
        section_line(&p->s, "  Note", "%zu outlier%s: was something else running? More rounds on a quiet machine help",
                     o->count, o->count > 1 ? "s" : "");
}

void rounds_part_single(const struct rounds_report *p, uint32_t series)
{
    size_t count;
    const struct rounds_size *size = rounds_sizes_of_series(&p->sizes, series, &count);
    double *x = calloc(2 * size->mean_count, sizeof(*x));
    char mean[UNITS_TEXT_MAX], sd[UNITS_TEXT_MAX], min[UNITS_TEXT_MAX], max[UNITS_TEXT_MAX], median[UNITS_TEXT_MAX];
    struct outliers outliers;
    struct summary sum;

    if (x == NULL) {
        (void)buf_reserve(p->s.out, SIZE_MAX);
        return;
    }
    outliers_of(&outliers, size->means, size->mean_count, x);
    for (size_t i = 0; i < size->mean_count; i++)
        x[i] = size->means[i];
    summary_of(&sum, x, size->mean_count);
    buf_add_str(p->s.out, "\nOne at a time\n");
    section_line(&p->s, "  Time", "%s +- %s (mean +- stddev), median %s", rounds_time(mean, sum.mean),
                 rounds_time(sd, sum.stddev), rounds_time(median, sum.median));
    section_line(&p->s, "  Range", "%s ... %s, %zu round%s", rounds_time(min, sum.min), rounds_time(max, sum.max),
                 sum.count, units_plural(sum.count));
    if (!isnan(mean_usage(p, series, true)))
        section_line(&p->s, "  CPU", "%s user, %s system (means)", rounds_time(mean, mean_usage(p, series, true)),
                     rounds_time(sd, mean_usage(p, series, false)));
    if (size->failed > 0)
        section_line(&p->s, "  Failed", "%llu round%s, in none of these figures", (unsigned long long)size->failed,
                     units_plural(size->failed));
    warn_of_outliers(p, &outliers);
    free(x);
}
