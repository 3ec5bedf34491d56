/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "import/touchstone_tree.h"

#include <errno.h>
#include <string.h>

#include "base/buf.h"
#include "import/doc_json.h"
#include "import/json.h"
#include "import/printed.h"

enum { DEPTH_MAX = 2 * SHEET_DIMENSIONS + 8, TEXT_MAX_BYTES = 1 << 28 };

void touchstone_tree_release(struct touchstone_tree *t)
{
    json_decref(t->documents);
    t->documents = NULL;
}

/* "avg(requests_per_second)", "95.0percentiles(latency)" */
static bool is_metric(const char *key)
{
    const struct slice text = slice_str(key);

    return slice_find(text, '(') > 0 && slice_ends(text, SLICE(")"));
}

static void add_run(struct sheet *s, struct sheet_row *row, const char *run, const json_t *value)
{
    if (json_is_null(value) || (json_is_string(value) && strcmp(json_string_value(value), "no_match") == 0))
        return;
    if (!json_is_number(value)) {
        sheet_fail(s, 0, "the value of %.60s in run %.60s is not a number", row->metric.ptr, run);
        return;
    }
    if (row->count == 2) {
        sheet_add(s, row);
        row->count = 0;
    }
    row->runs[row->count] = sheet_run(s, slice_str(run), 0);
    row->at[row->count++] = json_number_value(value);
}

static void add_runs(struct sheet *s, struct sheet_row row, json_t *runs)
{
    const char *run;
    json_t *value;

    row.count = 0;
    json_object_foreach(runs, run, value) add_run(s, &row, run, value);
    if (row.count > 0)
        sheet_add(s, &row);
}

/* {"Pass": {"-6.87%": {run: value, run: value}}} or {run: value, ...} */
static void read_metric(struct sheet *s, struct sheet_row row, json_t *at)
{
    const char *result, *deviation;
    json_t *deviations, *runs;

    if (json_object_get(at, "Pass") == NULL && json_object_get(at, "Fail") == NULL) {
        add_runs(s, row, at);
        return;
    }
    json_object_foreach(at, result, deviations)
    {
        json_object_foreach(deviations, deviation, runs)
        {
            row.has_deviation = sheet_deviation(slice_str(deviation), &row.deviation);
            if (!row.has_deviation || !json_is_object(runs))
                sheet_fail(s, 0, "\"%.40s\" is not a deviation", deviation);
            else
                add_runs(s, row, runs);
        }
    }
}

static void read_names(struct sheet *s, struct sheet_row *row, json_t *names, unsigned depth);

static void read_values(struct sheet *s, struct sheet_row *row, const char *name, json_t *values, unsigned depth)
{
    const char *value;
    json_t *below;

    if (!json_is_object(values) || row->dimensions == SHEET_DIMENSIONS || depth > DEPTH_MAX) {
        sheet_fail(s, 0, "\"%.60s\" is neither a dimension nor a metric", name);
        return;
    }
    json_object_foreach(values, value, below)
    {
        row->names[row->dimensions] = slice_str(name);
        row->values[row->dimensions++] = slice_str(value);
        read_names(s, row, below, depth + 1);
        row->dimensions--;
    }
}

static void read_names(struct sheet *s, struct sheet_row *row, json_t *names, unsigned depth)
{
    const char *name;
    json_t *below;

    if (!json_is_object(names) || json_object_size(names) == 0)
        sheet_fail(s, 0, "expected names of dimensions or metrics");
    json_object_foreach(names, name, below)
    {
        if (s->failed)
            return;
        row->metric = slice_str(name);
        if (is_metric(name))
            read_metric(s, *row, below);
        else
            read_values(s, row, name, below, depth);
    }
}

/* One document of YAML; lines: how many of the file stand before it, for messages. */
static json_t *parse_yaml(struct source *s, struct slice piece, unsigned lines)
{
    struct doc *d = NULL;
    json_t *document = NULL;
    struct buf text;

    buf_init(&text, TEXT_MAX_BYTES);
    for (unsigned i = 0; i < lines; i++)
        buf_add_char(&text, '\n');
    buf_add_slice(&text, piece);
    if (!buf_ok(&text)) {
        err_set(s->err, ERR_LIMIT, 0, "%s: too large", s->name);
    } else if (doc_parse(&d, s->name, buf_slice(&text), s->err) == 0) {
        document = doc_to_json(doc_root(d), DEPTH_MAX);
        if (document == NULL)
            err_set(s->err, ERR_CONFIG, 0, "%s: not what touchstone writes", s->name);
    }
    doc_free(d);
    buf_release(&text);
    return document;
}

static bool is_json(struct slice text)
{
    while (text.len > 0 && strchr(" \t\r\n", text.ptr[0]) != NULL && text.ptr[0] != '\0')
        text = slice_drop(text, 1);
    return slice_starts(text, SLICE("{"));
}

/* Up to the next line that begins with the same key as the first: touchstone writes one mapping behind the other. */
static struct slice cut_yaml(struct slice *rest, unsigned *lines)
{
    const struct slice begin = *rest;
    struct slice line, at = *rest;
    size_t used = 0;
    bool begun = false;

    *lines = 0;
    while (printed_line(&at, &line)) {
        if (begun && slice_starts(line, SLICE("tolerations:")))
            break;
        begun = begun || slice_trim(line).len > 0;
        used = begin.len - at.len;
        ++*lines;
    }
    *rest = slice_drop(begin, used);
    return slice_take(begin, used);
}

static bool is_blank(struct slice text)
{
    for (size_t i = 0; i < text.len; i++)
        if (strchr(" \t\r\n", text.ptr[i]) == NULL || text.ptr[i] == '\0')
            return false;
    return true;
}

static int read_document(struct touchstone_tree *t, struct sheet *sheet, json_t *document)
{
    struct sheet_row row = { .dimensions = 0 };
    json_t *inner = NULL;

    if (document == NULL)
        return -1;
    if (json_array_append_new(t->documents, document) != 0)
        return err_set(sheet->source->err, ERR_SYSTEM, ENOMEM, "cannot import %s", sheet->source->name);
    inner = json_object_get(document, "tolerations");
    read_names(sheet, &row, inner != NULL ? inner : document, 0);
    return sheet->failed ? -1 : 0;
}

int touchstone_tree_read(struct touchstone_tree *t, struct sheet *sheet, struct slice text)
{
    const bool json = is_json(text);
    unsigned line = 1, lines = 0;

    t->documents = json_array();
    if (t->documents == NULL)
        return err_set(sheet->source->err, ERR_SYSTEM, ENOMEM, "cannot import %s", sheet->source->name);
    while (!is_blank(text)) {
        json_t *document;

        if (json) {
            document = json_parse_next(sheet->source, &text, &line);
        } else {
            const struct slice piece = cut_yaml(&text, &lines);

            document = parse_yaml(sheet->source, piece, line - 1);
            line += lines;
        }
        if (read_document(t, sheet, document) != 0)
            return -1;
    }
    return 0;
}

static bool has_metric_key(struct slice head)
{
    static const char *const AGGREGATES[] = { "avg(", "max(", "min(", "sum(", "percentiles(" };

    for (size_t i = 0; i < sizeof(AGGREGATES) / sizeof(AGGREGATES[0]); i++)
        if (printed_contain(head, AGGREGATES[i]))
            return true;
    return false;
}

/* JSON with such a key; or YAML: a mapping whose first line is a key alone. */
bool touchstone_tree_looks_like(struct slice head)
{
    struct slice line, rest = head;

    if (!has_metric_key(head))
        return false;
    if (is_json(head))
        return printed_contain(head, "(") && !printed_contain(head, "\"metrics\"");
    while (printed_line(&rest, &line))
        if (slice_trim(line).len > 0)
            return line.ptr[line.len - 1] == ':' && slice_find(line, ' ') < 0 && printed_contain(head, "):\n");
    return false;
}
