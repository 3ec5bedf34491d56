/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <string.h>

#include "base/json_number.h"
#include "report/export_forms.h"

/* OpenMetrics 1.0: all samples of a family stand together, its name ends with its unit. */

static const struct {
    const char *unit, *word;
} UNITS[] = {
    { "s", "seconds" }, { "share", "ratio" }, { "B", "bytes" }, { "1/s", "per_second" }, { "B/s", "bytes_per_second" }
};

static const char *unit_word(const char *unit)
{
    for (size_t i = 0; i < sizeof(UNITS) / sizeof(UNITS[0]); i++)
        if (strcmp(UNITS[i].unit, unit) == 0)
            return UNITS[i].word;
    return NULL;
}

static void add_safe(struct buf *out, struct slice name)
{
    for (size_t i = 0; i < name.len; i++) {
        const char c = name.ptr[i];

        buf_add_char(out, (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ? c : '_');
    }
}

/* "latency_p99" in seconds is plimsoll_latency_p99_seconds, "requests_per_s" plimsoll_requests_per_second. */
static void add_family(struct buf *out, const struct export_column *c)
{
    static const char *const ENDS[] = { "_bytes_per_s", "_per_s", "_bytes", "_share", "_s" };
    const char *word = unit_word(c->unit);
    struct slice name = slice_str(c->name);

    for (size_t i = 0; i < sizeof(ENDS) / sizeof(ENDS[0]) && word != NULL; i++)
        if (slice_ends(name, slice_str(ENDS[i]))) {
            name.len -= strlen(ENDS[i]);
            break;
        }
    buf_add_str(out, "plimsoll_");
    add_safe(out, name);
    if (word != NULL)
        buf_printf(out, "_%s", word);
}

static void add_label(struct buf *out, bool first, const char *name, const char *value)
{
    buf_add_str(out, first ? "" : ",");
    if (name[0] >= '0' && name[0] <= '9')
        buf_add_char(out, '_');
    add_safe(out, slice_str(name));
    buf_add_str(out, "=\"");
    for (const char *c = value; *c != '\0'; c++) {
        if (*c == '\n')
            buf_add_str(out, "\\n");
        else if (*c == '"' || *c == '\\')
            buf_printf(out, "\\%c", *c);
        else
            buf_add_char(out, *c);
    }
    buf_add_char(out, '"');
}

static bool is_ours(const char *name)
{
    return strcmp(name, "run") == 0 || strcmp(name, "name") == 0 || strcmp(name, "sample") == 0;
}

static void add_labels(const struct exporting *e, struct buf *out, size_t at)
{
    const struct record *r = &e->side.records[at];
    const struct export_line *line = &e->lines[at];
    char sample[16];

    buf_add_char(out, '{');
    add_label(out, true, "run", line->run);
    if (line->name[0] != '\0')
        add_label(out, false, "name", line->name);
    for (size_t i = 0; i < r->fact_count; i++) {
        const struct fact *f = &r->facts[i];

        if ((f->role == FACT_CELL || f->role == FACT_LABEL) && !is_ours(f->name))
            add_label(out, false, f->name, f->value);
    }
    if (r->has_round || line->has_sample) {
        snprintf(sample, sizeof(sample), "%u", r->has_round ? r->round : line->sample);
        add_label(out, false, "sample", sample);
    }
    /* Two results of one run and cell must not become one series. */
    if (r->id[0] != '\0' && strcmp(r->id, line->run) != 0)
        add_label(out, false, "id", r->id);
    buf_add_char(out, '}');
}

static void add_samples(const struct exporting *e, struct buf *out, const struct export_column *c)
{
    char value[JSON_OUT_DOUBLE_MAX];

    for (size_t i = 0; i < e->side.count; i++) {
        const struct metric *m = record_metric(&e->side.records[i], c->name);

        if (m == NULL || !isfinite(m->value))
            continue;
        add_family(out, c);
        add_labels(e, out, i);
        buf_printf(out, " %s\n", json_format_double(value, m->value));
    }
}

void export_openmetrics_end(const struct exporting *e, struct buf *out)
{
    for (size_t i = 0; i < e->figures.count; i++) {
        const struct export_column *c = &e->figures.items[i];
        const char *word = unit_word(c->unit);

        buf_add_str(out, "# TYPE ");
        add_family(out, c);
        buf_add_str(out, " gauge\n");
        if (word != NULL) {
            buf_add_str(out, "# UNIT ");
            add_family(out, c);
            buf_printf(out, " %s\n", word);
        }
        add_samples(e, out, c);
    }
    buf_add_str(out, "# EOF\n");
}
