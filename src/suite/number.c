/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "suite/number.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "doc/doc.h"
#include "pattern/pattern.h"

/* The whole of the text must be a finite number, white space around it aside. */
static int parse(struct slice text, double *out)
{
    char digits[64];
    char *end;

    text = slice_trim(text);
    if (text.len == 0 || text.len >= sizeof(digits))
        return -1;
    memcpy(digits, text.ptr, text.len);
    digits[text.len] = '\0';
    *out = strtod(digits, &end);
    return *end == '\0' && isfinite(*out) ? 0 : -1;
}

static struct doc_node *element(struct doc_node *list, struct slice index)
{
    uint64_t wanted;
    void *cursor = NULL;
    struct doc_node *item = NULL;

    if (!slice_to_u64(index, &wanted))
        return NULL;
    for (uint64_t k = 0; k <= wanted; k++) {
        item = doc_next(list, &cursor);
        if (item == NULL)
            return NULL;
    }
    return item;
}

static struct doc_node *follow(struct doc_node *node, const char *path)
{
    struct slice rest = slice_str(path);

    while (node != NULL && rest.len > 0) {
        const struct slice part = slice_split(&rest, '.');
        char name[256];

        if (part.len >= sizeof(name))
            return NULL;
        memcpy(name, part.ptr, part.len);
        name[part.len] = '\0';
        node = doc_kind(node) == DOC_MAP    ? doc_find(node, name)
               : doc_kind(node) == DOC_LIST ? element(node, part)
                                            : NULL;
    }
    return node;
}

/* From the first line that begins with a brace or bracket: what comes before is talk. */
static struct slice json_part(struct slice text)
{
    struct slice rest = text;

    while (rest.len > 0) {
        const struct slice from = rest;
        const struct slice line = slice_trim(slice_split(&rest, '\n'));

        if (slice_starts(line, SLICE("{")) || slice_starts(line, SLICE("[")))
            return from;
    }
    return text;
}

int number_in_json(struct slice text, const char *path, double *out, bool *absent, struct err *err)
{
    struct doc *doc;
    struct doc_node *node;
    int rc = 0;

    *absent = false;
    if (doc_parse(&doc, "the answer", json_part(text), err) != 0)
        return -1;
    node = follow(doc_root(doc), path);
    if (doc_kind(node) == DOC_EMPTY)
        *absent = true;
    else if (doc_kind(node) != DOC_TEXT || parse(doc_text(node), out) != 0)
        rc = err_set(err, ERR_PEER, 0, "the field \"%s\" is no number", path);
    doc_free(doc);
    return rc;
}

int number_in_text(struct slice text, const char *pattern, double *out, bool *absent, struct err *err)
{
    struct pattern *p;
    struct pattern_matcher *m = NULL;
    int rc = -1;

    *absent = false;
    if (pattern_new(&p, pattern, err) != 0)
        return -1;
    if (pattern_matcher_new(&m, err) == 0) {
        const enum pattern_found found = pattern_find(p, m, text);

        rc = 0;
        if (found == PATTERN_GAVE_UP)
            rc = err_set(err, ERR_PEER, 0, "the pattern \"%s\" needs too many steps", pattern);
        else if (found == PATTERN_ABSENT)
            *absent = true;
        else if (parse(pattern_group(m, text), out) != 0)
            rc = err_set(err, ERR_PEER, 0, "the first group of \"%s\" matched no number", pattern);
    }
    pattern_matcher_free(m);
    pattern_free(p);
    return rc;
}
