/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "rounds/phases_internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "doc/doc.h"

#define FILE_MAX_BYTES (1u << 20)
#define PATTERN_MAX_BYTES 4096u
#define NAME_MAX_BYTES 64u

extern const char phases_cf_push[];
extern const size_t phases_cf_push_len;

static const char EXAMPLE[] = "- {name: upload, first: \"^Uploading\", last: \"^OK$\"}";

static int no_memory(struct err *err)
{
    return err_set(err, ERR_SYSTEM, ENOMEM, "no memory for phases");
}

static int refuse_key(const struct doc *d, struct doc_node *key, const char *what, const char *known, struct err *err)
{
    doc_refuse(d, key, err, "%s has no key \"%.*s\"", what, (int)slice_take(doc_text(key), NAME_MAX_BYTES).len,
               doc_text(key).ptr);
    return err_hint(err, "%s", known);
}

/* Every key of the map is one of known (ends with NULL). */
static int check_keys(const struct doc *d, struct doc_node *map, const char *what, const char *const *known,
                      const char *hint, struct err *err)
{
    void *cursor = NULL;
    struct doc_node *key;

    while (doc_next_pair(map, &cursor, &key) != NULL || key != NULL) {
        size_t i = 0;

        while (known[i] != NULL && !slice_eq(doc_text(key), slice_str(known[i])))
            i++;
        if (known[i] == NULL)
            return refuse_key(d, key, what, hint, err);
    }
    return 0;
}

/* A text that is printed: short, one line, no control characters. */
static int read_name(char **out, const struct doc *d, struct doc_node *n, const char *what, struct err *err)
{
    const struct slice text = doc_text(n);

    if (doc_kind(n) != DOC_TEXT || text.len == 0 || text.len > NAME_MAX_BYTES)
        return doc_refuse(d, n, err, "\"%s\" must be a text of 1 to %u bytes", what, NAME_MAX_BYTES);
    for (size_t i = 0; i < text.len; i++)
        if ((unsigned char)text.ptr[i] < 0x20 || text.ptr[i] == 0x7f)
            return doc_refuse(d, n, err, "\"%s\" holds a control character", what);
    *out = slice_dup(text);
    return *out != NULL ? 0 : no_memory(err);
}

/* n NULL: there is none. */
static int read_pattern(struct pattern **out, const struct doc *d, struct doc_node *n, const char *what,
                        struct err *err)
{
    struct err inner = { 0 };
    char *text;
    int failed = 0;

    if (n == NULL)
        return 0;
    if (doc_kind(n) != DOC_TEXT || doc_text(n).len == 0 || doc_text(n).len > PATTERN_MAX_BYTES ||
        memchr(doc_text(n).ptr, '\0', doc_text(n).len) != NULL)
        return doc_refuse(d, n, err, "\"%s\" must be a regular expression of 1 to %u bytes", what, PATTERN_MAX_BYTES);
    text = slice_dup(doc_text(n));
    if (text == NULL)
        return no_memory(err);
    if (pattern_new(out, text, &inner) != 0)
        failed = doc_refuse(d, n, err, "\"%s\": %s", what, inner.what);
    free(text);
    return failed;
}

static void rule_release(struct phase_rule *rule)
{
    free(rule->name);
    free(rule->group);
    pattern_free(rule->first);
    pattern_free(rule->last);
}

static int check_rule(const struct phases *p, const struct doc *d, struct doc_node *at, const struct phase_rule *rule,
                      struct err *err)
{
    if (rule->first == NULL && rule->last == NULL)
        return doc_refuse(d, at, err, "phase \"%s\" needs \"first\", \"last\" or both", rule->name);
    for (size_t i = 0; i < p->count; i++)
        if (strcmp(p->rules[i].name, rule->name) == 0)
            return doc_refuse(d, at, err, "there are two phases \"%s\"", rule->name);
    return 0;
}

static int read_rule(struct phases *p, const struct doc *d, struct doc_node *at, struct err *err)
{
    static const char *const KEYS[] = { "name", "first", "last", "group", NULL };
    struct phase_rule rule = { 0 };
    int failed;

    if (doc_kind(at) != DOC_MAP || doc_find(at, "name") == NULL) {
        doc_refuse(d, at, err, "a phase needs a name");
        return err_hint(err, "%s", EXAMPLE);
    }
    failed = check_keys(d, at, "a phase", KEYS, "it has name, first, last and group", err) != 0 ||
             read_name(&rule.name, d, doc_find(at, "name"), "name", err) != 0 ||
             (doc_find(at, "group") != NULL && read_name(&rule.group, d, doc_find(at, "group"), "group", err) != 0) ||
             read_pattern(&rule.first, d, doc_find(at, "first"), "first", err) != 0 ||
             read_pattern(&rule.last, d, doc_find(at, "last"), "last", err) != 0 ||
             check_rule(p, d, at, &rule, err) != 0;
    if (failed) {
        rule_release(&rule);
        return -1;
    }
    p->rules[p->count++] = rule;
    return 0;
}

static int read_rules(struct phases *p, const struct doc *d, struct err *err)
{
    struct doc_node *list = doc_find(doc_root(d), "phases"), *rule;
    void *cursor = NULL;

    if (doc_kind(list) != DOC_LIST) {
        doc_refuse(d, list != NULL ? list : doc_root(d), err, "\"phases\" must be a list");
        return err_hint(err, "%s", EXAMPLE);
    }
    while ((rule = doc_next(list, &cursor)) != NULL) {
        if (p->count == PHASES_MAX)
            return doc_refuse(d, rule, err, "more than %u phases", PHASES_MAX);
        if (read_rule(p, d, rule, err) != 0)
            return -1;
    }
    return p->count > 0 ? 0 : doc_refuse(d, list, err, "there is no phase");
}

static int read_all(struct phases *p, const char *name, const struct doc *d, struct err *err)
{
    static const char *const KEYS[] = { "name", "failed", "phases", NULL };
    struct doc_node *root = doc_root(d);

    if (doc_kind(root) != DOC_MAP) {
        doc_refuse(d, root, err, "a map with the key \"phases\" was expected");
        return err_hint(err, "phases: [%s]", EXAMPLE + 2);
    }
    p->rules = calloc(PHASES_MAX, sizeof(*p->rules));
    if (p->rules == NULL)
        return no_memory(err);
    if (check_keys(d, root, "the document", KEYS, "it has name, failed and phases", err) != 0)
        return -1;
    if (doc_find(root, "name") != NULL) {
        if (read_name(&p->title, d, doc_find(root, "name"), "name", err) != 0)
            return -1;
    } else if ((p->title = slice_dup(slice_str(name))) == NULL) {
        return no_memory(err);
    }
    return read_pattern(&p->failed, d, doc_find(root, "failed"), "failed", err) != 0 ? -1 : read_rules(p, d, err);
}

int phases_parse(struct phases **out, const char *name, struct slice text, struct err *err)
{
    struct phases *p = calloc(1, sizeof(*p));
    struct doc *d = NULL;
    int failed;

    *out = NULL;
    if (p == NULL)
        return no_memory(err);
    failed = doc_parse(&d, name, text, err) != 0 || read_all(p, name, d, err) != 0;
    doc_free(d);
    if (failed) {
        phases_free(p);
        return -1;
    }
    *out = p;
    return 0;
}

void phases_free(struct phases *p)
{
    if (p == NULL)
        return;
    for (size_t i = 0; i < p->count; i++)
        rule_release(&p->rules[i]);
    free(p->rules);
    free(p->title);
    pattern_free(p->failed);
    free(p);
}

struct slice phases_built_in(struct slice name)
{
    if (slice_eq(name, SLICE("cf-push")))
        return slice_from(phases_cf_push, phases_cf_push_len);
    return (struct slice){ NULL, 0 };
}

int phases_load(struct phases **out, const char *word, struct err *err)
{
    const struct slice known = phases_built_in(slice_str(word));
    struct buf text;
    int failed;

    if (known.len > 0 && access(word, F_OK) != 0)
        return phases_parse(out, word, known, err);
    *out = NULL;
    buf_init(&text, FILE_MAX_BYTES);
    failed = file_read(word, &text, err);
    if (failed != 0 && strchr(word, '/') == NULL && strchr(word, '.') == NULL)
        err_hint(err, "a file, or the name of a list that comes with plimsoll: cf-push");
    if (failed == 0)
        failed = phases_parse(out, word, buf_slice(&text), err);
    buf_release(&text);
    return failed;
}

size_t phases_count(const struct phases *p)
{
    return p->count;
}

bool phases_know_failures(const struct phases *p)
{
    return p->failed != NULL;
}

const char *phases_title(const struct phases *p)
{
    return p->title;
}

bool phases_add_to(const struct phases *p, struct rounds_result *r)
{
    for (size_t i = 0; i < p->count; i++)
        if (!rounds_result_add_phase(r, p->rules[i].name, p->rules[i].group))
            return false;
    return true;
}
