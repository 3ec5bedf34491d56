/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/compare_forms.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"

static void string(struct buf *out, const char *text)
{
    struct slice rest = slice_str(text);

    buf_add_char(out, '"');
    while (rest.len > 0) {
        const size_t n = utf8_length(rest);
        const unsigned char first = (unsigned char)rest.ptr[0];

        if (n == 0)
            buf_add_str(out, "\\ufffd");
        else if (first == '"' || first == '\\')
            buf_printf(out, "\\%c", first);
        else if (first < 0x20)
            buf_printf(out, "\\u%04x", first);
        else
            buf_append(out, rest.ptr, n);
        rest = slice_drop(rest, n > 0 ? n : 1);
    }
    buf_add_char(out, '"');
}

/* 15 digits when they read back as the same value, else 17; null when it is no number. */
static void number(struct buf *out, double value)
{
    char text[40];

    if (!isfinite(value)) {
        buf_add_str(out, "null");
        return;
    }
    snprintf(text, sizeof(text), "%.15g", value);
    if (strtod(text, NULL) != value)
        snprintf(text, sizeof(text), "%.17g", value);
    buf_add_str(out, text);
}

static void key(struct buf *out, const char *name)
{
    string(out, name);
    buf_add_str(out, ": ");
}

static void number_member(struct buf *out, const char *name, double value)
{
    key(out, name);
    number(out, value);
    buf_add_str(out, ", ");
}

static void interval(struct buf *out, const double ends[2])
{
    key(out, "interval");
    if (isnan(ends[0]) || isnan(ends[1])) {
        buf_add_str(out, "null, ");
        return;
    }
    buf_add_char(out, '[');
    number(out, ends[0]);
    buf_add_str(out, ", ");
    number(out, ends[1]);
    buf_add_str(out, "], ");
}

static void values(struct buf *out, const char *name, const struct compare_samples *s)
{
    key(out, name);
    buf_add_char(out, '[');
    for (size_t i = 0; i < s->count; i++) {
        buf_add_str(out, i > 0 ? ", " : "");
        number(out, s->items[i].value);
    }
    buf_add_char(out, ']');
}

static void dimensions(struct buf *out, const struct comparison *c, size_t cell)
{
    key(out, "cell");
    buf_add_char(out, '{');
    for (size_t i = 0; i < c->dimensions.count; i++) {
        buf_add_str(out, i > 0 ? ", " : "");
        key(out, c->dimensions.items[i]);
        string(out, c->cells[cell].values[i]);
    }
    buf_add_str(out, "}, ");
}

static void cell(struct buf *out, const struct comparison *c, const struct comparison_metric *m, size_t i)
{
    const struct compare_result *r = &m->out.cells[i];

    buf_add_str(out, "    {");
    dimensions(out, c, i);
    key(out, "metric");
    string(out, m->name);
    buf_add_str(out, ", ");
    number_member(out, "base", r->base);
    number_member(out, "new", r->new);
    number_member(out, "change", r->change);
    interval(out, r->interval);
    number_member(out, "p_adjusted", r->p_adjusted);
    number_member(out, "q", r->q);
    key(out, "verdict");
    string(out, compare_verdict_text(r->verdict));
    buf_add_str(out, ", ");
    key(out, "reason");
    string(out, compare_reason_text(r->reason));
    buf_printf(out, ", \"tolerance\": %s, \"samples_base\": %zu, \"samples_new\": %zu, \"samples_needed\": ",
               m->rule[i] == NULL      ? "null"
               : m->tolerance_holds[i] ? "\"pass\""
                                       : "\"fail\"",
               r->samples_base, r->samples_new);
    number(out, r->samples_needed > 0 ? (double)r->samples_needed : NAN);
    buf_add_str(out, ", ");
    values(out, "values_base", &m->cells[i].base);
    buf_add_str(out, ", ");
    values(out, "values_new", &m->cells[i].new);
    buf_add_char(out, '}');
}

static void strings(struct buf *out, const char *name, const struct strlist *list)
{
    buf_add_str(out, "  ");
    key(out, name);
    buf_add_char(out, '[');
    for (size_t i = 0; i < list->count; i++) {
        buf_add_str(out, i > 0 ? ", " : "");
        string(out, list->items[i]);
    }
    buf_add_str(out, "],\n");
}

static void head(struct buf *out, const struct comparison *c)
{
    static const char *const DESIGNS[] = { "one session", "interleaved", "separate sessions" };

    buf_add_str(out, "{\n  \"base\": ");
    string(out, c->base->name != NULL ? c->base->name : "base");
    buf_add_str(out, ",\n  \"new\": ");
    string(out, c->new->name != NULL ? c->new->name : "new");
    buf_add_str(out, ",\n  \"metric\": ");
    string(out, c->metrics[0].name);
    buf_add_str(out, ",\n  \"min_change\": ");
    number(out, c->min_change);
    buf_add_str(out, ",\n  \"design\": ");
    string(out, DESIGNS[c->design]);
    buf_add_str(out, ",\n");
}

static void summary(struct buf *out, const struct comparison_metric *m)
{
    buf_add_str(out, "  \"summary\": {");
    for (unsigned v = 0; v < COMPARE_VERDICT_COUNT; v++) {
        buf_add_str(out, v > 0 ? ", " : "");
        key(out, compare_verdict_text((enum compare_verdict)v));
        buf_printf(out, "%zu", m->out.counts[v]);
    }
    buf_add_str(out, "},\n  \"overall\": {");
    number_member(out, "change", m->out.overall.change);
    interval(out, m->out.overall.interval);
    key(out, "p");
    number(out, m->out.overall.p);
    buf_add_str(out, "},\n");
}

static void seen(struct buf *out, const struct comparison *c)
{
    buf_add_str(out, "  \"seen\": [");
    for (size_t i = 0; i < c->sighting_count; i++) {
        buf_add_str(out, i > 0 ? ", {\"what\": " : "{\"what\": ");
        string(out, c->sightings[i].what);
        buf_printf(out, ", \"base\": %llu, \"new\": %llu}", (unsigned long long)c->sightings[i].base,
                   (unsigned long long)c->sightings[i].new);
    }
    buf_add_str(out, "],\n");
}

void compare_json(struct buf *out, const struct comparison *c)
{
    head(out, c);
    summary(out, &c->metrics[0]);
    strings(out, "differences", &c->differences);
    strings(out, "notes", &c->notes);
    seen(out, c);
    buf_add_str(out, "  \"cells\": [");
    for (size_t k = 0; k < c->metric_count; k++)
        for (size_t i = 0; i < c->cell_count; i++) {
            buf_add_str(out, k + i > 0 ? ",\n" : "\n");
            cell(out, c, &c->metrics[k], i);
        }
    buf_add_str(out, "\n  ]\n}\n");
}
