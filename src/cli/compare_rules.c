/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/compare_rules.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "doc/doc.h"

enum { RULES_MAX = 10000, NUMBER_MAX = 64 };

static const char EXAMPLE[] = "- {json_path: \"test_type/*/requests_per_s\", tolerancy: -15, max_failures: 0}";

static bool holds_control(struct slice text)
{
    for (size_t i = 0; i < text.len; i++)
        if ((unsigned char)text.ptr[i] < 0x20 || text.ptr[i] == 0x7f)
            return true;
    return false;
}

static bool is_part(struct doc_node *n)
{
    return doc_kind(n) == DOC_TEXT && doc_text(n).len > 0 && !holds_control(doc_text(n));
}

static int read_path(struct strlist *out, const struct doc *d, struct doc_node *path, struct err *err)
{
    void *cursor = NULL;
    struct doc_node *part;

    if (is_part(path))
        return tolerance_path_split(out, doc_text(path)) ? 0 : err_set(err, ERR_SYSTEM, 0, "out of memory");
    if (doc_kind(path) != DOC_LIST)
        return doc_refuse(d, path, err, "\"json_path\" must be a text or a list of texts");
    while ((part = doc_next(path, &cursor)) != NULL) {
        if (!is_part(part))
            return doc_refuse(d, part, err, "\"json_path\" must be a text or a list of texts");
        if (!strlist_add(out, doc_text(part)))
            return err_set(err, ERR_SYSTEM, 0, "out of memory");
    }
    return 0;
}

/* False when it is no plain decimal number. */
static bool to_number(double *out, struct doc_node *n)
{
    char text[NUMBER_MAX], *end;
    const struct slice s = doc_text(n);

    if (doc_kind(n) != DOC_TEXT || doc_is_quoted(n) || s.len == 0 || s.len >= sizeof(text))
        return false;
    memcpy(text, s.ptr, s.len);
    text[s.len] = '\0';
    *out = strtod(text, &end);
    return *end == '\0' && isfinite(*out) && strpbrk(text, "xXpP ") == NULL;
}

static int read_rule(struct tolerance_rules *out, const struct doc *d, struct doc_node *rule, struct err *err)
{
    struct doc_node *path = doc_find(rule, "json_path"), *tolerancy = doc_find(rule, "tolerancy");
    struct doc_node *max_failures = doc_find(rule, "max_failures");
    struct strlist parts = STRLIST_INIT;
    double percent = 0, may_fail = 0;
    struct err inner = { 0 };
    int failed;

    if (doc_kind(rule) != DOC_MAP || path == NULL || tolerancy == NULL)
        return doc_refuse(d, rule, err, "a rule needs json_path and tolerancy");
    if (!to_number(&percent, tolerancy))
        return doc_refuse(d, tolerancy, err, "\"tolerancy\" must be a number of percent");
    if (max_failures != NULL && !to_number(&may_fail, max_failures))
        return doc_refuse(d, max_failures, err, "\"max_failures\" must be a number of percent");
    failed = read_path(&parts, d, path, err);
    if (failed == 0 && tolerance_rules_add(out, &parts, percent, may_fail, &inner) != 0) {
        failed = doc_refuse(d, path, err, "%s", inner.what);
        err_hint(err, "%s", inner.hint[0] != '\0' ? inner.hint : EXAMPLE);
    }
    strlist_release(&parts);
    return failed;
}

static int read_rules(struct tolerance_rules *out, const struct doc *d, struct err *err)
{
    struct doc_node *list = doc_root(d), *rule;
    void *cursor = NULL;

    if (doc_kind(list) != DOC_LIST) {
        doc_refuse(d, list, err, "a list of rules was expected");
        return err_hint(err, "%s", EXAMPLE);
    }
    while ((rule = doc_next(list, &cursor)) != NULL) {
        if (out->count == RULES_MAX)
            return doc_refuse(d, rule, err, "more than %d rules", RULES_MAX);
        if (read_rule(out, d, rule, err) != 0)
            return -1;
    }
    return out->count > 0 ? 0 : doc_refuse(d, list, err, "a list of rules was expected, it is empty");
}

int compare_rules_parse(struct tolerance_rules *out, const char *name, struct slice text, struct err *err)
{
    struct doc *d = NULL;
    int failed;

    memset(out, 0, sizeof(*out));
    failed = doc_parse(&d, name, text, err);
    if (failed == 0)
        failed = read_rules(out, d, err);
    if (failed != 0)
        tolerance_rules_release(out);
    doc_free(d);
    return failed;
}
