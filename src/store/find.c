/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "store/sql.h"

#include <stdlib.h>
#include <string.h>

static const char FINDING[] = "cannot look for the run";

/* Appends the runs that the query finds for a text; how many, or -1. */
static int find_with(struct runstore *s, const char *sql, const char *text, int64_t number, struct listing *out,
                     struct err *err)
{
    const size_t before = out->count;
    sqlite3_stmt *q = NULL;
    int failed = sql_prepare(s, &q, sql, FINDING, err), row = 0;

    if (failed == 0) {
        sql_bind_text(q, 1, text);
        if (sqlite3_bind_parameter_count(q) > 1)
            sqlite3_bind_int64(q, 2, number);
    }
    while (failed == 0 && (row = sql_next(s, q, FINDING, err)) == 1)
        if (!listed_fill(out, q))
            failed = err_set(err, ERR_SYSTEM, 0, "out of memory");
    sqlite3_finalize(q);
    return failed != 0 || row < 0 ? -1 : (int)(out->count - before);
}

static int find_tag(struct runstore *s, const char *tag, struct listing *out, struct err *err)
{
    return find_with(s,
                     "SELECT " SQL_LISTED " FROM runs WHERE number IN (SELECT run FROM tags WHERE tags.name = ?1) "
                     "ORDER BY started, number",
                     tag, 0, out, err);
}

static int find_name(struct runstore *s, const char *name, struct listing *out, struct err *err)
{
    if (name[0] == '\0')
        return 0;
    return find_with(s, "SELECT " SQL_LISTED " FROM runs WHERE name = ?1 ORDER BY started, number", name, 0, out, err);
}

/* "latest": 1; "-N": N. False for anything else. */
static bool parse_place(struct slice text, uint64_t *place)
{
    if (slice_eq(text, SLICE("latest"))) {
        *place = 1;
        return true;
    }
    return text.len > 1 && text.ptr[0] == '-' && slice_to_u64(slice_drop(text, 1), place) && *place > 0 &&
           *place <= INT32_MAX;
}

static int no_such_place(const char *reference, const char *name, struct err *err)
{
    err_set(err, ERR_CONFIG, 0, "there is no run %s", reference);
    return err_hint(err, "plimsoll results list --name '%s' shows those of that name", name);
}

/* NAME@latest, NAME@-2. 0 when it is not of that form. */
static int find_place(struct runstore *s, const char *reference, struct listing *out, struct err *err)
{
    const char *at = strrchr(reference, '@');
    uint64_t place;
    char *name;
    int found;

    if (at == NULL || at == reference || !parse_place(slice_str(at + 1), &place))
        return 0;
    name = slice_dup(slice_from(reference, (size_t)(at - reference)));
    if (name == NULL)
        return err_set(err, ERR_SYSTEM, 0, "out of memory");
    found = find_with(s,
                      "SELECT " SQL_LISTED " FROM runs WHERE name = ?1 OR number IN (SELECT run FROM tags WHERE "
                      "tags.name = ?1) ORDER BY started DESC, number DESC LIMIT 1 OFFSET ?2",
                      name, (int64_t)place - 1, out, err);
    if (found == 0)
        found = no_such_place(reference, name, err);
    free(name);
    return found;
}

static bool may_be_id(const char *text)
{
    return text[0] != '\0' && strspn(text, "0123456789abcdef-") == strlen(text) && strlen(text) < UUID_TEXT_MAX;
}

static int ambiguous(const char *prefix, const struct listing *found, struct err *err)
{
    err_set(err, ERR_CONFIG, 0, "\"%s\" begins the ids of several runs", prefix);
    return err_hint(err, "more of it, for example %.12s or %.12s", found->runs[0].id, found->runs[1].id);
}

/* 0 when there is none. 'g' sorts behind every digit, so that the index finds the range. */
static int find_id(struct runstore *s, const char *prefix, struct listing *out, struct err *err)
{
    struct listing found = { 0 };
    struct listed_run *r = NULL;
    int count;

    if (!may_be_id(prefix))
        return 0;
    count = find_with(s, "SELECT " SQL_LISTED " FROM runs WHERE id >= ?1 AND id < ?1 || 'g' ORDER BY id LIMIT 2",
                      prefix, 0, &found, err);
    if (count > 1)
        count = ambiguous(prefix, &found, err);
    if (count == 1 && (r = listing_add(out)) != NULL) {
        *r = found.runs[0];
        found.count = 0; /* it has moved */
    }
    listing_release(&found);
    return count == 1 && r == NULL ? err_set(err, ERR_SYSTEM, 0, "out of memory") : count;
}

int runstore_find(struct runstore *s, const char *reference, struct listing *out, struct err *err)
{
    static int (*const WAYS[])(struct runstore *, const char *, struct listing *,
                               struct err *) = { find_tag, find_place, find_id, find_name };

    for (size_t i = 0; i < sizeof(WAYS) / sizeof(WAYS[0]); i++) {
        const int found = WAYS[i](s, reference, out, err);

        if (found != 0)
            return found < 0 ? -1 : 0;
    }
    err_set(err, ERR_CONFIG, 0, "there is no run \"%s\"", reference);
    return err_hint(err, "the first letters of an id, a tag, a name or NAME@latest; plimsoll results list shows them");
}

int runstore_documents(struct runstore *s, int64_t run, runstore_visit *visit, void *arg, struct err *err)
{
    sqlite3_stmt *q = NULL;
    int failed = sql_prepare(s, &q, "SELECT json FROM documents WHERE run = ? ORDER BY document", FINDING, err),
        row = 0;

    if (failed == 0)
        sqlite3_bind_int64(q, 1, run);
    while (failed == 0 && (row = sql_next(s, q, FINDING, err)) == 1) {
        const char *json = sql_text(q, 0);

        failed = visit(arg, slice_from(json, (size_t)sqlite3_column_bytes(q, 0)), err);
    }
    sqlite3_finalize(q);
    return row < 0 ? -1 : failed;
}
