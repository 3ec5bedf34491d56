/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "doc/doc.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"

struct doc {
    const char *name;
    bool shows_columns;
    struct fy_document *tree;
};

static struct fy_node *inner(struct doc_node *n)
{
    return (struct fy_node *)n;
}

static struct doc_node *outer(struct fy_node *n)
{
    return (struct doc_node *)n;
}

/* The library's first complaint, with its place. */
static int complain(const char *name, struct fy_diag *diag, struct err *err)
{
    void *cursor = NULL;
    const struct fy_diag_error *e = fy_diag_errors_iterate(diag, &cursor);

    if (e == NULL)
        return err_set(err, ERR_CONFIG, 0, "%s: neither YAML nor JSON", name);
    return err_set(err, ERR_CONFIG, 0, "%s:%d: column %d: %s", name, e->line, e->column, e->msg);
}

/* libfyaml 0.7 does not return from some bytes that are not UTF-8, and quotes control characters in its messages. */
static int check_text(const char *name, struct slice text, struct err *err)
{
    unsigned line = 1;

    if (!utf8_is_valid(text))
        return err_set(err, ERR_CONFIG, 0, "%s: the text is not UTF-8", name);
    for (size_t i = 0; i < text.len; i++) {
        const unsigned char c = (unsigned char)text.ptr[i];

        line += c == '\n';
        if ((c < ' ' && c != '\t' && c != '\r' && c != '\n') || c == 0x7f)
            return err_set(err, ERR_CONFIG, 0, "%s:%u: the text holds the control character \\x%02x", name, line, c);
    }
    return 0;
}

int doc_parse(struct doc **out, const char *name, struct slice text, struct err *err)
{
    struct fy_parse_cfg cfg = { .flags = FYPCF_QUIET | FYPCF_COLLECT_DIAG | FYPCF_RESOLVE_DOCUMENT |
                                         FYPCF_DEFAULT_VERSION_1_2 };
    struct doc *d = calloc(1, sizeof(*d));
    struct fy_diag_cfg diag_cfg;

    *out = NULL;
    if (check_text(name, text, err) != 0) {
        free(d);
        return -1;
    }
    if (d == NULL)
        return err_set(err, ERR_SYSTEM, ENOMEM, "no memory for %s", name);
    fy_diag_cfg_default(&diag_cfg);
    diag_cfg.fp = NULL;
    cfg.diag = fy_diag_create(&diag_cfg);
    if (cfg.diag == NULL) {
        free(d);
        return err_set(err, ERR_SYSTEM, ENOMEM, "no memory for %s", name);
    }
    fy_diag_set_collect_errors(cfg.diag, true);
    d->name = name;
    d->tree = fy_document_build_from_string(&cfg, text.ptr != NULL ? text.ptr : "", text.len);
    if (d->tree == NULL) {
        complain(name, cfg.diag, err);
        fy_diag_destroy(cfg.diag);
        free(d);
        return -1;
    }
    fy_diag_destroy(cfg.diag);
    *out = d;
    return 0;
}

void doc_free(struct doc *d)
{
    if (d == NULL)
        return;
    fy_document_destroy(d->tree);
    free(d);
}

struct doc_node *doc_root(const struct doc *d)
{
    return outer(fy_document_root(d->tree));
}

enum doc_kind doc_kind(struct doc_node *n)
{
    if (n == NULL)
        return DOC_EMPTY;
    switch (fy_node_get_type(inner(n))) {
    case FYNT_SEQUENCE:
        return DOC_LIST;
    case FYNT_MAPPING:
        return DOC_MAP;
    case FYNT_SCALAR:
        break;
    }
    if (doc_is_quoted(n))
        return DOC_TEXT;
    return doc_text(n).len == 0 || slice_eq(doc_text(n), SLICE("null")) || slice_eq(doc_text(n), SLICE("~")) ? DOC_EMPTY
                                                                                                             : DOC_TEXT;
}

/* A map or list has no place of its own here: its first key or element tells the line. */
static const struct fy_mark *mark_of(struct doc_node *n)
{
    struct fy_token *token = n != NULL ? fy_node_get_scalar_token(inner(n)) : NULL;
    const struct fy_mark *mark = token != NULL ? fy_token_start_mark(token) : NULL;
    void *cursor = NULL;
    struct doc_node *key;

    if (mark != NULL)
        return mark;
    if (doc_kind(n) == DOC_MAP && doc_next_pair(n, &cursor, &key) != NULL)
        return mark_of(key);
    if (doc_kind(n) == DOC_LIST && (n = doc_next(n, &cursor)) != NULL)
        return mark_of(n);
    return NULL;
}

unsigned doc_line(struct doc_node *n)
{
    const struct fy_mark *mark = mark_of(n);

    return mark != NULL ? (unsigned)mark->line + 1 : 1;
}

void doc_show_columns(struct doc *d)
{
    d->shows_columns = true;
}

struct slice doc_text(struct doc_node *n)
{
    size_t len = 0;
    const char *text = fy_node_get_scalar(inner(n), &len);

    return slice_from(text != NULL ? text : "", text != NULL ? len : 0);
}

bool doc_is_quoted(struct doc_node *n)
{
    const enum fy_node_style style = fy_node_get_style(inner(n));

    return style == FYNS_SINGLE_QUOTED || style == FYNS_DOUBLE_QUOTED || style == FYNS_LITERAL || style == FYNS_FOLDED;
}

struct doc_node *doc_next(struct doc_node *list, void **cursor)
{
    return outer(fy_node_sequence_iterate(inner(list), cursor));
}

struct doc_node *doc_next_pair(struct doc_node *map, void **cursor, struct doc_node **key)
{
    struct fy_node_pair *pair = fy_node_mapping_iterate(inner(map), cursor);

    *key = pair != NULL ? outer(fy_node_pair_key(pair)) : NULL;
    return pair != NULL ? outer(fy_node_pair_value(pair)) : NULL;
}

struct doc_node *doc_find(struct doc_node *map, const char *key)
{
    return doc_kind(map) == DOC_MAP ? outer(fy_node_mapping_lookup_by_string(inner(map), key, strlen(key))) : NULL;
}

int doc_refuse(const struct doc *d, struct doc_node *at, struct err *err, const char *fmt, ...)
{
    char what[384];
    va_list args;

    va_start(args, fmt);
    vsnprintf(what, sizeof(what), fmt, args);
    va_end(args);
    if (d->shows_columns) {
        const struct fy_mark *mark = mark_of(at);

        return err_set(err, ERR_CONFIG, 0, "%s:%u:%d: %s", d->name, doc_line(at), mark != NULL ? mark->column + 1 : 1,
                       what);
    }
    return err_set(err, ERR_CONFIG, 0, "%s:%u: %s", d->name, doc_line(at), what);
}
