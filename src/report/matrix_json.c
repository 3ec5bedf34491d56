/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/matrix.h"

#include <math.h>
#include <string.h>

#include "base/json_number.h"
#include "base/json_text.h"

static const char *const OUTCOMES[] = { "pending", "valid", "invalid", "failed", "not_run" };

static void string(struct buf *out, const char *text)
{
    if (text == NULL)
        buf_add_str(out, "null");
    else
        json_add_string(out, slice_str(text));
}

static void number(struct buf *out, double value)
{
    char text[JSON_OUT_DOUBLE_MAX];

    buf_add_str(out, isfinite(value) ? json_format_double(text, value) : "null");
}

static void strings(struct buf *out, const struct strlist *items)
{
    buf_add_str(out, "[");
    for (size_t k = 0; k < items->count; k++) {
        buf_add_str(out, k > 0 ? ", " : "");
        string(out, items->items[k]);
    }
    buf_add_str(out, "]");
}

static void list(struct buf *out, const char *name, const struct strlist *items)
{
    buf_printf(out, "  \"%s\": ", name);
    strings(out, items);
    buf_add_str(out, ",\n");
}

static void cell_of(struct buf *out, const struct matrix *m, uint32_t cell)
{
    buf_add_str(out, "{");
    for (size_t d = 0; d < m->dimensions.count; d++) {
        buf_add_str(out, d > 0 ? ", " : "");
        string(out, m->dimensions.items[d]);
        buf_add_str(out, ": ");
        string(out, m->cells[cell].values[d]);
    }
    buf_add_str(out, "}");
}

static void side_of(struct buf *out, const struct matrix *m, uint32_t side)
{
    string(out, m->side_count == 1 ? NULL : side == 0 ? "a" : "b");
}

static void figures(struct buf *out, const struct matrix *m, uint32_t cell, uint32_t side)
{
    for (size_t k = 0; k < m->metrics.count; k++) {
        const struct matrix_figure f = matrix_figure(m, cell, side, m->metrics.items[k]);

        buf_add_str(out, k > 0 ? ", " : "");
        string(out, m->metrics.items[k]);
        if (f.count == 0) {
            buf_add_str(out, ": null");
            continue;
        }
        buf_add_str(out, ": {\"mean\": ");
        number(out, f.mean);
        buf_add_str(out, ", \"min\": ");
        number(out, f.min);
        buf_add_str(out, ", \"max\": ");
        number(out, f.max);
        buf_add_str(out, "}");
    }
}

static void cells(struct buf *out, const struct matrix *m)
{
    buf_add_str(out, "  \"cells\": [");
    for (uint32_t cell = 0; cell < m->cell_count; cell++)
        for (uint32_t side = 0; side < m->side_count; side++) {
            uint32_t planned = 0, valid = 0;

            for (size_t k = 0; k < m->sample_count; k++)
                if (m->samples[k].cell == cell && m->samples[k].side == side) {
                    planned++;
                    valid += m->samples[k].outcome == MATRIX_VALID;
                }
            buf_add_str(out, cell + side > 0 ? ",\n    {\"cell\": " : "\n    {\"cell\": ");
            cell_of(out, m, cell);
            buf_add_str(out, ", \"side\": ");
            side_of(out, m, side);
            buf_printf(out, ", \"samples\": %u, \"valid\": %u, \"metrics\": {", planned, valid);
            figures(out, m, cell, side);
            buf_add_str(out, "}}");
        }
    buf_add_str(out, "\n  ],\n");
}

static void effects(struct buf *out, const struct matrix *m, const struct matrix_effects *e)
{
    buf_add_str(out, "  \"effects\": [");
    for (size_t k = 0; k < e->effect_count; k++) {
        buf_add_str(out, k > 0 ? ",\n    {\"dimension\": " : "\n    {\"dimension\": ");
        string(out, m->dimensions.items[e->effects[k].dimension]);
        buf_add_str(out, ", \"value\": ");
        string(out, e->effects[k].value);
        buf_add_str(out, ", \"mean\": ");
        number(out, e->effects[k].mean);
        buf_add_str(out, ", \"change\": ");
        number(out, e->effects[k].change);
        buf_printf(out, ", \"cells\": %u}", e->effects[k].cells);
    }
    buf_add_str(out, "\n  ],\n  \"collapses\": [");
    for (size_t k = 0; k < e->collapse_count; k++) {
        const struct matrix_collapse *c = &e->collapses[k];

        buf_add_str(out, k > 0 ? ",\n    {\"dimension\": " : "\n    {\"dimension\": ");
        string(out, m->dimensions.items[c->dimension]);
        buf_add_str(out, ", \"from\": ");
        cell_of(out, m, c->from);
        buf_add_str(out, ", \"to\": ");
        cell_of(out, m, c->to);
        buf_add_str(out, ", \"before\": ");
        number(out, c->before);
        buf_add_str(out, ", \"after\": ");
        number(out, c->after);
        buf_add_str(out, "}");
    }
    buf_add_str(out, "\n  ],\n");
}

static void summary(struct buf *out, const struct matrix *m)
{
    buf_add_str(out, "  \"summary\": ");
    if (m->summary.len > 0)
        json_add_string(out, buf_slice(&m->summary));
    else
        buf_add_str(out, "null");
    buf_add_str(out, ",\n");
}

static void samples(struct buf *out, const struct matrix *m)
{
    buf_add_str(out, "  \"samples\": [");
    for (size_t k = 0; k < m->sample_count; k++) {
        const struct matrix_sample *s = &m->samples[k];
        const bool has_record = s->outcome == MATRIX_VALID || s->outcome == MATRIX_INVALID;

        buf_add_str(out, k > 0 ? ",\n    {\"cell\": " : "\n    {\"cell\": ");
        cell_of(out, m, s->cell);
        buf_add_str(out, ", \"side\": ");
        side_of(out, m, s->side);
        buf_printf(out, ", \"sample\": %u, \"outcome\": \"%s\", \"id\": ", s->number + 1, OUTCOMES[s->outcome]);
        string(out, has_record ? m->sides[s->side].records[s->record].id : NULL);
        buf_add_str(out, ", \"note\": ");
        string(out, s->note);
        buf_add_str(out, ", \"warnings\": ");
        strings(out, &s->warnings);
        buf_add_str(out, "}");
    }
    buf_add_str(out, "\n  ]\n");
}

static bool higher_is_better(const struct matrix *m, const char *name)
{
    for (size_t k = 0; k < m->sides[0].count; k++) {
        const struct metric *found = record_metric(&m->sides[0].records[k], name);

        if (found != NULL)
            return found->higher_is_better;
    }
    return true;
}

int report_matrix_json(struct buf *out, const struct matrix *m, struct err *err)
{
    struct matrix_effects e = { 0 };

    if (m->metrics.count > 0 &&
        matrix_find_effects(m, m->metrics.items[0], higher_is_better(m, m->metrics.items[0]), &e, err) != 0)
        return -1;
    buf_add_str(out, "{\n  \"format\": \"plimsoll-run\",\n  \"version\": 1,\n  \"id\": ");
    string(out, m->run);
    buf_add_str(out, ",\n  \"name\": ");
    string(out, m->name);
    buf_printf(out, ",\n  \"interrupted\": %s,\n", m->interrupted ? "true" : "false");
    list(out, "facts", &m->facts);
    list(out, "notes", &m->notes);
    list(out, "metrics", &m->metrics);
    cells(out, m);
    effects(out, m, &e);
    summary(out, m);
    samples(out, m);
    buf_add_str(out, "}\n");
    matrix_effects_release(&e);
    return buf_ok(out) ? 0 : err_set(err, ERR_SYSTEM, 0, "out of memory");
}
