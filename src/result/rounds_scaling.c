/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "result/rounds_scaling.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/units.h"

#define PEAK_MATTERS 0.02 /* of a peak with and without failures */

static int no_memory(struct err *err)
{
    return err_set(err, ERR_SYSTEM, ENOMEM, "no memory for the scaling law");
}

static size_t collect_points(struct usl_point *points, const struct rounds_size *sizes, size_t count, bool discounted)
{
    size_t n = 0;

    for (size_t i = 0; i < count && n < USL_POINTS_MAX; i++) /* nobody measures more: the law is for few */
        if (sizes[i].mean_count > 0)
            points[n++] = (struct usl_point){ .n = sizes[i].concurrency,
                                              .mean_s = discounted ? sizes[i].discounted : sizes[i].means,
                                              .samples = sizes[i].mean_count };
    return n;
}

int rounds_fit(struct usl *out, const struct rounds_size *sizes, size_t count, bool discounted, struct err *err)
{
    struct usl_point points[USL_POINTS_MAX];

    return usl_fit(out, points, collect_points(points, sizes, count, discounted), err);
}

static struct rounds_interval interval(const double both[2])
{
    return (struct rounds_interval){ both[0], both[1] };
}

static void take_law(struct rounds_scaling *s, const struct usl *u)
{
    s->rms = u->rms;
    if (u->verdict != USL_FITS)
        return;
    s->lambda = u->law.lambda;
    s->sigma = u->law.sigma;
    s->kappa = u->law.kappa;
    s->peak_concurrency = isfinite(u->law.peak) ? u->law.peak : NAN;
    s->extrapolated = u->extrapolated;
    if (!u->has_intervals)
        return;
    s->lambda_interval = interval(u->lambda);
    s->sigma_interval = interval(u->sigma);
    s->kappa_interval = interval(u->kappa);
    s->peak_interval = interval(u->peak);
}

static const char *each_s(char out[UNITS_TEXT_MAX], double s)
{
    return units_format_duration(out, s * NS_PER_S);
}

static double mean_of(const struct usl_point *p)
{
    double sum = 0;

    for (size_t i = 0; i < p->samples; i++)
        sum += p->mean_s[i];
    return sum / (double)p->samples;
}

static int say_why_not(char **note, const struct usl *u, const struct usl_point *points, size_t count)
{
    char few[UNITS_TEXT_MAX], one[UNITS_TEXT_MAX];

    if (u->verdict == USL_TOO_FEW_POINTS)
        return asprintf(note, "%zu size%s: the law needs %u at least", count, count == 1 ? "" : "s", USL_POINTS_MIN);
    if (u->is_faster && points[0].n == 1)
        return asprintf(note, "%.0f at once took %s each, less than one alone (%s): the law has no room for that",
                        points[u->faster].n, each_s(few, mean_of(&points[u->faster])),
                        each_s(one, mean_of(&points[0])));
    if (u->is_faster)
        return asprintf(note, "%.0f at once took %s each, less than %.0f did (%s): the law has no room for that",
                        points[u->faster].n, each_s(few, mean_of(&points[u->faster])), points[0].n,
                        each_s(one, mean_of(&points[0])));
    return asprintf(note, "the sizes lie %.1f %% off the law", u->rms * 100);
}

static bool counts_failures(const struct rounds_size *sizes, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (sizes[i].counts_failures)
            return true;
    return false;
}

static enum scaling_verdict verdict_of(enum usl_verdict v)
{
    switch (v) {
    case USL_FITS:
        return SCALING_FITS;
    case USL_DOES_NOT_FIT:
        return SCALING_DOES_NOT_FIT;
    case USL_TOO_FEW_POINTS:
        break;
    }
    return SCALING_TOO_FEW_POINTS;
}

/* A law of averages that count failures, which are too low: says where the peak is without them. */
static int say_discounted(char **note, const struct usl *u, const struct usl *without, struct err *err)
{
    if (without->verdict != USL_FITS || !isfinite(without->law.peak) || !isfinite(u->law.peak) ||
        fabs(without->law.peak / u->law.peak - 1) < PEAK_MATTERS)
        return 0;
    return asprintf(note, "averages count failures; without them the peak is at %.1f", without->law.peak) < 0
               ? no_memory(err)
               : 0;
}

static int say(char **note, const struct usl *u, const struct usl *without, const struct rounds_size *sizes,
               size_t count, struct err *err)
{
    struct usl_point points[USL_POINTS_MAX];
    size_t n;

    if (u->verdict == USL_FITS && !without->is_faster)
        return say_discounted(note, u, without, err);
    n = collect_points(points, sizes, count, true);
    return say_why_not(note, without, points, n) < 0 ? no_memory(err) : 0;
}

/* Averages that count failures are fitted as they are, as those who published them did; when that does not fit,
 * without the failures. */
static int scale_series(struct rounds_scaling *s, const struct rounds_size *sizes, size_t count, struct err *err)
{
    struct usl u, without;

    if (rounds_fit(&u, sizes, count, false, err) != 0)
        return -1;
    without = u;
    if (counts_failures(sizes, count) && rounds_fit(&without, sizes, count, true, err) != 0)
        return -1;
    if (u.verdict != USL_FITS)
        u = without;
    s->verdict = verdict_of(u.verdict);
    take_law(s, &u);
    free(s->note);
    s->note = NULL;
    return say(&s->note, &u, &without, sizes, count, err);
}

int rounds_scale(struct rounds_result *r, struct err *err)
{
    struct rounds_sizes sizes;
    int failed = rounds_sizes_of(&sizes, r, err);

    for (uint32_t i = 0; i < r->series_count && failed == 0; i++) {
        size_t count;
        const struct rounds_size *of = rounds_sizes_of_series(&sizes, i, &count);

        failed = scale_series(&r->series[i].scaling, of, count, err);
    }
    rounds_sizes_release(&sizes);
    return failed;
}

double rounds_scaling_duration_s(const struct rounds_scaling *s, double n)
{
    const struct usl_law law = { s->lambda, s->sigma, s->kappa, s->peak_concurrency };

    return s->verdict == SCALING_FITS ? usl_duration_s(&law, n) : NAN;
}
