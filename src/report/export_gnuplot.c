/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <string.h>

#include "base/json_number.h"
#include "report/export_forms.h"

/* Index 0: a line for each result, "?" where a figure is not known (set datafile missing "?"). Every further index: the
 * percentiles of one result with a histogram, each block below two blank lines, as gnuplot tells them apart. */

static void add_quoted(struct buf *out, const char *text)
{
    buf_add_char(out, '"');
    for (const char *c = text; *c != '\0'; c++)
        buf_add_char(out, *c == '"' || (unsigned char)*c < 0x20 ? '\'' : *c);
    buf_add_char(out, '"');
}

void export_gnuplot_add(struct exporting *e, const struct result *r)
{
    struct hist_iter it;
    const uint64_t count = hist_count(r->latency);

    if (count == 0)
        return;
    buf_add_str(&e->text, "\n\n# ");
    add_quoted(&e->text, r->name != NULL && r->name[0] != '\0' ? r->name : r->id);
    buf_add_str(&e->text, ": latency_s share\n");
    hist_iter_init(&it, r->latency);
    while (hist_iter_next(&it)) {
        const uint64_t max = hist_max_ns(r->latency);

        buf_printf(&e->text, "%.9f %.9f\n", (double)(it.high_ns < max ? it.high_ns : max) / 1e9,
                   (double)it.cumulative / (double)count);
    }
}

static void add_cell(struct buf *out, const struct record *r)
{
    struct buf label;

    buf_init(&label, 1u << 16);
    for (size_t i = 0; i < r->fact_count; i++)
        if (r->facts[i].role == FACT_CELL)
            buf_printf(&label, "%s%s", label.len > 0 ? "/" : "", r->facts[i].value);
    add_quoted(out, label.len > 0 ? label.data : "all");
    buf_release(&label);
}

void export_gnuplot_end(const struct exporting *e, struct buf *out)
{
    char value[JSON_OUT_DOUBLE_MAX];

    buf_add_str(out, "# run cell sample");
    for (size_t i = 0; i < e->figures.count; i++)
        buf_printf(out, " %s", e->figures.items[i].name);
    buf_add_char(out, '\n');
    for (size_t i = 0; i < e->side.count; i++) {
        const struct record *r = &e->side.records[i];
        const struct export_line *line = &e->lines[i];

        add_quoted(out, line->name[0] != '\0' ? line->name : line->run);
        buf_add_char(out, ' ');
        add_cell(out, r);
        buf_printf(out, " %u", r->has_round ? r->round : line->sample);
        for (size_t k = 0; k < e->figures.count; k++) {
            const struct metric *m = record_metric(r, e->figures.items[k].name);

            buf_printf(out, " %s", m != NULL && isfinite(m->value) ? json_format_double(value, m->value) : "?");
        }
        buf_add_char(out, '\n');
    }
    buf_add_slice(out, buf_slice(&e->text));
}
