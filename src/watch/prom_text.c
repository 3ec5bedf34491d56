/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "watch/prom_text.h"

#include <string.h>

#include "watch/text.h"

static bool is_name_byte(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == ':';
}

static size_t name_length(struct slice s)
{
    size_t n = 0;

    while (n < s.len && is_name_byte(s.ptr[n]))
        n++;
    return n;
}

/* Bytes of a list of labels up to its closing brace, which may also stand in quoted values; s.len: there is none. */
static size_t labels_length(struct slice s)
{
    bool is_quoted = false;

    for (size_t i = 0; i < s.len; i++) {
        if (is_quoted && s.ptr[i] == '\\')
            i++;
        else if (s.ptr[i] == '"')
            is_quoted = !is_quoted;
        else if (s.ptr[i] == '}' && !is_quoted)
            return i;
    }
    return s.len;
}

/* The next name="value" of a list; the value as it came, escapes and all. */
static bool next_label(struct slice *list, struct slice *name, struct slice *value)
{
    size_t n, end = 1;

    *list = slice_trim(*list);
    while (list->len > 0 && list->ptr[0] == ',')
        *list = slice_trim(slice_drop(*list, 1));
    n = name_length(*list);
    *name = slice_take(*list, n);
    *list = slice_trim(slice_drop(*list, n));
    if (n == 0 || list->len == 0 || list->ptr[0] != '=')
        return false;
    *list = slice_trim(slice_drop(*list, 1));
    if (list->len < 2 || list->ptr[0] != '"')
        return false;
    while (end < list->len && list->ptr[end] != '"')
        end += list->ptr[end] == '\\' ? 2 : 1;
    if (end >= list->len)
        return false;
    *value = slice_take(slice_drop(*list, 1), end - 1);
    *list = slice_trim(slice_drop(*list, end + 1));
    return list->len == 0 || list->ptr[0] == ',';
}

/* "# TYPE name counter". Histograms and summaries count too, but for the quantiles of the latter. */
static void take_comment(struct prom_text *p, struct slice line)
{
    const struct slice type = text_word(line, 3);

    if (!slice_eq(text_word(line, 0), SLICE("#")) || !slice_eq(text_word(line, 1), SLICE("TYPE")))
        return;
    p->family = text_word(line, 2);
    p->family_is_summary = slice_eq(type, SLICE("summary"));
    p->family_counts = p->family_is_summary || slice_eq(type, SLICE("counter")) || slice_eq(type, SLICE("histogram"));
}

static bool counts(const struct prom_text *p, struct slice name)
{
    static const char *const PARTS[] = { "", "_total", "_sum", "_count", "_bucket" };

    if (slice_ends(name, SLICE("_total")))
        return true;
    if (!p->family_counts || !slice_starts(name, p->family))
        return false;
    for (size_t i = p->family_is_summary ? 1 : 0; i < sizeof(PARTS) / sizeof(PARTS[0]); i++)
        if (slice_eq(slice_drop(name, p->family.len), slice_str(PARTS[i])))
            return true;
    return false;
}

static bool take_sample(struct prom_sample *out, struct slice line)
{
    const size_t n = name_length(line);
    size_t end;

    out->name = slice_take(line, n);
    out->labels = slice_from("", 0);
    line = slice_trim(slice_drop(line, n));
    if (n == 0 || line.len == 0)
        return false;
    if (line.ptr[0] == '{') {
        line = slice_drop(line, 1);
        end = labels_length(line);
        if (end == line.len)
            return false;
        out->labels = slice_take(line, end);
        line = slice_drop(line, end + 1);
    }
    return text_double(text_word(line, 0), &out->value); /* a time may follow */
}

bool prom_text_next(struct prom_text *p, struct prom_sample *out)
{
    while (p->rest.len > 0) {
        struct slice line = slice_split(&p->rest, '\n');

        if (slice_ends(line, SLICE("\r")))
            line = slice_take(line, line.len - 1);
        line = slice_trim(line);
        if (line.len > 0 && line.ptr[0] == '#') {
            take_comment(p, line);
        } else if (take_sample(out, line)) {
            out->is_counter = counts(p, out->name);
            return true;
        }
    }
    return false;
}

static int bad_selector(struct slice text, struct err *err)
{
    err_set(err, ERR_USAGE, 0, "\"%.*s\" is not the name of a metric", SLICE_FMT(slice_take(text, 80)));
    return err_hint(err, "for example #http_requests_total,process_resident_memory_bytes or #up{job=\"api\"}");
}

int prom_selector_next(struct slice *list, struct prom_selector *out, struct err *err)
{
    struct slice rest = slice_trim(*list), labels, name, value;
    const size_t n = name_length(rest);
    const struct slice whole = rest;

    *out = (struct prom_selector){ .name = slice_take(rest, n), .labels = slice_from("", 0) };
    rest = slice_drop(rest, n);
    if (rest.len > 0 && rest.ptr[0] == '{') {
        const size_t end = labels_length(slice_drop(rest, 1));

        if (end + 1 >= rest.len)
            return bad_selector(whole, err);
        out->labels = slice_take(slice_drop(rest, 1), end);
        rest = slice_drop(rest, end + 2);
    }
    labels = out->labels;
    while (slice_trim(labels).len > 0)
        if (!next_label(&labels, &name, &value))
            return bad_selector(whole, err);
    if (n == 0 || (rest.len > 0 && rest.ptr[0] != ','))
        return bad_selector(whole, err);
    out->text = slice_take(whole, whole.len - rest.len);
    *list = slice_drop(rest, 1);
    return 0;
}

static bool has_label(struct slice labels, struct slice wanted, struct slice wanted_value)
{
    struct slice name, value;

    while (next_label(&labels, &name, &value))
        if (slice_eq(name, wanted) && slice_eq(value, wanted_value))
            return true;
    return false;
}

bool prom_selector_matches(const struct prom_selector *s, const struct prom_sample *sample)
{
    struct slice labels = s->labels, name, value;

    if (!slice_eq(s->name, sample->name))
        return false;
    while (next_label(&labels, &name, &value))
        if (!has_label(sample->labels, name, value))
            return false;
    return true;
}
