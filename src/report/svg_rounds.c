/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/svg.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/units.h"
#include "report/svg_axes.h"
#include "result/rounds_scaling.h"

enum { WIDTH = 860, HEIGHT = 560, SIZES_MAX = 64, LAW_POINTS = 120 };

struct sizes {
    uint32_t of[SIZES_MAX]; /* rising */
    size_t count;
    double longest_s, quickest_per_s;
};

static int by_size(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

    return (x > y) - (x < y);
}

static void add_size(struct sizes *s, uint32_t size)
{
    for (size_t i = 0; i < s->count; i++)
        if (s->of[i] == size)
            return;
    if (s->count < SIZES_MAX)
        s->of[s->count++] = size;
}

static double at_most(double a, double b)
{
    return isnan(b) ? a : fmax(a, b);
}

static struct sizes measure(const struct rounds_result *r)
{
    struct sizes s = { .count = 0 };

    for (size_t i = 0; i < r->round_count; i++) {
        const struct rounds_round *round = &r->rounds[i];

        add_size(&s, round->concurrency);
        s.longest_s = at_most(at_most(s.longest_s, round->max_s), round->mean_ok_s);
        for (size_t k = 0; k < round->copy_count; k++)
            s.longest_s = at_most(s.longest_s, round->copies[k].duration_s);
        s.quickest_per_s = at_most(s.quickest_per_s, round->copies_per_s);
    }
    qsort(s.of, s.count, sizeof(s.of[0]), by_size);
    return s;
}

static const char *label_size(char *out, size_t size, double value)
{
    snprintf(out, size, "%.0f", value);
    return out;
}

/* Sizes stand at their logarithm: a round of twice as many is a step to the right. */
static struct svg_scale scale_of(const struct sizes *s, const struct svg_panel *p)
{
    const double first = s->of[0], last = s->of[s->count - 1];

    return (struct svg_scale){ first / 1.25, last * 1.25, true, p->left, p->right };
}

static void draw_axis_below(struct svg *svg, const struct svg_panel *p, const struct svg_scale *x,
                            const struct sizes *s, const char *name)
{
    double free_from = -1;
    char text[32];

    svg_line(svg, p->left, p->bottom, p->right, p->bottom, "axis");
    for (size_t i = 0; i < s->count; i++) {
        const double at = svg_scale_at(x, s->of[i]);

        svg_line(svg, at, p->bottom, at, p->bottom + 4, "axis");
        if (at > free_from)
            svg_text(svg, at, p->bottom + 17, SVG_MIDDLE, "soft small", "%s", label_size(text, sizeof(text), s->of[i]));
        free_from = at > free_from ? at + 24 : free_from;
    }
    svg_text(svg, p->right, p->bottom + 33, SVG_END, "soft small", "%s", name);
}

/* Copies of a round side by side, so that equal ones do not hide each other. */
static double spread(const struct rounds_round *round, size_t copy)
{
    const double width = fmin(28, 4.0 * (double)round->copy_count);

    return round->copy_count < 2 ? 0 : width * ((double)copy / (double)(round->copy_count - 1) - 0.5);
}

static void draw_copies(struct svg *svg, const struct svg_scale *x, const struct svg_scale *y,
                        const struct rounds_round *round)
{
    char class[24];

    snprintf(class, sizeof(class), "f%u faint", round->series % SVG_SERIES_MAX);
    for (size_t i = 0; i < round->copy_count; i++) {
        const struct rounds_copy *copy = &round->copies[i];
        const double at = svg_scale_at(x, round->concurrency) + spread(round, i);
        const double height = svg_scale_at(y, copy->duration_s);

        if (!isfinite(height) || copy->unfinished)
            continue;
        if (copy->ok)
            svg_dot(svg, at, height, 3, class);
        else
            svg_cross(svg, at, height, 3.5, "badline");
    }
}

/* A figure of all rounds of a size: NAN, when none has it. */
static double mean_at(const struct rounds_result *r, uint32_t series, uint32_t size,
                      double (*figure)(const struct rounds_round *))
{
    double sum = 0;
    size_t n = 0;

    for (size_t i = 0; i < r->round_count; i++) {
        const double value = figure(&r->rounds[i]);

        if (r->rounds[i].series == series && r->rounds[i].concurrency == size && !isnan(value)) {
            sum += value;
            n++;
        }
    }
    return n > 0 ? sum / (double)n : NAN;
}

static double mean_ok(const struct rounds_round *round)
{
    return round->mean_ok_s;
}

static double per_s(const struct rounds_round *round)
{
    return round->copies_per_s;
}

static void draw_means(struct svg *svg, const struct rounds_result *r, const struct sizes *s, uint32_t series,
                       const struct svg_scale *x, const struct svg_scale *y,
                       double (*figure)(const struct rounds_round *))
{
    bool is_down = false;
    char class[24];

    snprintf(class, sizeof(class), "s%u", series % SVG_SERIES_MAX);
    svg_path_begin(svg, class);
    for (size_t i = 0; i < s->count; i++) {
        const double value = mean_at(r, series, s->of[i], figure);

        if (!isnan(value))
            svg_path_point(svg, &is_down, svg_scale_at(x, s->of[i]), svg_scale_at(y, value));
    }
    svg_path_end(svg);
    snprintf(class, sizeof(class), "f%u", series % SVG_SERIES_MAX);
    for (size_t i = 0; i < s->count; i++) {
        const double value = mean_at(r, series, s->of[i], figure);

        if (!isnan(value))
            svg_dot(svg, svg_scale_at(x, s->of[i]), svg_scale_at(y, value), 3.5, class);
    }
}

/* Of the means, as it was fitted; not beyond the largest size that was measured. */
static void draw_law(struct svg *svg, const struct sizes *s, const struct rounds_scaling *law, uint32_t series,
                     const struct svg_scale *x, const struct svg_scale *y)
{
    const double first = s->of[0], last = s->of[s->count - 1];
    bool is_down = false;
    char class[24];

    if (law->verdict != SCALING_FITS)
        return;
    snprintf(class, sizeof(class), "s%u thin", series % SVG_SERIES_MAX);
    svg_path_begin(svg, class);
    for (int i = 0; i <= LAW_POINTS; i++) {
        const double n = first * pow(last / first, (double)i / LAW_POINTS);

        svg_path_point(svg, &is_down, svg_scale_at(x, n), svg_scale_at(y, rounds_scaling_duration_s(law, n)));
    }
    svg_path_end(svg);
}

static void describe(struct buf *out, const struct rounds_result *r, const struct sizes *s)
{
    char text[UNITS_TEXT_MAX];
    uint64_t failed = 0;

    for (size_t i = 0; i < r->round_count; i++)
        failed += r->rounds[i].failed;
    buf_printf(out, "%zu rounds of %u to %u copies at once, %llu copies failed.", r->round_count, s->of[0],
               s->of[s->count - 1], (unsigned long long)failed);
    for (uint32_t series = 0; series < r->series_count; series++) {
        buf_printf(out, " %s, mean of the ok:", r->series[series].name);
        for (size_t i = 0; i < s->count; i++) {
            const double mean = mean_at(r, series, s->of[i], mean_ok);

            if (!isnan(mean))
                buf_printf(out, " %s at %u;", units_format_duration(text, mean * NS_PER_S), s->of[i]);
        }
    }
}

static void draw_durations(struct svg *svg, const struct rounds_result *r, const struct sizes *s)
{
    const struct svg_panel p = { 76, 92, WIDTH - 20, 310 };
    const struct svg_scale x = scale_of(s, &p), y = svg_scale_around(0, s->longest_s, false, p.bottom, p.top);

    svg_axis_left(svg, &p, &y, svg_label_time,
                  "duration: dots are copies, crosses failed ones; line: mean of the ok; dashed: the scaling law");
    draw_axis_below(svg, &p, &x, s, "");
    for (size_t i = 0; i < r->round_count; i++)
        draw_copies(svg, &x, &y, &r->rounds[i]);
    for (uint32_t series = 0; series < r->series_count; series++) {
        draw_law(svg, s, &r->series[series].scaling, series, &x, &y);
        draw_means(svg, r, s, series, &x, &y, mean_ok);
    }
}

static void draw_throughput(struct svg *svg, const struct rounds_result *r, const struct sizes *s)
{
    const struct svg_panel p = { 76, 366, WIDTH - 20, HEIGHT - 48 };
    const struct svg_scale x = scale_of(s, &p), y = svg_scale_around(0, s->quickest_per_s, false, p.bottom, p.top);

    svg_axis_left(svg, &p, &y, svg_label_number, "ok copies a second");
    draw_axis_below(svg, &p, &x, s, "copies at once");
    for (uint32_t series = 0; series < r->series_count; series++)
        draw_means(svg, r, s, series, &x, &y, per_s);
}

static void draw(struct buf *out, const struct svg_run *run, const struct sizes *s)
{
    const struct rounds_result *r = run->result->rounds;
    struct svg svg = { out, WIDTH, HEIGHT };
    struct buf text;
    double at = 76;

    buf_init(&text, BUF_TEXT_MAX_BYTES);
    describe(&text, r, s);
    svg_begin(&svg, "Rounds", run->name, text.data != NULL ? text.data : "");
    buf_release(&text);
    for (uint32_t series = 0; series < r->series_count && r->series_count > 1; series++)
        svg_legend(&svg, &at, 62, series, false, r->series[series].name);
    draw_durations(&svg, r, s);
    draw_throughput(&svg, r, s);
    svg_end(&svg);
}

int svg_rounds(struct buf *out, const struct svg_run *run, struct err *err)
{
    const struct rounds_result *r = run->result->rounds;
    struct sizes s;

    if (r == NULL || r->round_count == 0)
        return err_set(err, ERR_CONFIG, 0, "the run has no rounds");
    s = measure(r);
    draw(out, run, &s);
    return buf_ok(out) ? 0 : err_set(err, ERR_SYSTEM, ENOMEM, "no memory for the picture");
}
