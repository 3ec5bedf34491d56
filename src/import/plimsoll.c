/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "import/formats.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "import/doc_json.h"
#include "import/printed.h"

enum { DEPTH_MAX = 32 };

bool plimsoll_looks_like(struct slice head)
{
    return printed_contain(slice_take(head, 512), "\"plimsoll-result\"");
}

/* A document that calls itself valid and contradicts itself was changed, or written by something else. */
static int check_figures(struct source *s, struct result *r)
{
    const size_t reasons = r->reasons.count;

    if (!r->valid || r->kind == NULL || strcmp(r->kind, "load") != 0 || result_check_counts(r))
        return 0;
    err_set(s->err, ERR_CONFIG, 0, "%s: %s", s->name, r->reasons.count > reasons ? r->reasons.items[reasons] : "");
    return err_hint(s->err, "use the document as plimsoll load --json wrote it");
}

static int give(struct source *s, struct slice json)
{
    struct result *r = NULL;

    if (result_from_json(&r, json, s->err) == 0) {
        if (check_figures(s, r) == 0)
            return source_give(s, r, NULL);
        result_free(r);
        return -1;
    }
    err_prefix(s->err, "%s", s->name);
    if (s->err->kind != ERR_SYSTEM)
        s->err->kind = ERR_CONFIG;
    return err_hint(s->err, "expected what plimsoll load --json writes");
}

/* Where the string that begins behind a quote ends, behind its other quote. */
static const char *string_end(const char *at, const char *end)
{
    while (at < end) {
        const char *quote = memchr(at, '"', (size_t)(end - at)), *before = quote;

        if (quote == NULL)
            return end;
        while (before > at && before[-1] == '\\')
            before--;
        if ((quote - before) % 2 == 0)
            return quote + 1;
        at = quote + 1;
    }
    return end;
}

/* Where the JSON value at the beginning of the text ends: brackets counted outside of strings. The document itself is
 * checked by result_from_json(). */
static size_t value_length(struct slice text)
{
    static const signed char STEPS[256] = { ['{'] = 1, ['['] = 1, ['}'] = -1, [']'] = -1, ['"'] = 2 };
    const char *at = text.ptr, *end = text.ptr + text.len;
    size_t depth = 0;

    while (at < end) {
        const signed char step = STEPS[(unsigned char)*at++];

        if (step == 2)
            at = string_end(at, end);
        else if (step == 1)
            depth++;
        else if (step == -1)
            depth -= depth > 0 ? 1 : 0;
        else if (depth > 0)
            continue;
        if (depth == 0)
            return (size_t)(at - text.ptr);
    }
    return text.len;
}

static struct slice skip(struct slice text, const char *what)
{
    while (text.len > 0 && text.ptr[0] != '\0' && strchr(what, text.ptr[0]) != NULL)
        text = slice_drop(text, 1);
    return text;
}

/* A document in YAML, up to the next line "---". */
static struct slice cut_yaml(struct slice *rest)
{
    const struct slice begin = *rest;
    struct slice line;
    size_t used = 0;

    while (printed_line(rest, &line)) {
        if (used > 0 && slice_eq(line, SLICE("---")))
            break;
        used = begin.len - rest->len;
    }
    *rest = slice_drop(begin, used);
    return slice_take(begin, used);
}

static int give_yaml(struct source *s, struct slice text)
{
    struct doc *d = NULL;
    json_t *document = NULL;
    char *json = NULL;
    int failed = doc_parse(&d, s->name, text, s->err);

    if (failed == 0) {
        document = doc_to_json(doc_root(d), DEPTH_MAX);
        json = document != NULL ? json_dumps(document, 0) : NULL;
        failed = json != NULL ? give(s, slice_str(json))
                              : err_set(s->err, ERR_CONFIG, 0, "%s: no result document", s->name);
    }
    free(json);
    json_decref(document);
    doc_free(d);
    return failed;
}

static int read_yaml(struct source *s, struct slice rest)
{
    while (rest.len > 0)
        if (give_yaml(s, cut_yaml(&rest)) != 0)
            return -1;
    return 0;
}

static int read_json(struct source *s, struct slice rest)
{
    const bool list = slice_starts(rest, SLICE("["));

    if (list)
        rest = slice_drop(rest, 1);
    for (rest = skip(rest, " \t\r\n,"); rest.len > 0 && rest.ptr[0] != ']'; rest = skip(rest, " \t\r\n,")) {
        const size_t n = value_length(rest);

        if (give(s, slice_take(rest, n)) != 0)
            return -1;
        rest = slice_drop(rest, n);
    }
    if (list != slice_starts(rest, SLICE("]")) || skip(slice_drop(rest, 1), " \t\r\n").len > 0)
        return err_set(s->err, ERR_CONFIG, 0, "%s: the list of documents is cut off", s->name);
    return 0;
}

int plimsoll_read(struct source *s)
{
    const struct slice rest = skip(s->text, " \t\r\n");

    return slice_starts(rest, SLICE("{")) || slice_starts(rest, SLICE("[")) ? read_json(s, rest) : read_yaml(s, rest);
}
