/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "suite/keys.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/suggest.h"
#include "base/units.h"

static int no_memory(struct reader *r)
{
    return err_set(r->err, ERR_SYSTEM, ENOMEM, "out of memory");
}

/* Puts the place before an error that units.h made. */
static int with_place(struct reader *r, const char *what, struct doc_node *value)
{
    struct err inner = r->err != NULL ? *r->err : (struct err){ 0 };

    doc_refuse(r->doc, value, r->err, "\"%s\": %s", what, inner.what);
    return inner.hint[0] != '\0' ? err_hint(r->err, "%s", inner.hint) : -1;
}

int keys_refuse_nul(struct reader *r, const char *what, struct doc_node *text)
{
    if (memchr(doc_text(text).ptr, '\0', doc_text(text).len) == NULL)
        return 0;
    return doc_refuse(r->doc, text, r->err, "\"%s\" holds a NUL", what);
}

int keys_next(struct reader *r, struct doc_node *map, void **cursor, struct doc_node **name, struct doc_node **value)
{
    *value = doc_next_pair(map, cursor, name);
    if (*name == NULL)
        return 0;
    if (doc_kind(*name) != DOC_TEXT)
        return doc_refuse(r->doc, *name, r->err, "a name must be a text");
    if (keys_refuse_nul(r, "a name", *name) != 0)
        return -1;
    if (doc_kind(*value) == DOC_EMPTY)
        return doc_refuse(r->doc, *name, r->err, "\"%.*s\" has no value", SLICE_FMT(doc_text(*name)));
    return 1;
}

char *keys_text(struct reader *r, const char *what, struct doc_node *value)
{
    struct slice text;
    char *copy;

    if (doc_kind(value) != DOC_TEXT) {
        doc_refuse(r->doc, value, r->err, "\"%s\" must be a text or a number", what);
        return NULL;
    }
    text = doc_text(value);
    if (keys_refuse_nul(r, what, value) != 0)
        return NULL;
    copy = slice_dup(text);
    if (copy == NULL)
        no_memory(r);
    return copy;
}

void *keys_grow(struct reader *r, void *items, size_t *count, size_t size)
{
    char *grown = realloc(items, (*count + 1) * size);

    if (grown == NULL) {
        no_memory(r);
        return NULL;
    }
    memset(grown + *count * size, 0, size);
    ++*count;
    return grown;
}

bool pairs_add(struct suite_pairs *p, struct slice name, const char *value, unsigned line)
{
    struct suite_pair *grown = realloc(p->items, (p->count + 1) * sizeof(*grown));
    struct suite_pair *fresh;

    if (grown == NULL)
        return false;
    p->items = grown;
    fresh = &grown[p->count];
    *fresh = (struct suite_pair){ .name = slice_dup(name), .value = strdup(value), .line = line };
    if (fresh->name != NULL && fresh->value != NULL) {
        p->count++;
        return true;
    }
    free(fresh->name);
    free(fresh->value);
    return false;
}

static struct suite_pair *find_pair(const struct suite_pairs *p, struct slice name)
{
    for (size_t k = 0; k < p->count; k++)
        if (slice_eq(slice_str(p->items[k].name), name))
            return &p->items[k];
    return NULL;
}

const char *pairs_get(const struct suite_pairs *p, const char *name)
{
    const struct suite_pair *pair = find_pair(p, slice_str(name));

    return pair != NULL ? pair->value : NULL;
}

bool pairs_has(const struct suite_pairs *p, struct slice name)
{
    return find_pair(p, name) != NULL;
}

bool pairs_set(struct suite_pairs *p, struct slice name, const char *value)
{
    struct suite_pair *pair = find_pair(p, name);
    char *copy;

    if (pair == NULL)
        return pairs_add(p, name, value, 0);
    copy = strdup(value);
    if (copy == NULL)
        return false;
    free(pair->value);
    pair->value = copy;
    return true;
}

void pairs_release(struct suite_pairs *p)
{
    for (size_t k = 0; k < p->count; k++) {
        free(p->items[k].name);
        free(p->items[k].value);
    }
    free(p->items);
    *p = (struct suite_pairs){ 0 };
}

int keys_texts(struct reader *r, const char *what, struct doc_node *value, struct strlist *out)
{
    void *cursor = NULL;
    struct doc_node *item;

    if (doc_kind(value) == DOC_TEXT && keys_refuse_nul(r, what, value) != 0)
        return -1;
    if (doc_kind(value) == DOC_TEXT)
        return strlist_add(out, doc_text(value)) ? 0 : no_memory(r);
    if (doc_kind(value) != DOC_LIST)
        return doc_refuse(r->doc, value, r->err, "\"%s\" must be a text or a list of texts", what);
    while ((item = doc_next(value, &cursor)) != NULL) {
        if (doc_kind(item) != DOC_TEXT)
            return doc_refuse(r->doc, item, r->err, "\"%s\" must hold texts or numbers alone", what);
        if (keys_refuse_nul(r, what, item) != 0)
            return -1;
        if (!strlist_add(out, doc_text(item)))
            return no_memory(r);
    }
    return 0;
}

/* A list becomes "a,b,c". */
static char *joined(struct reader *r, const char *what, struct doc_node *value)
{
    struct strlist parts = STRLIST_INIT;
    struct buf out;
    char *text = NULL;

    if (doc_kind(value) != DOC_LIST)
        return keys_text(r, what, value);
    buf_init(&out, (size_t)1 << 20);
    if (keys_texts(r, what, value, &parts) == 0) {
        for (size_t k = 0; k < parts.count; k++)
            buf_printf(&out, "%s%s", k > 0 ? "," : "", parts.items[k]);
        text = out.len > 0 ? buf_detach(&out) : strdup("");
        if (text == NULL)
            no_memory(r);
    }
    buf_release(&out);
    strlist_release(&parts);
    return text;
}

int keys_pairs(struct reader *r, const char *what, struct doc_node *map, struct suite_pairs *out)
{
    void *cursor = NULL;
    struct doc_node *key, *value;
    int more;

    if (doc_kind(map) != DOC_MAP)
        return doc_refuse(r->doc, map, r->err, "\"%s\" must be a map, a line \"name: value\" for each", what);
    while ((more = keys_next(r, map, &cursor, &key, &value)) > 0) {
        char *text = joined(r, what, value);
        bool added;

        if (text == NULL)
            return -1;
        added = pairs_add(out, doc_text(key), text, doc_line(key));
        free(text);
        if (!added)
            return no_memory(r);
    }
    return more;
}

static int take_flag(struct reader *r, const struct key *key, struct doc_node *value, bool *out)
{
    const struct slice text = doc_kind(value) == DOC_TEXT ? doc_text(value) : (struct slice){ 0 };

    *out = slice_eq(text, SLICE("true"));
    if (*out || slice_eq(text, SLICE("false")))
        return 0;
    return doc_refuse(r->doc, value, r->err, "\"%s\" must be true or false", key->name);
}

static int take_word(struct reader *r, const struct key *key, struct doc_node *value, int *out)
{
    struct slice rest = slice_str(key->words);
    const struct slice text = doc_kind(value) == DOC_TEXT ? doc_text(value) : (struct slice){ 0 };

    for (int k = 0; rest.len > 0; k++)
        if (slice_eq(slice_split(&rest, '|'), text)) {
            *out = k;
            return 0;
        }
    return doc_refuse(r->doc, value, r->err, "\"%s\" is \"%.*s\", it must be one of %s", key->name, SLICE_FMT(text),
                      key->words);
}

static int take_number(struct reader *r, const struct key *key, struct doc_node *value, double *out)
{
    char *text = keys_text(r, key->name, value);
    char *end;

    if (text == NULL)
        return -1;
    *out = strtod(text, &end);
    if (*end == '%') {
        *out /= 100;
        end++;
    }
    if (end == text || *end != '\0' || !isfinite(*out) || *out <= 0)
        doc_refuse(r->doc, value, r->err, "\"%s\" is \"%s\", it must be a number above 0", key->name, text);
    else
        end = NULL;
    free(text);
    return end == NULL ? 0 : -1;
}

static int take_count(struct reader *r, const struct key *key, struct doc_node *value, uint32_t *out)
{
    char *text = keys_text(r, key->name, value);
    uint64_t count;
    int rc;

    if (text == NULL)
        return -1;
    rc = units_parse_count(slice_str(text), &count, r->err);
    free(text);
    if (rc != 0)
        return with_place(r, key->name, value);
    if (count > UINT32_MAX)
        return doc_refuse(r->doc, value, r->err, "\"%s\" is too large", key->name);
    *out = (uint32_t)count;
    return 0;
}

static int take_duration(struct reader *r, const struct key *key, struct doc_node *value, uint64_t *out)
{
    if (doc_kind(value) != DOC_TEXT)
        return doc_refuse(r->doc, value, r->err, "\"%s\" must be a duration such as 30s", key->name);
    return units_parse_duration(doc_text(value), out, r->err) == 0 ? 0 : with_place(r, key->name, value);
}

static int take(struct reader *r, const struct key *key, struct doc_node *value, void *into)
{
    void *field = (char *)into + key->at;

    switch (key->kind) {
    case KEY_TEXT:
        free(*(char **)field);
        *(char **)field = keys_text(r, key->name, value);
        return *(char **)field != NULL ? 0 : -1;
    case KEY_DURATION:
        return take_duration(r, key, value, field);
    case KEY_COUNT:
        return take_count(r, key, value, field);
    case KEY_NUMBER:
        return take_number(r, key, value, field);
    case KEY_FLAG:
        return take_flag(r, key, value, field);
    case KEY_WORD:
        return take_word(r, key, value, field);
    case KEY_TEXTS:
        return keys_texts(r, key->name, value, field);
    case KEY_PAIRS:
        return keys_pairs(r, key->name, value, field);
    case KEY_OWN:
        return key->take(r, value, into);
    }
    BUG("key kind %d", (int)key->kind);
}

static int unknown_key(struct reader *r, const struct keys *keys, struct doc_node *key)
{
    struct suggestion near;
    char all[160] = "";

    suggest_init(&near, doc_text(key));
    for (size_t k = 0; k < keys->count; k++) {
        const size_t n = strlen(all);

        suggest_consider(&near, keys->items[k].name);
        snprintf(all + n, sizeof(all) - n, "%s%s", k > 0 ? ", " : "", keys->items[k].name);
    }
    doc_refuse(r->doc, key, r->err, "%s has no key \"%.*s\"", keys->what, SLICE_FMT(doc_text(key)));
    if (near.word != NULL)
        return err_hint(r->err, "did you mean \"%s\"? All keys: plimsoll run --schema", near.word);
    return err_hint(r->err, "it may have %s", all);
}

int keys_read(struct reader *r, struct doc_node *map, const struct keys *keys, void *into)
{
    void *cursor = NULL;
    struct doc_node *name, *value;
    int more;

    if (doc_kind(map) != DOC_MAP)
        return doc_refuse(r->doc, map, r->err, "%s must be a map, a line \"key: value\" for each", keys->what);
    while ((more = keys_next(r, map, &cursor, &name, &value)) > 0) {
        const struct key *key = NULL;

        for (size_t k = 0; k < keys->count && key == NULL; k++)
            if (slice_eq(doc_text(name), slice_str(keys->items[k].name)))
                key = &keys->items[k];
        if (key == NULL)
            return unknown_key(r, keys, name);
        if (take(r, key, value, into) != 0)
            return -1;
    }
    return more;
}
