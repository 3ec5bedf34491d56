/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/svg.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/units.h"
#include "report/svg_seconds.h"

enum { WIDTH = 860, PANEL_HEIGHT = 150, PANEL_GAP = 56, FIRST_TOP = 84 };
#define BUSY_RANGE 20

static struct svg_panel panel(int n)
{
    const double top = FIRST_TOP + n * (PANEL_HEIGHT + PANEL_GAP);

    return (struct svg_panel){ 76, top, WIDTH - 20, top + PANEL_HEIGHT };
}

static void draw_rate(struct svg *svg, const struct seconds *s, const struct svg_scale *x)
{
    const struct svg_panel p = panel(0);
    const struct svg_scale y = svg_scale_around(0, s->highest[SECOND_RATE], false, p.bottom, p.top);
    double legend = p.left + 170;

    svg_axis_left(svg, &p, &y, svg_label_number, "ok replies a second");
    svg_axis_below(svg, &p, x, svg_label_time, NULL);
    if (s->rate_asked > 0) {
        svg_line(svg, p.left, svg_scale_at(&y, s->rate_asked), p.right, svg_scale_at(&y, s->rate_asked), "promise");
        svg_text(svg, p.right, p.top - 8, SVG_END, "soft small", "dashed: asked for");
    }
    svg_legend(svg, &legend, p.top - 8, 0, false, "got");
    seconds_draw(svg, s, x, &y, SECOND_RATE, "s0", "f0");
}

static void draw_latency(struct svg *svg, const struct seconds *s, const struct svg_scale *x)
{
    static const struct {
        enum second_line line;
        const char *name;
    } LINES_OF[] = { { SECOND_MAX, "maximum" }, { SECOND_P99, "p99" }, { SECOND_P50, "p50" } };
    const struct svg_panel p = panel(1);
    const struct svg_scale y = svg_scale_around(s->lowest_latency, s->highest[SECOND_MAX],
                                                s->highest[SECOND_MAX] > BUSY_RANGE * s->lowest_latency, p.bottom,
                                                p.top);
    double legend = p.left + 170;

    svg_axis_left(svg, &p, &y, svg_label_time, "latency of ok requests");
    svg_axis_below(svg, &p, x, svg_label_time, NULL);
    for (unsigned i = 0; i < 3; i++) {
        char class[8];

        snprintf(class, sizeof(class), "s%u", 2 - i);
        seconds_draw(svg, s, x, &y, LINES_OF[i].line, class, "f0");
        svg_legend(svg, &legend, p.top - 8, 2 - i, false, LINES_OF[i].name);
    }
}

static void draw_failures(struct svg *svg, const struct seconds *s, const struct svg_scale *x)
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

static void describe(struct buf *out, const struct seconds *s, const struct svg_run *run)
{
    char ok[UNITS_TEXT_MAX], failed[UNITS_TEXT_MAX], time[UNITS_TEXT_MAX], rate[UNITS_TEXT_MAX];

    buf_printf(out, "%s: %s ok and %s failed requests in %s, %s ok replies a second on average.", run->name,
               units_format_count(ok, run->result->totals.ok), units_format_count(failed, s->failed),
               units_format_duration(time, s->end_s * NS_PER_S),
               units_format_number(rate, run->result->totals.requests_per_s));
}

static void draw(struct buf *out, const struct seconds *s, const struct svg_run *run)
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
    struct seconds *s;
    int rc;

    if (run->result->interval_count == 0)
        return err_set(err, ERR_CONFIG, 0, "the run has no figures second by second");
    s = calloc(1, sizeof(*s));
    if (s == NULL)
        return err_set(err, ERR_SYSTEM, ENOMEM, "no memory for the picture");
    rc = seconds_collect(s, run->result, err);
    if (rc == 0)
        draw(out, s, run);
    free(s);
    if (rc == 0 && !buf_ok(out))
        rc = err_set(err, ERR_SYSTEM, ENOMEM, "no memory for the picture");
    return rc;
}
