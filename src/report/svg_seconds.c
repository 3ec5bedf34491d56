/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/svg_seconds.h"

#include <math.h>

#include "base/units.h"

#define LEAST_FOR_P99 100

static void add_figure(struct second_point *p, enum second_line line, double value)
{
    if (isnan(value))
        return;
    p->low[line] = isnan(p->low[line]) ? value : fmin(p->low[line], value);
    p->high[line] = isnan(p->high[line]) ? value : fmax(p->high[line], value);
}

/* is_short: the rest of a second. Few requests of it would look like a fall or a rise: its maximum alone is kept. */
static int add_interval(struct second_point *p, const struct interval *v, bool is_short, struct hist *h,
                        struct err *err)
{
    hist_reset(h);
    if (interval_get_latency(v, h, err) != 0)
        return -1;
    if (is_short) {
        add_figure(p, SECOND_MAX, hist_count(h) > 0 ? (double)hist_max_ns(h) / NS_PER_S : NAN);
        return 0;
    }
    add_figure(p, SECOND_RATE, v->length_s > 0 ? (double)v->ok / v->length_s : NAN);
    if (hist_count(h) > 0) {
        add_figure(p, SECOND_P50, (double)hist_value_at(h, 50) / NS_PER_S);
        add_figure(p, SECOND_MAX, (double)hist_max_ns(h) / NS_PER_S);
    }
    if (hist_count(h) >= LEAST_FOR_P99)
        add_figure(p, SECOND_P99, (double)hist_value_at(h, 99) / NS_PER_S);
    p->failed_per_s = fmax(p->failed_per_s, v->length_s > 0 ? (double)v->failed / v->length_s : 0);
    return 0;
}

static void sum_up(struct seconds *s, const struct result *r)
{
    const struct interval *last = &r->intervals[r->interval_count - 1];

    s->end_s = last->t_s + last->length_s;
    s->rate_asked = r->generator.rate_asked;
    s->failed = r->totals.failed;
    s->lowest_latency = (double)INFINITY;
    for (size_t i = 0; i < s->count; i++) {
        for (int line = 0; line < SECOND_LINES; line++)
            s->highest[line] = fmax(s->highest[line], s->points[i].high[line]);
        s->lowest_latency = fmin(s->lowest_latency, s->points[i].low[SECOND_P50]);
        s->most_failed = fmax(s->most_failed, s->points[i].failed_per_s);
    }
    s->highest[SECOND_RATE] = fmax(s->highest[SECOND_RATE], s->rate_asked);
}

int seconds_collect(struct seconds *s, const struct result *r, struct err *err)
{
    const size_t group = (r->interval_count + SECONDS_POINTS - 1) / SECONDS_POINTS;
    struct hist *h = NULL;
    int rc = hist_new(&h, err);

    for (size_t i = 0; i < r->interval_count && rc == 0; i++) {
        const bool is_short = i > 0 && r->intervals[i].length_s < 0.5 * r->intervals[0].length_s;
        struct second_point *p = &s->points[is_short && i % group == 0 ? s->count - 1 : i / group];

        if (i % group == 0 && !is_short) {
            *p = (struct second_point){ .t_s = r->intervals[i].t_s };
            for (int line = 0; line < SECOND_LINES; line++)
                p->low[line] = p->high[line] = NAN;
            s->count++;
        }
        rc = add_interval(p, &r->intervals[i], is_short, h, err);
    }
    hist_free(h);
    if (rc == 0)
        sum_up(s, r);
    return rc;
}

double seconds_middle(const struct seconds *s, size_t point)
{
    const double half = s->count > 1 ? (s->points[1].t_s - s->points[0].t_s) / 2 : s->end_s / 2;

    return fmin(s->points[point].t_s + half, s->end_s);
}

void seconds_draw(struct svg *svg, const struct seconds *s, const struct svg_scale *x, const struct svg_scale *y,
                  enum second_line line, const char *class, const char *fill)
{
    bool is_down = false;

    svg_path_begin(svg, class);
    for (size_t i = 0; i < s->count; i++) {
        const struct second_point *p = &s->points[i];
        const double at = svg_scale_at(x, seconds_middle(s, i));

        svg_path_point(svg, &is_down, at, svg_scale_at(y, p->low[line]));
        if (p->high[line] > p->low[line])
            svg_path_point(svg, &is_down, at, svg_scale_at(y, p->high[line]));
    }
    svg_path_end(svg);
    /* A line needs two points. */
    if (s->count == 1 && isfinite(svg_scale_at(y, s->points[0].low[line])))
        svg_dot(svg, svg_scale_at(x, seconds_middle(s, 0)), svg_scale_at(y, s->points[0].low[line]), 3, fill);
}
