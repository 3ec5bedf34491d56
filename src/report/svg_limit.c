/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/svg.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/units.h"
#include "report/limit.h"
#include "report/svg_axes.h"
#include "result/slo.h"

enum { WIDTH = 860, HEIGHT = 600 };
#define BUSY_RANGE 12 /* levels that were doubled so far want equal steps for equal factors */

struct bounds {
    double level_low, level_high, latency_low, latency_high, rate_high;
};

/* Promises of latency; a document of others may promise what is none. */
typedef void each_promise(void *arg, const struct slo_clause *c);
static void visit_promises(const struct limit_report *r, each_promise *visit, void *arg)
{
    struct slo slo = { 0 };

    if (slo_parse(&slo, slice_str(r->promise), NULL) == 0)
        for (size_t i = 0; i < slo.count; i++)
            if (slo.clauses[i].figure <= SLO_STDDEV && slo.clauses[i].limit > 0)
                visit(arg, &slo.clauses[i]);
    slo_release(&slo);
}

static void widen(void *arg, const struct slo_clause *c)
{
    struct bounds *b = arg;

    b->latency_low = fmin(b->latency_low, c->limit);
    b->latency_high = fmax(b->latency_high, c->limit);
}

static struct bounds measure(const struct svg_limit_of *limits, size_t count)
{
    struct bounds b = { .level_low = (double)INFINITY, .latency_low = (double)INFINITY };

    for (size_t i = 0; i < count; i++) {
        const struct limit_report *r = limits[i].report;

        for (size_t k = 0; k < r->trial_count; k++) {
            const struct limit_trial *t = &r->trials[k];

            if (!(t->level > 0))
                continue;
            b.level_low = fmin(b.level_low, t->level);
            b.level_high = fmax(b.level_high, t->level);
            b.rate_high = fmax(b.rate_high, t->requests_per_s);
            if (!t->has_latency || !(t->p50_s > 0) || !(t->p99_s > 0))
                continue;
            b.latency_low = fmin(b.latency_low, fmin(t->p50_s, t->p99_s));
            b.latency_high = fmax(b.latency_high, fmax(t->p50_s, t->p99_s));
        }
        visit_promises(r, widen, &b);
    }
    return b;
}

/* Of a trial: NAN leaves a gap. */
typedef double trial_figure(const struct limit_trial *t);

static double p99_of(const struct limit_trial *t)
{
    return t->has_latency && t->p99_s > 0 ? t->p99_s : NAN;
}

static double p50_of(const struct limit_trial *t)
{
    return t->has_latency && t->p50_s > 0 ? t->p50_s : NAN;
}

static double rate_of(const struct limit_trial *t)
{
    return t->requests_per_s;
}

struct curve {
    const struct limit_trial *sorted;
    size_t count;
    unsigned colour;
    bool thin, alone;
};

/* A line through the trials in rising order; dots kept the promise, crosses broke it. */
static void draw_curve(struct svg *svg, const struct curve *c, const struct svg_scale *x, const struct svg_scale *y,
                       trial_figure *figure)
{
    bool is_down = false;
    char class[16];

    snprintf(class, sizeof(class), "s%u%s", c->colour, c->thin ? " thin" : "");
    svg_path_begin(svg, class);
    for (size_t i = 0; i < c->count; i++)
        svg_path_point(svg, &is_down, svg_scale_at(x, c->sorted[i].level), svg_scale_at(y, figure(&c->sorted[i])));
    svg_path_end(svg);
    snprintf(class, sizeof(class), "f%u", c->colour);
    for (size_t i = 0; i < c->count; i++) {
        const double at = svg_scale_at(x, c->sorted[i].level), height = svg_scale_at(y, figure(&c->sorted[i]));

        if (!isfinite(at) || !isfinite(height))
            continue;
        if (c->sorted[i].kept)
            svg_dot(svg, at, height, 3, class);
        else
            svg_cross(svg, at, height, 3.5, "badline");
    }
}

struct promised {
    struct svg *svg;
    const struct svg_panel *panel;
    const struct svg_scale *y;
};

static void draw_promise(void *arg, const struct slo_clause *c)
{
    const struct promised *p = arg;
    const double at = svg_scale_at(p->y, c->limit);

    svg_line(p->svg, p->panel->left, at, p->panel->right, at, "promise");
    svg_text(p->svg, p->panel->left + 4, at - 5, SVG_START, "soft small", "promised: %s", c->text);
}

/* Words only where they stand alone; of several limits the lines have their colours. */
static void draw_ends(struct svg *svg, const struct svg_panel *p, const struct svg_scale *x,
                      const struct limit_report *r, const char *class)
{
    const bool alone = class == NULL;
    const double safe = r->safe > 0 ? svg_scale_at(x, r->safe) : NAN;
    const double broken = isfinite(r->broken) && r->broken > 0 ? svg_scale_at(x, r->broken) : NAN;

    if (isfinite(safe))
        svg_line(svg, safe, p->top, safe, p->bottom, alone ? "axis" : class);
    if (isfinite(safe) && alone)
        svg_text(svg, safe - 4, p->top + 12, SVG_END, "soft small", "safe");
    if (isfinite(broken) && alone) {
        svg_line(svg, broken, p->top, broken, p->bottom, "axis");
        svg_text(svg, broken + 4, p->top + 12, SVG_START, "soft small", "broke");
    }
}

static void describe(struct buf *out, const struct svg_limit_of *limits, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        buf_printf(out, "%s%s, promised %s. Safe: ", i > 0 ? " " : "", limits[i].name,
                   limits[i].report->promise != NULL ? limits[i].report->promise : "");
        limit_say_safe(out, limits[i].report);
        buf_add_str(out, ". Broke first: ");
        limit_say_broke(out, limits[i].report);
        buf_add_char(out, '.');
    }
}

static void draw_latency(struct svg *svg, const struct svg_limit_of *limit, const struct curve *c,
                         const struct svg_panel *p, const struct svg_scale *x, const struct svg_scale *y)
{
    struct curve thin = *c;
    char class[8];

    thin.thin = true;
    snprintf(class, sizeof(class), "s%u", c->colour);
    draw_ends(svg, p, x, limit->report, c->alone ? NULL : class);
    visit_promises(limit->report, draw_promise, &(struct promised){ svg, p, y });
    draw_curve(svg, &thin, x, y, p50_of);
    draw_curve(svg, c, x, y, p99_of);
}

/* What was asked for, as far as it fits: none when connections were searched for. */
static void draw_asked(struct svg *svg, const struct limit_report *r, const struct bounds *b, const struct svg_scale *x,
                       const struct svg_scale *y)
{
    enum { POINTS = 60 };
    const double last = fmin(b->level_high, y->high);
    bool is_down = false;

    if (r->of_connections || last <= b->level_low)
        return;
    svg_path_begin(svg, "s6 thin");
    for (int i = 0; i <= POINTS; i++) {
        const double level = b->level_low * pow(last / b->level_low, (double)i / POINTS);

        svg_path_point(svg, &is_down, svg_scale_at(x, level), svg_scale_at(y, level));
    }
    svg_path_end(svg);
}

static int draw(struct svg *svg, const struct svg_limit_of *limits, size_t count, const struct bounds *b)
{
    const struct svg_panel above = { 76, 100, WIDTH - 20, 340 }, below = { 76, 396, WIDTH - 20, HEIGHT - 48 };
    const bool wide = b->level_high > BUSY_RANGE * b->level_low;
    const struct svg_scale x = svg_scale_around(b->level_low, b->level_high, wide, above.left, above.right);
    const struct svg_scale y = svg_scale_around(b->latency_low, b->latency_high, true, above.bottom, above.top);
    const struct svg_scale rate = svg_scale_around(0, b->rate_high, false, below.bottom, below.top);
    double at = 76;

    svg_axis_left(svg, &above, &y, svg_label_time, "latency: p99 solid, p50 dashed; a cross broke the promise");
    svg_axis_below(svg, &above, &x, svg_label_number, NULL);
    svg_axis_left(svg, &below, &rate, svg_label_number, "ok replies a second; dashed: asked for");
    svg_axis_below(svg, &below, &x, svg_label_number,
                   limits[0].report->of_connections ? "connections" : "requests a second asked for");
    draw_asked(svg, limits[0].report, b, &x, &rate);
    for (size_t i = 0; i < count; i++) {
        struct curve c = { .count = limits[i].report->trial_count,
                           .colour = (unsigned)i % SVG_SERIES_MAX,
                           .alone = count == 1 };
        struct limit_trial *sorted = limit_sorted_trials(limits[i].report);

        if (sorted == NULL)
            return -1;
        c.sorted = sorted;
        draw_latency(svg, &limits[i], &c, &above, &x, &y);
        draw_curve(svg, &c, &x, &rate, rate_of);
        if (count > 1)
            svg_legend(svg, &at, 72, c.colour, false, limits[i].name);
        free(sorted);
    }
    return 0;
}

int svg_limit(struct buf *out, const struct svg_limit_of *limits, size_t count, struct err *err)
{
    const struct bounds b = measure(limits, count);
    struct svg svg = { out, WIDTH, HEIGHT };
    struct buf text;
    int rc;

    if (count > SVG_RUNS_MAX)
        return err_set(err, ERR_CONFIG, 0, "%zu limits are too many for one picture, which holds %d", count,
                       SVG_RUNS_MAX);
    if (!(b.level_high > 0) || !(b.latency_high > 0))
        return err_set(err, ERR_CONFIG, 0, "the search for the limit has no trial with a latency to draw");
    buf_init(&text, BUF_TEXT_MAX_BYTES);
    describe(&text, limits, count);
    svg_begin(&svg, count > 1 ? "Limits" : "The limit", count > 1 ? NULL : limits[0].name,
              text.data != NULL ? text.data : "");
    buf_release(&text);
    rc = draw(&svg, limits, count, &b);
    svg_end(&svg);
    return rc == 0 && buf_ok(out) ? 0 : err_set(err, ERR_SYSTEM, ENOMEM, "no memory for the picture");
}
