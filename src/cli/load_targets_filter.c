/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/load_targets_filter.h"

#include <errno.h>
#include <stdlib.h>

#include "pattern/pattern.h"

struct targets_filter {
    struct pattern *pattern;
    struct pattern_matcher *matcher;
    bool takes_others;
};

int targets_filter_new(struct targets_filter **out, const char *text, struct err *err)
{
    struct targets_filter *f;

    *out = NULL;
    if (text == NULL)
        return 0;
    f = calloc(1, sizeof(*f));
    if (f == NULL)
        return err_set(err, ERR_SYSTEM, ENOMEM, "out of memory");
    f->takes_others = text[0] == '!';
    if (pattern_new(&f->pattern, text + f->takes_others, err) != 0 || pattern_matcher_new(&f->matcher, err) != 0) {
        targets_filter_free(f);
        return err_prefix(err, "--targets-filter %s", text);
    }
    *out = f;
    return 0;
}

void targets_filter_free(struct targets_filter *f)
{
    if (f == NULL)
        return;
    pattern_matcher_free(f->matcher);
    pattern_free(f->pattern);
    free(f);
}

static bool matches(const struct targets_filter *f, struct doc_node *text)
{
    return doc_kind(text) == DOC_TEXT && pattern_find(f->pattern, f->matcher, doc_text(text)) == PATTERN_FOUND;
}

/* Of a map of headers, in any case of its letters. */
static struct doc_node *host_of(struct doc_node *headers)
{
    struct doc_node *name, *value;
    void *cursor = NULL;

    while (doc_kind(headers) == DOC_MAP && (value = doc_next_pair(headers, &cursor, &name)) != NULL)
        if (slice_eq_nocase(doc_text(name), SLICE("host")))
            return value;
    return NULL;
}

bool targets_filter_takes(const struct targets_filter *f, struct doc_node *target)
{
    const bool is_map = doc_kind(target) == DOC_MAP;

    if (f == NULL)
        return true;
    return f->takes_others !=
           (matches(f, is_map ? doc_find(target, "url") : target) ||
            (is_map && (matches(f, host_of(doc_find(target, "headers"))) || matches(f, doc_find(target, "sni")))));
}
