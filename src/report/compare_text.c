/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/compare_text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "report/compare_tolerance.h"
#include "report/compare_words.h"
#include "report/fit.h"

enum { LABEL_WIDTH_MAX = 48, STRIP = 24, LINE_WIDTH = 100, NOTES_MAX = 20 };

static void add_fitted(struct buf *out, const char *text, size_t width)
{
    fit_line(out, slice_str(text), width, FIT_BOTH_ENDS);
}

static void paragraph(struct buf *out, const char *first, const char *text)
{
    fit_paragraph(out, first, slice_str(text), LINE_WIDTH);
}

static void paragraph_of(struct buf *out, const char *first, struct buf *text)
{
    if (!buf_ok(text))
        (void)buf_reserve(out, SIZE_MAX);
    else if (text->len > 0)
        fit_paragraph(out, first, buf_slice(text), LINE_WIDTH);
    buf_clear(text);
}

static size_t label_width(const struct comparison *c)
{
    size_t width = 8; /* the least that fit_line() takes */

    for (size_t i = 0; i < c->cell_count; i++)
        width = strlen(c->cells[i].label) > width ? strlen(c->cells[i].label) : width;
    return width < LABEL_WIDTH_MAX ? width : LABEL_WIDTH_MAX;
}

/* The samples on one scale, from the least to the largest of both sides. */
static void draw_strip(char strip[STRIP + 1], const struct compare_cell *cell)
{
    const struct compare_samples *sides[] = { &cell->base, &cell->new };
    double low = INFINITY, high = -INFINITY;

    memset(strip, ' ', STRIP);
    strip[STRIP] = '\0';
    for (int side = 0; side < 2; side++)
        for (size_t i = 0; i < sides[side]->count; i++) {
            low = fmin(low, sides[side]->items[i].value);
            high = fmax(high, sides[side]->items[i].value);
        }
    for (int side = 0; side < 2; side++)
        for (size_t i = 0; i < sides[side]->count; i++) {
            const double value = sides[side]->items[i].value, span = high - low;
            const double place = span > 0 && isfinite(span) ? (value - low) / span * (STRIP - 1) : STRIP / 2;
            char *dot = &strip[isfinite(value) ? (size_t)place : 0];

            *dot = *dot == ' ' || *dot == "ox"[side] ? "ox"[side] : '8';
        }
}

/* Cut, it would look like another cell. */
static bool must_be_whole(const struct comparison *c, size_t i, size_t width)
{
    const struct slice label = slice_str(c->cells[i].label);

    if (label.len <= width)
        return false;
    for (size_t k = 0; k < c->cell_count; k++)
        if (k != i && fit_hides_difference(label, slice_str(c->cells[k].label), width, FIT_BOTH_ENDS))
            return true;
    return false;
}

static void cell_row(struct buf *out, const struct comparison *c, const struct comparison_metric *m, size_t i,
                     size_t width)
{
    const struct compare_result *r = &m->out.cells[i];
    char base[WORDS_MAX], new[WORDS_MAX], change[WORDS_MAX], interval[WORDS_MAX], p[WORDS_MAX], strip[STRIP + 1];
    size_t from = out->len;

    buf_add_str(out, "  ");
    if (must_be_whole(c, i, width)) {
        fit_line(out, slice_str(c->cells[i].label), SIZE_MAX, FIT_HEAD);
        buf_add_char(out, '\n');
        from = out->len;
    } else {
        add_fitted(out, c->cells[i].label, width);
    }
    while (buf_ok(out) && out->len - from < width + 2)
        buf_add_char(out, ' ');
    draw_strip(strip, &m->cells[i]);
    buf_printf(out, " %12s %12s %12s %22s %7s  %-14s", words_value(base, m, r->base), words_value(new, m, r->new),
               words_change(change, m, r->change), words_interval(interval, m, r->interval), words_p(p, r->p_adjusted),
               compare_verdict_text(r->verdict));
    if (m->rule[i] != NULL)
        buf_printf(out, " %-4s", m->tolerance_holds[i] ? "Pass" : "Fail");
    buf_printf(out, " |%s|\n", strip);
}

static void metric_table(struct buf *out, const struct comparison *c, const struct comparison_metric *m)
{
    const size_t width = label_width(c);
    size_t *order = words_order(c, m);
    char name[WORDS_MAX];
    bool ruled = false;

    if (order == NULL) {
        (void)buf_reserve(out, SIZE_MAX);
        return;
    }
    for (size_t i = 0; i < c->cell_count; i++)
        ruled |= m->rule[i] != NULL;
    buf_printf(out, "\n%s%s\n  %-*s %12s %12s %12s %22s %7s  %-14s%s  samples: o base, x new, 8 both\n",
               words_metric(name, m->name), m->gates ? "" : " (not gating)", (int)width, "cell", "base", "new",
               "change", "95 % interval", "p adj.", "verdict", ruled ? " rule" : "");
    for (size_t i = 0; i < c->cell_count; i++)
        cell_row(out, c, m, order[i], width);
    free(order);
}

/* Why a verdict is none, once per reason and not per cell. */
static void reasons(struct buf *out, const struct comparison *c, const struct comparison_metric *m)
{
    struct buf text;
    size_t *order = words_order(c, m), told = 0, left = 0;

    buf_init(&text, BUF_TEXT_MAX_BYTES);
    for (size_t i = 0; order != NULL && i < c->cell_count; i++) {
        const struct compare_result *r = &m->out.cells[order[i]];

        if ((r->reason == COMPARE_WHY_PLAIN && r->samples_needed == 0) || r->reason == COMPARE_WHY_NO_HISTORY ||
            r->reason == COMPARE_WHY_ONE_SAMPLE)
            continue;
        if (told == NOTES_MAX) {
            left++;
            continue;
        }
        buf_printf(&text, "%s: ", c->cells[order[i]].label);
        words_reason(&text, r, c->design);
        buf_printf(&text, "%s.", m->gates ? "" : " (not gating)");
        paragraph_of(out, told++ == 0 ? "  why       " : "            ", &text);
    }
    if (left > 0)
        buf_printf(out, "            and %zu more cell%s.\n", left, units_plural(left));
    buf_release(&text);
    free(order);
}

static void list(struct buf *out, const char *first, const struct strlist *lines)
{
    for (size_t i = 0; i < lines->count && i < NOTES_MAX; i++)
        paragraph(out, i == 0 ? first : "            ", lines->items[i]);
    if (lines->count > NOTES_MAX)
        buf_printf(out, "            and %zu more.\n", lines->count - NOTES_MAX);
}

/* What the cells' names are made of. */
static void dimensions(struct buf *out, const struct comparison *c)
{
    struct buf text;

    buf_init(&text, BUF_TEXT_MAX_BYTES);
    for (size_t i = 0; i < c->dimensions.count; i++)
        buf_printf(&text, "%s%s", i > 0 ? "/" : "", c->dimensions.items[i]);
    paragraph_of(out, "  cells     ", &text);
    buf_release(&text);
}

static void sightings(struct buf *out, const struct comparison *c)
{
    struct buf text;
    char base[UNITS_TEXT_MAX], new[UNITS_TEXT_MAX];
    bool first = true;

    buf_init(&text, BUF_TEXT_MAX_BYTES);
    for (size_t i = 0; i < c->sighting_count; i++) {
        const struct comparison_sighting *s = &c->sightings[i];

        if (!comparison_sighting_is_new(s))
            continue;
        buf_printf(&text, "%s was not there before: %s in new, none in base.", s->what,
                   units_format_count(new, s->new));
        paragraph_of(out, first ? "  NEW       " : "            ", &text);
        first = false;
    }
    if (c->failures[0] + c->failures[1] > 0) {
        buf_printf(&text, "base %s of ", units_format_count(base, c->failures[0]));
        buf_printf(&text, "%s requests, ", units_format_count(base, c->requests[0]));
        buf_printf(&text, "new %s of ", units_format_count(new, c->failures[1]));
        buf_printf(&text, "%s.", units_format_count(new, c->requests[1]));
        if (!isnan(c->fisher))
            buf_printf(&text, " Fisher's exact test over all requests: p %.2g (requests are not samples; no verdict).",
                       c->fisher);
        paragraph_of(out, "  failed    ", &text);
    }
    buf_release(&text);
}

static void rules(struct buf *out, const struct comparison *c)
{
    for (size_t i = 0; c->rules != NULL && i < c->rules->count; i++) {
        const struct tolerance_rule *r = &c->rules->items[i];

        buf_printf(out, "  rule %zu    tolerancy %g %%: %zu of %zu comparisons failed, %g %% may%s\n", i + 1,
                   r->tolerancy, r->failures, r->comparisons, r->max_failures,
                   r->comparisons == 0 ? ": it matches nothing, which is a failure" : "");
    }
    if (c->rules != NULL)
        buf_printf(out, "            %s\n", c->tolerance_broken ? "TOLERANCE BROKEN" : "tolerances hold");
}

void compare_text(struct buf *out, const struct comparison *c)
{
    struct buf text;

    buf_init(&text, BUF_TEXT_MAX_BYTES);
    words_summary(&text, c);
    paragraph_of(out, "", &text);
    words_overall(&text, &c->metrics[0]);
    paragraph_of(out, "", &text);
    buf_release(&text);
    buf_printf(out, "\n  base      ");
    add_fitted(out, c->base->name != NULL ? c->base->name : "base", LINE_WIDTH - 24);
    buf_printf(out, ", %zu sample%s\n  new       ", c->base->count, c->base->count == 1 ? "" : "s");
    add_fitted(out, c->new->name != NULL ? c->new->name : "new", LINE_WIDTH - 24);
    buf_printf(out, ", %zu sample%s\n", c->new->count, c->new->count == 1 ? "" : "s");
    dimensions(out, c);
    list(out, "  differ    ", &c->differences);
    list(out, "  note      ", &c->notes);
    sightings(out, c);
    for (size_t i = 0; i < c->metric_count; i++)
        metric_table(out, c, &c->metrics[i]);
    buf_add_char(out, '\n');
    for (size_t i = 0; i < c->metric_count; i++)
        reasons(out, c, &c->metrics[i]);
    rules(out, c);
    compare_tolerance_table(out, c);
    words_method(out, c, "  ");
}
