/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/svg.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/units.h"
#include "report/svg_axes.h"

enum { WIDTH = 860, POINTS_MAX = 400, PANEL_HEIGHT = 150, PANEL_GAP = 56, FIRST_TOP = 84 };
#define LEAST_FOR_P99 100
#define BUSY_RANGE 20

/* One interval's figures; a group of them keeps the lowest and the highest of each. */
enum line { LINE_RATE, LINE_P50, LINE_P99, LINE_MAX, LINES };

struct point {
    double t_s;
    double low[LINES], high[LINES]; /* NAN: not known */
    double failed_per_s;
};

struct series {
    struct point points[POINTS_MAX];
    size_t count;
    double end_s, rate_asked;
    uint64_t failed;
    double highest[LINES], lowest_latency, most_failed;
};

static void add_figure(struct point *p, enum line line, double value)
{
    if (isnan(value))
        return;
    p->low[line] = isnan(p->low[line]) ? value : fmin(p->low[line], value);
    p->high[line] = isnan(p->high[line]) ? value : fmax(p->high[line], value);
}

/* is_short: the rest of a second. Few requests of it would look like a fall or a rise: its maximum alone is kept. */
static int add_interval(struct point *p, const struct interval *v, bool is_short, struct hist *h, struct err *err)
{
    hist_reset(h);
    if (interval_get_latency(v, h, err) != 0)
        return -1;
    if (is_short) {
        add_figure(p, LINE_MAX, hist_count(h) > 0 ? (double)hist_max_ns(h) / NS_PER_S : NAN);
        return 0;
    }
    add_figure(p, LINE_RATE, v->length_s > 0 ? (double)v->ok / v->length_s : NAN);
    if (hist_count(h) > 0) {
        add_figure(p, LINE_P50, (double)hist_value_at(h, 50) / NS_PER_S);
        add_figure(p, LINE_MAX, (double)hist_max_ns(h) / NS_PER_S);
    }
    if (hist_count(h) >= LEAST_FOR_P99)
        add_figure(p, LINE_P99, (double)hist_value_at(h, 99) / NS_PER_S);
    p->failed_per_s = fmax(p->failed_per_s, v->length_s > 0 ? (double)v->failed / v->length_s : 0);
    return 0;
}

static void sum_up(struct series *s, const struct result *r)
{
    const struct interval *last = &r->intervals[r->interval_count - 1];

    s->end_s = last->t_s + last->length_s;
    s->rate_asked = r->generator.rate_asked;
    s->failed = r->totals.failed;
    s->lowest_latency = (double)INFINITY;
    for (size_t i = 0; i < s->count; i++) {
        for (int line = 0; line < LINES; line++)
            s->highest[line] = fmax(s->highest[line], s->points[i].high[line]);
        s->lowest_latency = fmin(s->lowest_latency, s->points[i].low[LINE_P50]);
        s->most_failed = fmax(s->most_failed, s->points[i].failed_per_s);
    }
    s->highest[LINE_RATE] = fmax(s->highest[LINE_RATE], s->rate_asked);
}

static int collect(struct series *s, const struct result *r, struct err *err)
{
    const size_t group = (r->interval_count + POINTS_MAX - 1) / POINTS_MAX;
    struct hist *h = NULL;
    int rc = hist_new(&h, err);

    for (size_t i = 0; i < r->interval_count && rc == 0; i++) {
        const bool is_short = i > 0 && r->intervals[i].length_s < 0.5 * r->intervals[0].length_s;
        struct point *p = &s->points[is_short && i % group == 0 ? s->count - 1 : i / group];

        if (i % group == 0 && !is_short) {
            *p = (struct point){ .t_s = r->intervals[i].t_s };
            for (int line = 0; line < LINES; line++)
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

static void draw_line(struct svg *svg, const struct series *s, const struct svg_scale *x, const struct svg_scale *y,
                      enum line line, const char *class)
{
    const double half = s->count > 1 ? (s->points[1].t_s - s->points[0].t_s) / 2 : s->end_s / 2;
    bool is_down = false;

    svg_path_begin(svg, class);
    for (size_t i = 0; i < s->count; i++) {
        const struct point *p = &s->points[i];
        const double at = svg_scale_at(x, fmin(p->t_s + half, s->end_s));

        svg_path_point(svg, &is_down, at, svg_scale_at(y, p->low[line]));
        if (p->high[line] > p->low[line])
            svg_path_point(svg, &is_down, at, svg_scale_at(y, p->high[line]));
    }
    svg_path_end(svg);
    /* A line needs two points. */
    if (s->count == 1 && isfinite(svg_scale_at(y, s->points[0].low[line])))
        svg_dot(svg, svg_scale_at(x, s->points[0].t_s + half), svg_scale_at(y, s->points[0].low[line]), 3, "f0");
}

static struct svg_panel panel(int n)
{
    const double top = FIRST_TOP + n * (PANEL_HEIGHT + PANEL_GAP);

    return (struct svg_panel){ 76, top, WIDTH - 20, top + PANEL_HEIGHT };
}

static void draw_rate(struct svg *svg, const struct series *s, const struct svg_scale *x)
{
    const struct svg_panel p = panel(0);
    const struct svg_scale y = svg_scale_around(0, s->highest[LINE_RATE], false, p.bottom, p.top);
    double legend = p.left + 170;

    svg_axis_left(svg, &p, &y, svg_label_number, "ok replies a second");
    svg_axis_below(svg, &p, x, svg_label_time, NULL);
    if (s->rate_asked > 0) {
        svg_line(svg, p.left, svg_scale_at(&y, s->rate_asked), p.right, svg_scale_at(&y, s->rate_asked), "promise");
        svg_text(svg, p.right, p.top - 8, SVG_END, "soft small", "dashed: asked for");
    }
    svg_legend(svg, &legend, p.top - 8, 0, false, "got");
    draw_line(svg, s, x, &y, LINE_RATE, "s0");
}

static void draw_latency(struct svg *svg, const struct series *s, const struct svg_scale *x)
{
    static const struct {
        enum line line;
        const char *name;
    } LINES_OF[] = { { LINE_MAX, "maximum" }, { LINE_P99, "p99" }, { LINE_P50, "p50" } };
    const struct svg_panel p = panel(1);
    const struct svg_scale y = svg_scale_around(s->lowest_latency, s->highest[LINE_MAX],
                                                s->highest[LINE_MAX] > BUSY_RANGE * s->lowest_latency, p.bottom, p.top);
    double legend = p.left + 170;

    svg_axis_left(svg, &p, &y, svg_label_time, "latency of ok requests");
    svg_axis_below(svg, &p, x, svg_label_time, NULL);
    for (unsigned i = 0; i < 3; i++) {
        char class[8];

        snprintf(class, sizeof(class), "s%u", 2 - i);
        draw_line(svg, s, x, &y, LINES_OF[i].line, class);
        svg_legend(svg, &legend, p.top - 8, 2 - i, false, LINES_OF[i].name);
    }
}

static void draw_failures(struct svg *svg, const struct series *s, const struct svg_scale *x)
{
    const struct svg_panel p = panel(2);
    const struct svg_scale y = svg_scale_around(0, s->most_failed, false, p.bottom, p.top);
    const double width = fmax(1, (p.right - p.left) / (double)s->count - 1);

    svg_axis_left(svg, &p, &y, svg_label_number, "failed requests a second");
    svg_axis_below(svg, &p, x, svg_label_time, NULL);
    for (size_t i = 0; i < s->count; i++)
        if (s->points[i].failed_per_s > 0)
            svg_rect(svg, svg_scale_at(x, s->points[i].t_s), svg_scale_at(&y, s->points[i].failed_per_s), width,
                     p.bottom - svg_scale_at(&y, s->points[i].failed_per_s), "bad");
}

static void describe(struct buf *out, const struct series *s, const struct svg_run *run)
{
    char ok[UNITS_TEXT_MAX], failed[UNITS_TEXT_MAX], time[UNITS_TEXT_MAX], rate[UNITS_TEXT_MAX];

    buf_printf(out, "%s: %s ok and %s failed requests in %s, %s ok replies a second on average.", run->name,
               units_format_count(ok, run->result->totals.ok), units_format_count(failed, s->failed),
               units_format_duration(time, s->end_s * NS_PER_S),
               units_format_number(rate, run->result->totals.requests_per_s));
}

static void draw(struct buf *out, const struct series *s, const struct svg_run *run)
{
    const int panels = s->most_failed > 0 ? 3 : 2;
    struct svg svg = { out, WIDTH, panel(panels - 1).bottom + 44 };
    const struct svg_panel first = panel(0), last = panel(panels - 1);
    const struct svg_scale x = { 0, s->end_s, false, first.left, first.right };
    struct buf text;

    buf_init(&text, BUF_TEXT_MAX_BYTES);
    describe(&text, s, run);
    svg_begin(&svg, "Second by second", run->name, text.data != NULL ? text.data : "");
    buf_release(&text);
    draw_rate(&svg, s, &x);
    if (isfinite(s->lowest_latency))
        draw_latency(&svg, s, &x);
    if (s->most_failed > 0)
        draw_failures(&svg, s, &x);
    svg_text(&svg, last.right, last.bottom + 34, SVG_END, "soft small", "time since the start of the window");
    svg_end(&svg);
}

int svg_time(struct buf *out, const struct svg_run *run, struct err *err)
{
    struct series *s;
    int rc;

    if (run->result->interval_count == 0)
        return err_set(err, ERR_CONFIG, 0, "the run has no figures second by second");
    s = calloc(1, sizeof(*s));
    if (s == NULL)
        return err_set(err, ERR_SYSTEM, ENOMEM, "no memory for the picture");
    rc = collect(s, run->result, err);
    if (rc == 0)
        draw(out, s, run);
    free(s);
    if (rc == 0 && !buf_ok(out))
        rc = err_set(err, ERR_SYSTEM, ENOMEM, "no memory for the picture");
    return rc;
}
