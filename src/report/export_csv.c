/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>
#include <string.h>

#include "report/csv_cells.h"
#include "report/export_forms.h"

/* Units stand in the names: latency_p99_s. Some have theirs already. */
static const char *suffix_of(const struct export_column *c)
{
    const struct slice name = slice_str(c->name);

    if (strcmp(c->unit, "s") == 0)
        return slice_ends(name, SLICE("_s")) ? "" : "_s";
    return strcmp(c->unit, "B") == 0 && !slice_starts(name, SLICE("bytes")) ? "_bytes" : "";
}

static void add_header(const struct exporting *e, struct buf *out)
{
    buf_add_str(out, "run,id,name,kind,started,valid,duration_s");
    for (size_t i = 0; i < e->dimensions.count; i++) {
        buf_add_char(out, ',');
        csv_add_text(out, e->dimensions.items[i].name);
    }
    buf_add_str(out, ",sample,requests,failures");
    for (size_t i = 0; i < e->figures.count; i++) {
        buf_add_char(out, ',');
        csv_add_text(out, e->figures.items[i].name);
        buf_add_str(out, suffix_of(&e->figures.items[i]));
    }
    buf_add_char(out, '\n');
}

static void add_count(struct buf *out, bool known, uint64_t value)
{
    buf_add_char(out, ',');
    if (known)
        buf_printf(out, "%" PRIu64, value);
}

static void add_texts(struct buf *out, const struct record *r, const struct export_line *line)
{
    const char *const TEXTS[] = { line->run, r->id, line->name, line->kind, r->started };

    for (size_t i = 0; i < sizeof(TEXTS) / sizeof(TEXTS[0]); i++) {
        csv_add_text(out, TEXTS[i]);
        buf_add_char(out, ',');
    }
    buf_add_str(out, r->valid ? "true" : "false");
}

static void add_row(const struct exporting *e, struct buf *out, size_t at)
{
    const struct record *r = &e->side.records[at];
    const struct export_line *line = &e->lines[at];

    add_texts(out, r, line);
    csv_add_decimal(out, line->duration_s > 0, line->duration_s);
    for (size_t i = 0; i < e->dimensions.count; i++) {
        buf_add_char(out, ',');
        csv_add_text(out, record_fact(r, e->dimensions.items[i].name));
    }
    add_count(out, r->has_round || line->has_sample, r->has_round ? r->round : line->sample);
    add_count(out, r->requests > 0, r->requests);
    add_count(out, r->requests > 0, r->failures);
    for (size_t i = 0; i < e->figures.count; i++) {
        const struct metric *m = record_metric(r, e->figures.items[i].name);

        csv_add_decimal(out, m != NULL, m != NULL ? m->value : 0);
    }
    buf_add_char(out, '\n');
}

void export_csv_end(const struct exporting *e, struct buf *out)
{
    add_header(e, out);
    for (size_t i = 0; i < e->side.count; i++)
        add_row(e, out, i);
}
