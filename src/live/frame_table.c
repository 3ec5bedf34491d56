/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <string.h>

#include "base/units.h"
#include "live/cells.h"
#include "live/frame_parts.h"

enum { COLUMN_CELLS = 10, NOTE_CELLS = 16, NAME_LEAST = 8, ROWS_AT_LEAST = 3 };

void frame_errors(struct frame *f, const struct live_figures *x, const struct frame_form *form)
{
    char text[UNITS_TEXT_MAX];
    struct line l;

    line_begin(&l, f, form, x->error_count > 0 ? RANK_MAIN : RANK_SCALES);
    line_add(&l, STYLE_FAINT, "errors");
    line_pad_to(&l, LABEL_CELLS);
    for (size_t i = 0; i < x->error_count; i++) {
        line_add_text(&l, STYLE_BAD, x->errors[i].kind, line_left(&l));
        line_add(&l, STYLE_BAD, " %s  ", units_format_count(text, x->errors[i].count));
    }
    if (x->error_count == 0)
        line_add(&l, STYLE_FAINT, "none");
    line_end(&l);
}

static const char *value_text(char out[UNITS_TEXT_MAX], double value, enum live_unit unit)
{
    if (isnan(value))
        return "-";
    if (unit == LIVE_SECONDS)
        return units_format_duration(out, value * NS_PER_S);
    if (unit == LIVE_COUNT && value < 1e8)
        return units_format_count(out, (uint64_t)value);
    return units_format_number(out, value);
}

static bool has_notes(const struct live_table *t)
{
    for (size_t i = 0; i < t->row_count; i++)
        if (t->rows[i].note[0] != '\0')
            return true;
    return false;
}

struct widths {
    size_t columns, name, note;
};

/* Columns at the right go first when the line is short. */
static struct widths widths_of(const struct live_table *t, const struct frame_form *form)
{
    struct widths w = { .columns = t->column_count, .note = has_notes(t) ? NOTE_CELLS : 0 };

    while (w.columns > 1 && w.columns * COLUMN_CELLS + w.note + NAME_LEAST > form->columns)
        w.columns--;
    w.name = w.columns * COLUMN_CELLS + w.note;
    w.name = form->columns > w.name + NAME_LEAST ? form->columns - w.name : NAME_LEAST;
    return w;
}

static void head_line(struct frame *f, const struct live_table *t, const struct widths *w,
                      const struct frame_form *form)
{
    struct line l;

    line_begin(&l, f, form, RANK_HEADS);
    line_add(&l, STYLE_FAINT, "%s", t->what);
    line_pad_to(&l, w->name);
    for (size_t i = 0; i < w->columns; i++)
        line_add_right(&l, STYLE_FAINT, t->columns[i].title, COLUMN_CELLS);
    line_end(&l);
}

static void row_line(struct frame *f, const struct live_table *t, const struct live_row *row, const struct widths *w,
                     const struct frame_form *form, int rank)
{
    const enum line_style style = row->alarming ? STYLE_BAD : STYLE_PLAIN;
    char text[UNITS_TEXT_MAX];
    struct line l;

    line_begin(&l, f, form, rank);
    line_add_text(&l, style, row->name, w->name);
    line_pad_to(&l, w->name);
    for (size_t i = 0; i < w->columns; i++)
        line_add_right(&l, style, value_text(text, row->values[i], t->columns[i].unit), COLUMN_CELLS);
    if (w->note > 0) {
        line_add(&l, STYLE_PLAIN, "  ");
        line_add_text(&l, style, row->note, w->note - 2);
    }
    line_end(&l);
}

/* Those that alarm come first, so that they are seen where not all are. */
void frame_table(struct frame *f, const struct live_figures *x, const struct frame_form *form)
{
    const struct live_table *t = &x->table;
    const struct widths w = widths_of(t, form);
    size_t shown = 0;
    struct line l;

    if (t->what == NULL || t->row_count == 0)
        return;
    head_line(f, t, &w, form);
    for (int alarming = t->newest_first ? 0 : 1; alarming >= 0; alarming--)
        for (size_t k = 0; k < t->row_count; k++) {
            const struct live_row *row = &t->rows[t->newest_first ? t->row_count - 1 - k : k];

            if (!t->newest_first && row->alarming != (alarming == 1))
                continue;
            row_line(f, t, row, &w, form, shown < ROWS_AT_LEAST ? RANK_ROWS : RANK_MORE);
            shown++;
        }
    if (t->total == t->row_count)
        return;
    line_begin(&l, f, form, RANK_MORE);
    line_add(&l, STYLE_FAINT, "and %zu more", t->total - t->row_count);
    line_end(&l);
}

static void client_line(struct frame *f, const struct live_figures *x, const struct frame_form *form)
{
    const struct live_health *h = &x->health;
    char a[UNITS_TEXT_MAX], b[UNITS_TEXT_MAX];
    struct line l;

    if (h->workers == 0)
        return;
    line_begin(&l, f, form, h->limit[0] != '\0' ? RANK_MAIN : RANK_SECOND);
    line_add(&l, STYLE_FAINT, "client");
    line_pad_to(&l, LABEL_CELLS);
    if (h->limit[0] != '\0')
        line_add(&l, STYLE_BAD, "LIMITED: %s  ", h->limit);
    line_add(&l, STYLE_PLAIN, "%.2f of %u cores  lag p99 %s  late p99 %s  files %llu", h->cpu_cores, h->workers,
             units_format_duration(a, (double)h->loop_lag_p99_ns),
             units_format_duration(b, (double)h->send_lateness_p99_ns), (unsigned long long)h->open_files);
    line_end(&l);
}

void frame_foot(struct frame *f, const struct live_figures *x, const struct frame_form *form)
{
    struct line l;

    client_line(f, x, form);
    if (x->message[0] != '\0') {
        line_begin(&l, f, form, RANK_MAIN);
        line_add_text(&l, STYLE_WARN, x->message, form->columns);
        line_end(&l);
    }
    line_begin(&l, f, form, RANK_ALWAYS);
    if (x->is_stopping)
        line_add(&l, STYLE_WARN, "stopping: %s (Ctrl-C once more quits at once)",
                 strcmp(x->stage, "waiting") == 0 ? "nothing was sent" : "the report follows");
    else if (form->has_keys)
        line_add(&l, STYLE_FAINT, "q stop and report   p %s   s save   ? %s", form->paused ? "go on" : "pause",
                 form->help ? "figures" : "help");
    else
        line_add(&l, STYLE_FAINT, "Ctrl-C stops and reports");
    line_end(&l);
}

void frame_help(struct frame *f, const struct live_figures *x, const struct frame_form *form)
{
    static const char *const LINES[] = {
        "",
        "q, Ctrl-C   stop now and report; once more quits without a report",
        "p           pause: the screen stands still, the load goes on",
        "s           save these figures as JSON, plimsoll-live-TIME.json, here",
        "?           this help, and back",
        "",
        "rate        of the last second; red: below 95 % of the rate that was asked",
        "latency     from when a request was due to the last byte of its reply",
        "            the strip: how many took up to 10us, 20us, 50us ... just now",
        "late        requests that left after their time, a connection being free",
        "client      this machine; LIMITED: it may be what was measured",
        "",
        "Warm-up is in none of these figures.",
    };
    struct line l;

    (void)x;
    for (size_t i = 0; i < sizeof(LINES) / sizeof(LINES[0]); i++) {
        line_begin(&l, f, form, LINES[i][0] != '\0' ? RANK_MORE : RANK_BLANK);
        line_add(&l, STYLE_PLAIN, "%s", LINES[i]);
        line_end(&l);
    }
}
