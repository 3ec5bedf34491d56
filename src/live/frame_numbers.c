/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdio.h>

#include "base/units.h"
#include "live/cells.h"
#include "live/frame_parts.h"

enum { NUMBER_CELLS = 12 };

/* "12 s of 30 s", "1,200 of 5,000 requests  3 s". */
static void add_time(struct buf *out, const struct live_figures *x)
{
    char a[UNITS_TEXT_MAX], b[UNITS_TEXT_MAX];

    if (x->planned > 0)
        buf_printf(out, "%s of %s %s  ", units_format_count(a, x->ok + x->failed), units_format_count(b, x->planned),
                   x->unit);
    buf_printf(out, "%.0f", floor(x->elapsed_s));
    if (x->planned_s > 0)
        buf_printf(out, " of %.0f", x->planned_s);
    buf_add_str(out, " s");
}

static void title_line(struct frame *f, const struct live_figures *x, const struct frame_form *form)
{
    struct buf right;
    struct line l;
    size_t room;

    buf_init(&right, 1024);
    buf_printf(&right, "%s  ", x->is_stopping && !x->is_over ? "stopping" : x->stage);
    add_time(&right, x);
    line_begin(&l, f, form, RANK_ALWAYS);
    if (form->paused)
        line_add(&l, STYLE_WARN, "PAUSED ");
    line_add(&l, STYLE_STRONG, "plimsoll %s  ", x->command);
    room = cells_width(buf_slice(&right), form->utf8) + 2;
    if (line_left(&l) > room + 8)
        line_add_text(&l, STYLE_PLAIN, x->title, line_left(&l) - room);
    if (form->columns > room - 2 + l.used)
        line_pad_to(&l, form->columns - room + 2);
    else
        line_pad_to(&l, l.used + 1);
    line_add(&l, x->is_stopping ? STYLE_WARN : STYLE_PLAIN, "%s", buf_ok(&right) ? right.data : "");
    line_end(&l);
    buf_release(&right);
}

/* How much of the whole is done; below 0: nobody knows. */
static double done_share(const struct live_figures *x)
{
    const double time = x->planned_s > 0 ? x->elapsed_s / x->planned_s : -1;
    const double count = x->planned > 0 ? (double)(x->ok + x->failed) / (double)x->planned : -1;
    const double within = time > count ? time : count;
    const double part = within > 1 ? 1 : within;

    if (x->steps == 0)
        return part;
    return ((x->step > 0 ? (double)x->step - 1 : 0) + (part > 0 && !x->is_over ? part
                                                       : x->is_over            ? 1
                                                                               : 0)) /
           (double)x->steps;
}

static void bar(struct line *l, double share, size_t cells)
{
    const size_t full = (size_t)(share * (double)cells + 0.5);

    for (size_t i = 0; i < cells; i++)
        line_add(l, STYLE_BAR, "%s", l->form->utf8 ? (i < full ? "█" : "░") : i < full ? "#" : "-");
}

static void bar_line(struct frame *f, const struct live_figures *x, const struct frame_form *form)
{
    const double share = done_share(x);
    char left[UNITS_TEXT_MAX];
    struct line l;

    if (share < 0 && x->step_word == NULL)
        return;
    line_begin(&l, f, form, RANK_MAIN);
    if (x->step_word != NULL && x->steps > 0)
        line_add(&l, STYLE_PLAIN, "%s %llu of %llu  ", x->step_word, (unsigned long long)x->step,
                 (unsigned long long)x->steps);
    else if (x->step_word != NULL)
        line_add(&l, STYLE_PLAIN, "%s %llu  ", x->step_word, (unsigned long long)x->step);
    if (share >= 0) {
        bar(&l, share > 1 ? 1 : share, form->columns / (x->step_word != NULL ? 4 : 2));
        line_add(&l, STYLE_PLAIN, " %.0f %%", 100 * (share > 1 ? 1 : share));
    }
    if (!isnan(x->left_s))
        line_add(&l, STYLE_PLAIN, "  %s left", units_format_duration(left, x->left_s * NS_PER_S));
    if (x->step_name[0] != '\0' && line_left(&l) > 4) {
        line_add(&l, STYLE_PLAIN, "  ");
        line_add_text(&l, STYLE_STRONG, x->step_name, line_left(&l));
    }
    line_end(&l);
}

void frame_head(struct frame *f, const struct live_figures *x, const struct frame_form *form)
{
    title_line(f, x, form);
    bar_line(f, x, form);
}

static void label(struct line *l, const char *text)
{
    line_add(l, STYLE_FAINT, "%s", text);
    line_pad_to(l, LABEL_CELLS);
}

static void rate_line(struct frame *f, const struct live_figures *x, const struct frame_form *form)
{
    char a[UNITS_TEXT_MAX], b[UNITS_TEXT_MAX];
    struct line l;

    line_begin(&l, f, form, RANK_ALWAYS);
    label(&l, "rate");
    line_add(&l, STYLE_STRONG, "%s %s/s", isnan(x->achieved_per_s) ? "-" : units_format_number(a, x->achieved_per_s),
             x->unit);
    if (!isnan(x->asked_per_s)) {
        const bool met = x->achieved_per_s >= 0.95 * x->asked_per_s;

        line_add(&l, met || isnan(x->achieved_per_s) ? STYLE_GOOD : STYLE_BAD, "  of %s/s asked",
                 units_format_number(b, x->asked_per_s));
    }
    line_add(&l, STYLE_PLAIN, "   in flight %s", units_format_count(a, x->in_flight));
    if (x->connections > 0)
        line_add(&l, STYLE_PLAIN, "   connections %s", units_format_count(a, x->connections));
    line_end(&l);
}

static void counts_line(struct frame *f, const struct live_figures *x, const struct frame_form *form)
{
    char text[UNITS_TEXT_MAX];
    struct line l;

    line_begin(&l, f, form, RANK_ALWAYS);
    label(&l, x->unit);
    line_add(&l, STYLE_STRONG, "ok %s", units_format_count(text, x->ok));
    line_add(&l, x->failed > 0 ? STYLE_BAD : STYLE_PLAIN, "  failed %s", units_format_count(text, x->failed));
    if (x->failed > 0)
        line_add(&l, STYLE_BAD, " (%.2g %%)", 100 * (double)x->failed / (double)(x->ok + x->failed));
    line_add(&l, STYLE_PLAIN, "  started %s", units_format_count(text, x->started));
    if (x->unfinished > 0)
        line_add(&l, STYLE_WARN, "  unfinished %s", units_format_count(text, x->unfinished));
    if (x->retried > 0)
        line_add(&l, STYLE_WARN, "  retried %s", units_format_count(text, x->retried));
    if (x->bytes_received > 0)
        line_add(&l, STYLE_PLAIN, "  received %s", units_format_size(text, (double)x->bytes_received));
    line_end(&l);
}

static void latency_line(struct frame *f, const char *name, const struct live_latency *v, const struct frame_form *form,
                         int rank)
{
    const uint64_t values[] = { v->p50_ns, v->p99_ns, v->max_ns };
    char text[UNITS_TEXT_MAX];
    struct line l;

    line_begin(&l, f, form, rank);
    line_add(&l, STYLE_PLAIN, "  %s", name);
    line_pad_to(&l, LABEL_CELLS + 4);
    for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++)
        line_add_right(&l, STYLE_STRONG, v->count > 0 ? units_format_duration(text, (double)values[i]) : "-",
                       NUMBER_CELLS);
    line_add_right(&l, STYLE_PLAIN, units_format_count(text, v->count), NUMBER_CELLS + 4);
    line_end(&l);
}

void frame_numbers(struct frame *f, const struct live_figures *x, const struct frame_form *form)
{
    static const char *const HEADS[] = { "p50", "p99", "max" };
    struct line l;

    rate_line(f, x, form);
    counts_line(f, x, form);
    line_begin(&l, f, form, RANK_HEADS);
    label(&l, "latency");
    line_pad_to(&l, LABEL_CELLS + 4);
    for (size_t i = 0; i < sizeof(HEADS) / sizeof(HEADS[0]); i++)
        line_add_right(&l, STYLE_FAINT, HEADS[i], NUMBER_CELLS);
    line_add_right(&l, STYLE_FAINT, "of", NUMBER_CELLS + 4);
    line_end(&l);
    latency_line(f, x->second, &x->of_second, form, RANK_MAIN);
    latency_line(f, x->whole, &x->of_whole, form, RANK_MAIN);
}
