/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/export.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/csv.h"
#include "report/export_forms.h"
#include "report/rounds.h"

#define TEXT_MAX_BYTES (UINT64_C(1) << 31)

static const struct {
    const char *name, *what;
} FORMATS[EXPORT_FORMAT_COUNT] = {
#define EXPORT_ROW(id, name, what) [id] = { name, what },
    EXPORT_FORMATS(EXPORT_ROW)
#undef EXPORT_ROW
};

const char *export_format_name(enum export_format f)
{
    return FORMATS[f].name;
}

const char *export_format_what(enum export_format f)
{
    return FORMATS[f].what;
}

int export_format_parse(enum export_format *out, struct slice name)
{
    for (unsigned i = 0; i < EXPORT_FORMAT_COUNT; i++)
        if (slice_eq(name, slice_str(FORMATS[i].name))) {
            *out = (enum export_format)i;
            return 0;
        }
    return -1;
}

void export_begin(struct exporting *e, enum export_format format)
{
    *e = (struct exporting){ .format = format };
    buf_init(&e->text, TEXT_MAX_BYTES);
}

static void columns_release(struct export_columns *c)
{
    for (size_t i = 0; i < c->count; i++)
        free(c->items[i].name);
    free(c->items);
}

void export_release(struct exporting *e)
{
    for (size_t i = 0; i < e->line_count; i++) {
        free(e->lines[i].run);
        free(e->lines[i].name);
        free(e->lines[i].kind);
    }
    free(e->lines);
    columns_release(&e->dimensions);
    columns_release(&e->figures);
    side_release(&e->side);
    buf_release(&e->text);
}

static bool need_column(struct export_columns *c, const char *name, const char *unit)
{
    struct export_column column = { .name = NULL };
    struct export_column *grown;

    for (size_t i = 0; i < c->count; i++)
        if (strcmp(c->items[i].name, name) == 0)
            return true;
    grown = reallocarray(c->items, c->count + 1, sizeof(*grown));
    if (grown == NULL)
        return false;
    c->items = grown;
    column.name = strdup(name);
    if (column.name == NULL)
        return false;
    snprintf(column.unit, sizeof(column.unit), "%s", unit);
    grown[c->count++] = column;
    return true;
}

/* Times come from histograms, or say their unit. */
static const char *unit_of(const struct result *r, const struct metric *m)
{
    const struct named_figure *named = result_metric(r, m->name);
    const struct slice name = slice_str(m->name);

    if (named != NULL)
        return named->unit;
    if (m->is_share)
        return "share";
    return slice_ends(name, SLICE("_per_s")) ? "1/s" : "s";
}

static bool is_dimension(const struct fact *f)
{
    return (f->role == FACT_CELL || f->role == FACT_WORKLOAD || f->role == FACT_PLACE || f->role == FACT_LABEL) &&
           strcmp(f->name, "name") != 0;
}

static bool need_columns(struct exporting *e, const struct result *r, const struct record *record)
{
    bool ok = true;

    for (size_t i = 0; i < record->fact_count && ok; i++)
        if (is_dimension(&record->facts[i]))
            ok = need_column(&e->dimensions, record->facts[i].name, "");
    for (size_t i = 0; i < record->metric_count && ok; i++)
        ok = need_column(&e->figures, record->metrics[i].name, unit_of(r, &record->metrics[i]));
    return ok;
}

static bool set_line(struct export_line *line, const struct result *r)
{
    *line = (struct export_line){ .run = strdup(r->run != NULL ? r->run : r->id),
                                  .name = strdup(r->name != NULL ? r->name : ""),
                                  .kind = strdup(r->kind != NULL ? r->kind : ""),
                                  .duration_s = r->duration_s,
                                  .has_sample = r->has_sample,
                                  .sample = r->sample };
    return line->run != NULL && line->name != NULL && line->kind != NULL;
}

/* After a failure there may be records without a line: nothing but export_release() follows then. */
static int keep(struct exporting *e, const struct result *r, const char *source, struct err *err)
{
    struct export_line *grown = NULL;
    bool ok = side_add_result(&e->side, r, source);

    if (ok && e->side.count > e->line_count) {
        grown = reallocarray(e->lines, e->side.count, sizeof(*grown));
        ok = grown != NULL;
        e->lines = ok ? grown : e->lines;
    }
    while (ok && e->line_count < e->side.count) {
        ok = set_line(&e->lines[e->line_count], r) && need_columns(e, r, &e->side.records[e->line_count]);
        e->line_count++;
    }
    return ok ? 0 : err_set(err, ERR_SYSTEM, ENOMEM, "cannot export the results");
}

/* The document goes out as it is stored: nothing of it is lost. */
static int add_document(struct exporting *e, const struct result *r, struct slice json, struct err *err)
{
    struct buf text;
    int failed = 0;

    buf_init(&text, TEXT_MAX_BYTES);
    if (json.len == 0) {
        failed = result_to_json(r, &text, err);
        json = buf_slice(&text);
    }
    if (failed == 0 && e->format == EXPORT_YAML) {
        export_yaml_add(e, json);
    } else if (failed == 0) {
        buf_add_str(&e->text, e->count > 0 ? ",\n" : "");
        buf_add_slice(&e->text, json);
    }
    buf_release(&text);
    return failed;
}

static int add_form(struct exporting *e, const struct result *r, struct slice json, const char *source, struct err *err)
{
    switch (e->format) {
    case EXPORT_JSON:
    case EXPORT_YAML:
        return add_document(e, r, json, err);
    case EXPORT_TARGETS:
        buf_add_str(&e->text, e->count > 0 ? "\n" : "");
        if (r->rounds != NULL)
            rounds_csv(&e->text, r);
        else
            report_csv(&e->text, r);
        return 0;
    case EXPORT_MARKDOWN:
        export_markdown_add(e, r);
        return 0;
    case EXPORT_JUNIT:
        export_junit_add(e, r);
        return 0;
    case EXPORT_HDR:
        return export_hdr_add(e, r, err);
    case EXPORT_HDR_LOG:
        return export_hdr_log_add(e, r, err);
    case EXPORT_ELASTICSEARCH:
        export_bulk_add(e, r);
        return 0;
    case EXPORT_GNUPLOT:
        export_gnuplot_add(e, r);
        return keep(e, r, source, err);
    case EXPORT_CSV:
    case EXPORT_OPENMETRICS:
        return keep(e, r, source, err);
    case EXPORT_FORMAT_COUNT:
        break;
    }
    BUG("form %d", (int)e->format);
}

int export_add(struct exporting *e, const struct result *r, struct slice json, const char *source, struct err *err)
{
    if (add_form(e, r, json, source, err) != 0)
        return -1;
    e->count++;
    return buf_ok(&e->text) ? 0 : err_set(err, ERR_SYSTEM, ENOMEM, "the export is too large");
}

static void end_json(const struct exporting *e, struct buf *out)
{
    buf_add_str(out, e->count == 1 ? "" : "[\n");
    buf_add_slice(out, buf_slice(&e->text));
    buf_add_str(out, e->count == 1 ? "" : "]\n");
}

int export_end(struct exporting *e, struct buf *out, struct err *err)
{
    switch (e->format) {
    case EXPORT_JSON:
        end_json(e, out);
        break;
    case EXPORT_CSV:
        export_csv_end(e, out);
        break;
    case EXPORT_JUNIT:
        export_junit_end(e, out);
        break;
    case EXPORT_OPENMETRICS:
        export_openmetrics_end(e, out);
        break;
    case EXPORT_GNUPLOT:
        export_gnuplot_end(e, out);
        break;
    case EXPORT_TARGETS:
    case EXPORT_MARKDOWN:
    case EXPORT_YAML:
    case EXPORT_HDR:
    case EXPORT_HDR_LOG:
    case EXPORT_ELASTICSEARCH:
    case EXPORT_FORMAT_COUNT:
        buf_add_slice(out, buf_slice(&e->text));
        break;
    }
    return buf_ok(out) ? 0 : err_set(err, ERR_SYSTEM, ENOMEM, "the export is too large");
}
