/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "result/side_alike.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"

enum { KEY_MAX_BYTES = 1 << 26 };

static int by_text(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

char *side_key_of(const struct record *r)
{
    struct buf key;

    buf_init(&key, KEY_MAX_BYTES);
    buf_add_str(&key, "");
    for (size_t i = 0; i < r->fact_count; i++) {
        const struct fact *f = &r->facts[i];

        if (f->role == FACT_CELL || f->role == FACT_WORKLOAD || f->role == FACT_PLACE)
            buf_printf(&key, "%s\x1f%s\x1e", f->name, f->value);
    }
    return buf_detach(&key);
}

/* The record's memory is the side's own, which a side of one record ends. */
static void drop(struct side *s, size_t i)
{
    struct record *one = malloc(sizeof(*one));
    struct side gone = { NULL, one, 1 };

    if (one != NULL) {
        *one = s->records[i];
        side_release(&gone);
    }
}

/* Keeps the records for which keep holds. */
static void filter(struct side *s, bool (*keep)(const struct record *r, const void *arg), const void *arg)
{
    size_t kept = 0;

    for (size_t i = 0; i < s->count; i++) {
        if (keep(&s->records[i], arg))
            s->records[kept++] = s->records[i];
        else
            drop(s, i);
    }
    s->count = kept;
}

struct keys {
    char **items;
    size_t count;
    bool failed;
};

static void add_keys(struct keys *k, const struct side *s)
{
    for (size_t i = 0; i < s->count && !k->failed; i++) {
        k->items[k->count] = side_key_of(&s->records[i]);
        k->failed = k->items[k->count] == NULL;
        k->count += !k->failed;
    }
}

static bool is_alike(const struct record *r, const void *arg)
{
    const struct keys *k = arg;
    char *key = side_key_of(r);
    const bool found = key != NULL && bsearch(&key, k->items, k->count, sizeof(*k->items), by_text) != NULL;

    free(key);
    return found;
}

bool side_keep_alike(struct side *history, const struct side *base, const struct side *new)
{
    struct keys k = { .items = calloc(base->count + new->count + 1, sizeof(*k.items)) };

    if (k.items == NULL)
        return false;
    add_keys(&k, base);
    add_keys(&k, new);
    if (!k.failed) {
        qsort(k.items, k.count, sizeof(*k.items), by_text);
        filter(history, is_alike, &k);
    }
    for (size_t i = 0; i < k.count; i++)
        free(k.items[i]);
    free(k.items);
    return !k.failed;
}

static int by_id(const void *a, const void *b)
{
    return strcmp((*(const struct record *const *)a)->id, (*(const struct record *const *)b)->id);
}

/* The records of a side in the order of their ids. NULL: no memory. */
static const struct record **sorted(const struct side *s)
{
    const struct record **list = calloc(s->count + 1, sizeof(*list));

    for (size_t i = 0; list != NULL && i < s->count; i++)
        list[i] = &s->records[i];
    if (list != NULL)
        qsort(list, s->count, sizeof(*list), by_id);
    return list;
}

static const struct record *find(const struct record *const *list, size_t count, const struct record *r)
{
    const struct record *const *found = bsearch(&r, list, count, sizeof(*list), by_id);

    return found != NULL ? *found : NULL;
}

bool side_take_sessions(struct side *s, const struct side *history)
{
    const struct record **list = sorted(history), *first = NULL;
    bool all = list != NULL && s->count > 0, several = false, ok = list != NULL;

    for (size_t i = 0; i < s->count && all; i++) {
        const struct record *r = find(list, history->count, &s->records[i]);

        all = r != NULL && r->session != NULL && s->records[i].session == NULL;
        if (all && first != NULL && strcmp(first->session, r->session) != 0)
            several = true;
        first = first == NULL ? r : first;
    }
    for (size_t i = 0; i < s->count && all && several && ok; i++)
        ok = record_set_session(&s->records[i], find(list, history->count, &s->records[i])->session);
    free(list);
    return ok;
}

static bool is_of_other_session(const struct record *r, const void *arg)
{
    const struct keys *k = arg;
    const char *session = r->session != NULL ? r->session : "";

    for (size_t i = 0; i < k->count; i++)
        if (strcmp(k->items[i], session) == 0)
            return false;
    return true;
}

/* Sessions are few: days. */
void side_drop_sessions_of(struct side *history, const struct side *s)
{
    const struct record **list = sorted(history);
    struct strlist sessions = STRLIST_INIT;

    for (size_t i = 0; list != NULL && i < s->count; i++) {
        const struct record *r = find(list, history->count, &s->records[i]);
        const struct slice name = slice_str(r != NULL ? r->session : NULL);

        if (r != NULL && !strlist_contains(&sessions, name))
            (void)!strlist_add(&sessions, name);
    }
    filter(history, is_of_other_session, &(struct keys){ sessions.items, sessions.count, false });
    strlist_release(&sessions);
    free(list);
}
