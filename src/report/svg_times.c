/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/svg.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "report/svg_seconds.h"

enum { WIDTH = 860, PANEL_HEIGHT = 150, PANEL_GAP = 56, FIRST_TOP = 112, LEGEND_WIDTH = 700 };
#define BUSY_RANGE 20

struct overlay {
    const struct svg_run *runs;
    struct seconds *of; /* by run */
    size_t count;
    double end_s, highest_rate, lowest, highest, most_failed;
};

static bool is_first_of_name(const struct overlay *o, size_t run)
{
    for (size_t i = 0; i < run; i++)
        if (strcmp(o->runs[i].name, o->runs[run].name) == 0)
            return false;
    return true;
}

/* Samples of one name have one colour: the number of names before theirs. */
static unsigned colour_of(const struct overlay *o, size_t run)
{
    unsigned colour = 0;

    for (size_t i = 0; strcmp(o->runs[i].name, o->runs[run].name) != 0; i++)
        colour += is_first_of_name(o, i);
    return colour % SVG_SERIES_MAX;
}

/* The tail: p99 where seconds have enough requests for it, else the maximum. */
static enum second_line tail_of(const struct overlay *o)
{
    for (size_t i = 0; i < o->count; i++)
        if (o->of[i].highest[SECOND_P99] > 0)
            return SECOND_P99;
    return SECOND_MAX;
}

static void sum_up(struct overlay *o)
{
    const enum second_line tail = tail_of(o);

    o->lowest = (double)INFINITY;
    for (size_t i = 0; i < o->count; i++) {
        const struct seconds *s = &o->of[i];

        o->end_s = fmax(o->end_s, s->end_s);
        o->highest_rate = fmax(o->highest_rate, s->highest[SECOND_RATE]);
        o->highest = fmax(o->highest, s->highest[tail]);
        o->most_failed = fmax(o->most_failed, s->most_failed);
        for (size_t k = 0; k < s->count; k++)
            if (s->points[k].low[tail] > 0)
                o->lowest = fmin(o->lowest, s->points[k].low[tail]);
    }
}

static struct svg_panel panel(int n)
{
    const double top = FIRST_TOP + n * (PANEL_HEIGHT + PANEL_GAP);

    return (struct svg_panel){ 76, top, WIDTH - 20, top + PANEL_HEIGHT };
}

static void draw_lines(struct svg *svg, const struct overlay *o, const struct svg_scale *x, const struct svg_scale *y,
                       enum second_line line)
{
    for (size_t i = 0; i < o->count; i++) {
        const unsigned colour = colour_of(o, i);
        char class[8], fill[8];

        snprintf(class, sizeof(class), "s%u", colour);
        snprintf(fill, sizeof(fill), "f%u", colour);
        seconds_draw(svg, &o->of[i], x, y, line, class, fill);
    }
}

static void draw_panel(struct svg *svg, const struct svg_panel *p, const struct svg_scale *x, const struct svg_scale *y,
                       svg_label *label, const char *name)
{
    svg_axis_left(svg, p, y, label, name);
    svg_axis_below(svg, p, x, svg_label_time, NULL);
}

static void draw_failures(struct svg *svg, const struct overlay *o, const struct svg_scale *x, int n)
{
    const struct svg_panel p = panel(n);
    const struct svg_scale y = svg_scale_around(0, o->most_failed, false, p.bottom, p.top);

    draw_panel(svg, &p, x, &y, svg_label_number, "failed requests a second");
    for (size_t i = 0; i < o->count; i++) {
        char class[8];
        bool is_down = false;

        snprintf(class, sizeof(class), "s%u", colour_of(o, i));
        svg_path_begin(svg, class);
        for (size_t k = 0; k < o->of[i].count; k++)
            svg_path_point(svg, &is_down, svg_scale_at(x, seconds_middle(&o->of[i], k)),
                           svg_scale_at(&y, o->of[i].points[k].failed_per_s));
        svg_path_end(svg);
    }
}

static void draw_legend(struct svg *svg, const struct overlay *o)
{
    double at = 76, y = 66;

    for (size_t i = 0; i < o->count; i++) {
        if (!is_first_of_name(o, i))
            continue;
        if (at > LEGEND_WIDTH) {
            at = 76;
            y += 18;
        }
        svg_legend(svg, &at, y, colour_of(o, i), false, o->runs[i].name);
    }
}

static void describe(struct buf *out, const struct overlay *o)
{
    for (size_t i = 0; i < o->count; i++) {
        char rate[UNITS_TEXT_MAX], failed[UNITS_TEXT_MAX];

        buf_printf(out, "%s%s: %s ok replies a second on average, %s failed.", i > 0 ? " " : "", o->runs[i].name,
                   units_format_number(rate, o->runs[i].result->totals.requests_per_s),
                   units_format_count(failed, o->of[i].failed));
    }
}

static void draw(struct buf *out, const struct overlay *o)
{
    const int panels = 1 + isfinite(o->lowest) + (o->most_failed > 0);
    const struct svg_panel first = panel(0), last = panel(panels - 1);
    const struct svg_scale x = { 0, o->end_s, false, first.left, first.right };
    const struct svg_scale rate = svg_scale_around(0, o->highest_rate, false, first.bottom, first.top);
    struct svg svg = { out, WIDTH, last.bottom + 44 };
    struct buf text;
    char subtitle[64];

    snprintf(subtitle, sizeof(subtitle), "%zu runs, each a line; each from the start of its own window", o->count);
    buf_init(&text, BUF_TEXT_MAX_BYTES);
    describe(&text, o);
    svg_begin(&svg, "Second by second", subtitle, text.data != NULL ? text.data : "");
    buf_release(&text);
    draw_legend(&svg, o);
    draw_panel(&svg, &first, &x, &rate, svg_label_number, "ok replies a second");
    draw_lines(&svg, o, &x, &rate, SECOND_RATE);
    if (isfinite(o->lowest)) {
        const struct svg_panel p = panel(1);
        const struct svg_scale y = svg_scale_around(o->lowest, o->highest, o->highest > BUSY_RANGE * o->lowest,
                                                    p.bottom, p.top);

        draw_panel(&svg, &p, &x, &y, svg_label_time,
                   tail_of(o) == SECOND_P99 ? "p99 of each second" : "maximum of each second");
        draw_lines(&svg, o, &x, &y, tail_of(o));
    }
    if (o->most_failed > 0)
        draw_failures(&svg, o, &x, panels - 1);
    svg_text(&svg, last.right, last.bottom + 34, SVG_END, "soft small", "time since the start of the window");
    svg_end(&svg);
}

int svg_times(struct buf *out, const struct svg_run *runs, size_t count, struct err *err)
{
    struct overlay o = { .runs = runs, .count = count };
    int rc = 0;

    o.of = calloc(count, sizeof(*o.of));
    if (o.of == NULL)
        return err_set(err, ERR_SYSTEM, ENOMEM, "no memory for the picture");
    for (size_t i = 0; i < count && rc == 0; i++)
        rc = runs[i].result->interval_count > 0
                 ? seconds_collect(&o.of[i], runs[i].result, err)
                 : err_set(err, ERR_CONFIG, 0, "%s has no figures second by second", runs[i].name);
    if (rc == 0) {
        sum_up(&o);
        draw(out, &o);
        if (!buf_ok(out))
            rc = err_set(err, ERR_SYSTEM, ENOMEM, "no memory for the picture");
    }
    free(o.of);
    return rc;
}
