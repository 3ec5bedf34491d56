/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/svg.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>

#include "base/units.h"
#include "report/svg_axes.h"

enum { WIDTH = 860, HEIGHT = 440, POINTS = 240 };
#define BUSY_RANGE 20 /* from the median to the maximum: beyond it the scale is logarithmic */

/* 1/(1-p) up to the number of values: the share of one of them. */
static double percentile_at(double inverse)
{
    return 100 * (1 - 1 / inverse);
}

static const char *label_percentile(char *out, size_t size, double inverse)
{
    int nines = 0;

    for (double left = inverse; left > 1.5; left /= 10)
        nines++;
    if (inverse < 1.5)
        snprintf(out, size, "0 %%");
    else
        snprintf(out, size, "%.*f %%", nines > 2 ? nines - 2 : 0, percentile_at(inverse));
    return out;
}

struct curves {
    const struct svg_run *runs;
    size_t count;
    double lowest, median, highest; /* s */
    uint64_t most;                  /* values of one */
};

/* Where the service time tells something else than the latency. */
static bool has_two_clocks(const struct result *r)
{
    const struct hist *a = r->latency, *b = r->service_time;

    return hist_count(b) > 1 && !hist_equal(a, b);
}

static void widen(struct curves *c, const struct hist *h)
{
    if (hist_count(h) == 0)
        return;
    c->lowest = fmin(c->lowest, (double)hist_min_ns(h) / NS_PER_S);
    c->highest = fmax(c->highest, (double)hist_max_ns(h) / NS_PER_S);
    c->median = fmin(c->median, (double)hist_value_at(h, 50) / NS_PER_S);
    if (hist_count(h) > c->most)
        c->most = hist_count(h);
}

static void measure(struct curves *c)
{
    c->lowest = c->median = (double)INFINITY;
    for (size_t i = 0; i < c->count; i++) {
        const struct result *r = c->runs[i].result;

        widen(c, r->latency);
        if (hist_count(r->latency) > 0 && has_two_clocks(r))
            widen(c, r->service_time);
        for (size_t p = 0; p < r->promise_count && r->latency != NULL; p++)
            if (r->promises[p].unit == PROMISE_SECONDS)
                c->highest = fmax(c->highest, r->promises[p].limit);
    }
}

static void draw_curve(struct svg *s, const struct svg_scale *x, const struct svg_scale *y, const struct hist *h,
                       const char *class)
{
    const double last = log10((double)hist_count(h));
    bool is_down = false;

    svg_path_begin(s, class);
    for (int i = 0; i <= POINTS; i++) {
        const double inverse = pow(10, last * i / POINTS);

        svg_path_point(s, &is_down, svg_scale_at(x, inverse),
                       svg_scale_at(y, (double)hist_value_at(h, percentile_at(inverse)) / NS_PER_S));
    }
    svg_path_end(s);
}

static void draw_promises(struct svg *s, const struct svg_panel *p, const struct svg_scale *y, const struct result *r)
{
    for (size_t i = 0; i < r->promise_count; i++) {
        const struct promise *promise = &r->promises[i];
        const double at = promise->unit == PROMISE_SECONDS ? svg_scale_at(y, promise->limit) : NAN;

        if (!isfinite(at))
            continue;
        svg_line(s, p->left, at, p->right, at, "promise");
        svg_text(s, p->right - 4, at - 5, SVG_END, "soft small", "promised: %s", promise->clause);
    }
}

/* 0 %, 50 %, 90 %, 99 % ... as far as the runs reach. */
static void draw_axis_below(struct svg *s, const struct svg_panel *p, const struct svg_scale *x)
{
    char text[32];

    svg_line(s, p->left, p->bottom, p->right, p->bottom, "axis");
    for (double inverse = 1; inverse <= x->high * 1.0000001; inverse = inverse < 1.5 ? 2
                                                                       : inverse < 3 ? 10
                                                                                     : 10 * inverse) {
        const double at = svg_scale_at(x, inverse);

        svg_line(s, at, p->top, at, p->bottom + 4, "grid");
        svg_text(s, at, p->bottom + 18, SVG_MIDDLE, "soft small", "%s", label_percentile(text, sizeof(text), inverse));
    }
    svg_text(s, p->right, p->bottom + 34, SVG_END, "soft small", "share of the ok requests that took at most so long");
}

static void describe(struct buf *out, const struct curves *c)
{
    for (size_t i = 0; i < c->count; i++) {
        const struct hist *h = c->runs[i].result->latency;
        char count[UNITS_TEXT_MAX], p50[UNITS_TEXT_MAX], p99[UNITS_TEXT_MAX], max[UNITS_TEXT_MAX];

        buf_printf(out, "%s%s: %s ok requests", i > 0 ? " " : "", c->runs[i].name,
                   units_format_count(count, hist_count(h)));
        if (hist_count(h) > 0)
            buf_printf(out, ", p50 %s, p99 %s, at most %s", units_format_duration(p50, (double)hist_value_at(h, 50)),
                       hist_count(h) < 100 ? "not known" : units_format_duration(p99, (double)hist_value_at(h, 99)),
                       units_format_duration(max, (double)hist_max_ns(h)));
        buf_add_str(out, ".");
    }
}

static void draw(struct buf *out, const struct curves *c)
{
    struct svg s = { out, WIDTH, HEIGHT };
    const struct svg_panel p = { 76, 92, WIDTH - 20, HEIGHT - 48 };
    const struct svg_scale x = { 1, fmax(10, (double)c->most), true, p.left, p.right };
    const struct svg_scale y = svg_scale_around(c->lowest, c->highest, c->highest > BUSY_RANGE * c->median, p.bottom,
                                                p.top);
    const char *subtitle = c->count == 1 ? c->runs[0].name
                                         : "solid: from when a request was due; dashed: from its first byte";
    struct buf text;
    double at = 76;

    buf_init(&text, BUF_TEXT_MAX_BYTES);
    describe(&text, c);
    svg_begin(&s, "Latency by percentile", subtitle, text.data != NULL ? text.data : "");
    buf_release(&text);
    svg_axis_left(&s, &p, &y, svg_label_time, "");
    draw_axis_below(&s, &p, &x);
    for (size_t i = 0; i < c->count; i++) {
        const struct result *r = c->runs[i].result;
        char class[24];

        draw_promises(&s, &p, &y, r);
        snprintf(class, sizeof(class), "s%u thin", (unsigned)i);
        if (hist_count(r->latency) > 1 && has_two_clocks(r)) {
            draw_curve(&s, &x, &y, r->service_time, class);
            if (c->count == 1)
                svg_legend(&s, &at, 66, 0, true, "service time, from its first byte sent");
        }
        snprintf(class, sizeof(class), "s%u", (unsigned)i);
        if (hist_count(r->latency) > 1)
            draw_curve(&s, &x, &y, r->latency, class);
        svg_legend(&s, &at, 66, (unsigned)i, false,
                   c->count == 1 ? "latency, from when a request was due" : c->runs[i].name);
    }
    svg_end(&s);
}

int svg_percentiles(struct buf *out, const struct svg_run *runs, size_t count, struct err *err)
{
    struct curves c = { .runs = runs, .count = count };

    if (count > SVG_RUNS_MAX)
        return err_set(err, ERR_CONFIG, 0, "%zu runs are too many for one picture, which holds %d", count,
                       SVG_RUNS_MAX);
    measure(&c);
    if (c.most < 2)
        return err_set(err, ERR_CONFIG, 0, "none of the runs has a distribution of latencies to draw");
    draw(out, &c);
    return buf_ok(out) ? 0 : err_set(err, ERR_SYSTEM, ENOMEM, "no memory for the picture");
}
