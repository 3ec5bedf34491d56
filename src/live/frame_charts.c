/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>

#include "base/units.h"
#include "live/frame_parts.h"

enum { TAIL_CELLS = 20, SPARKS_LEAST = 8 };

typedef double chart_value(const struct live_point *p);

static double value_rate(const struct live_point *p)
{
    return p->achieved_per_s;
}

static double value_p99(const struct live_point *p)
{
    return (double)p->p99_ns;
}

static double value_failed(const struct live_point *p)
{
    return (double)p->failed;
}

/* 0: nothing; anything above it is seen. */
static unsigned eighths(double value, double most)
{
    const double part = most > 0 ? 8 * value / most : 0;

    return !(value > 0) ? 0 : part < 1 ? 1 : (unsigned)(part + 0.5);
}

static double highest(const struct live_figures *x, size_t first, chart_value *value)
{
    double most = 0;

    for (size_t i = first; i < live_points_kept(x); i++) {
        const double v = value(live_point_at(x, i));

        most = v > most ? v : most;
    }
    return most;
}

/* A glyph for each of the last points, and the highest of those shown. */
static void spark(struct frame *f, const struct live_figures *x, const struct frame_form *form, const char *name,
                  chart_value *value, int rank)
{
    const size_t room = form->columns > LABEL_CELLS + TAIL_CELLS + SPARKS_LEAST
                            ? form->columns - LABEL_CELLS - TAIL_CELLS
                            : SPARKS_LEAST;
    const size_t kept = live_points_kept(x);
    const size_t first = kept > room ? kept - room : 0;
    const double most = highest(x, first, value);
    char text[UNITS_TEXT_MAX];
    struct line l;

    line_begin(&l, f, form, rank);
    line_add(&l, STYLE_FAINT, "%s", name);
    line_pad_to(&l, LABEL_CELLS);
    for (size_t i = first; i < kept; i++)
        line_add_glyph(&l, value == value_failed ? STYLE_BAD : STYLE_BAR, eighths(value(live_point_at(x, i)), most));
    line_pad_to(&l, LABEL_CELLS + room);
    line_add(&l, STYLE_FAINT, " to %s%s",
             value == value_p99 ? units_format_duration(text, most) : units_format_number(text, most),
             value == value_rate ? "/s" : "");
    line_end(&l);
}

static size_t bucket_cells(const struct frame_form *form)
{
    const size_t room = form->columns > LABEL_CELLS ? form->columns - LABEL_CELLS : 0;

    return room / LIVE_BUCKETS > 6 ? 6 : room / LIVE_BUCKETS;
}

static void strip(struct frame *f, const struct live_latency *v, const struct frame_form *form)
{
    const size_t cells = bucket_cells(form);
    uint64_t most = 0;
    struct line l;

    for (size_t i = 0; i < LIVE_BUCKETS; i++)
        most = v->buckets[i] > most ? v->buckets[i] : most;
    line_begin(&l, f, form, RANK_CHARTS);
    line_add(&l, STYLE_FAINT, "latency");
    line_pad_to(&l, LABEL_CELLS);
    for (size_t i = 0; i < LIVE_BUCKETS; i++)
        for (size_t k = 0; k < cells; k++)
            line_add_glyph(&l, STYLE_BAR, eighths((double)v->buckets[i], (double)most));
    line_end(&l);
}

/* The bounds that are powers of ten, each ending where its bucket ends. */
static void scale(struct frame *f, const struct frame_form *form)
{
    static const char *const WORDS[] = { "10us", "100us", "1ms", "10ms", "100ms", "1s", "10s" };
    const size_t cells = bucket_cells(form);
    struct line l;

    line_begin(&l, f, form, RANK_SCALES);
    for (size_t i = 0; i < sizeof(WORDS) / sizeof(WORDS[0]); i++) {
        const size_t end = LABEL_CELLS + (3 * i + 1) * cells, len = slice_str(WORDS[i]).len + 1;

        line_pad_to(&l, end > len ? end - len : 0);
        line_add(&l, STYLE_FAINT, "%s|", WORDS[i]);
    }
    line_end(&l);
}

void frame_charts(struct frame *f, const struct live_figures *x, const struct frame_form *form)
{
    spark(f, x, form, "rate", value_rate, RANK_CHARTS);
    spark(f, x, form, "p99", value_p99, RANK_CHARTS);
    if (highest(x, 0, value_failed) > 0)
        spark(f, x, form, "failed", value_failed, RANK_SCALES);
    if (bucket_cells(form) == 0)
        return;
    strip(f, x->of_second.count > 0 ? &x->of_second : &x->of_whole, form);
    scale(f, form);
}
