/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "store/sql.h"

#include <limits.h>
#include <string.h>

static const char KEEPING[] = "cannot keep the run";

/* The id under which documents are one run. */
static const char *run_id(const struct result *r)
{
    return r->run != NULL && r->run[0] != '\0' ? r->run : r->id;
}

/* A run that is there gets one more document: it lasted from the first start on, and is valid when all are. */
static int insert_run(struct runstore *s, const struct result *r, int64_t *run, struct err *err)
{
    sqlite3_stmt *q = NULL;
    int row;

    if (sql_prepare(s, &q,
                    "INSERT INTO runs(id, name, kind, started, duration_s, valid, interrupted) VALUES(?,?,?,?,?,?,?) "
                    "ON CONFLICT(id) DO UPDATE SET valid = min(valid, excluded.valid), "
                    "interrupted = max(interrupted, excluded.interrupted), "
                    "duration_s = duration_s + excluded.duration_s, started = min(started, excluded.started) "
                    "RETURNING number",
                    KEEPING, err) != 0)
        return -1;
    sql_bind_text(q, 1, run_id(r));
    sql_bind_text(q, 2, r->name);
    sql_bind_text(q, 3, r->kind);
    sql_bind_text(q, 4, r->started);
    sqlite3_bind_double(q, 5, r->duration_s);
    sqlite3_bind_int(q, 6, r->valid);
    sqlite3_bind_int(q, 7, r->interrupted);
    row = sql_next(s, q, KEEPING, err);
    *run = row == 1 ? sqlite3_column_int64(q, 0) : 0;
    while (row == 1 && sqlite3_step(q) == SQLITE_ROW)
        continue;
    sqlite3_finalize(q);
    return row == 1 ? 0 : row < 0 ? -1 : err_set(err, ERR_SYSTEM, 0, "%s: no number came back", KEEPING);
}

static int insert_document(struct runstore *s, int64_t run, const struct result *r, struct slice json, struct err *err)
{
    sqlite3_stmt *q = NULL;
    int failed;

    if (json.len > INT_MAX)
        return err_set(err, ERR_LIMIT, 0, "%s: its document is larger than 2 GiB", KEEPING);
    if (sql_prepare(s, &q, "INSERT INTO documents(run, id, json) VALUES(?,?,?)", KEEPING, err) != 0)
        return -1;
    sqlite3_bind_int64(q, 1, run);
    sql_bind_text(q, 2, r->id);
    sqlite3_bind_text(q, 3, json.ptr != NULL ? json.ptr : "", (int)json.len, SQLITE_STATIC);
    failed = sql_run(s, q, KEEPING, err);
    sqlite3_finalize(q);
    return failed;
}

/* Given twice, the later value of a label stands, as in the document. */
static int insert_labels(struct runstore *s, int64_t run, const struct strlist *labels, struct err *err)
{
    sqlite3_stmt *q = NULL;
    int failed = sql_prepare(s, &q, "INSERT OR REPLACE INTO labels(run, name, value) VALUES(?,?,?)", KEEPING, err);

    for (size_t i = 0; i < labels->count && failed == 0; i++) {
        struct slice value = slice_str(labels->items[i]);
        const struct slice name = slice_split(&value, '=');

        sqlite3_bind_int64(q, 1, run);
        sqlite3_bind_text(q, 2, name.ptr, (int)name.len, SQLITE_STATIC);
        sqlite3_bind_text(q, 3, value.ptr != NULL ? value.ptr : "", (int)value.len, SQLITE_STATIC);
        failed = sql_run(s, q, KEEPING, err);
    }
    sqlite3_finalize(q);
    return failed;
}

static bool has_all(const struct strlist *texts, const struct strlist *wanted)
{
    for (size_t i = 0; i < wanted->count; i++)
        if (!strlist_contains(texts, slice_str(wanted->items[i])))
            return false;
    return true;
}

/* What is written again from what was read: an older plimsoll may have written the same in other words. The id of an
 * imported report is that of its text, so that only what was said of it beside may differ: labels that were not there.
 */
static bool says_the_same(struct slice stored, const struct result *r, struct slice json)
{
    struct result *before = NULL;
    struct buf again;
    bool same;

    if (slice_eq(stored, json))
        return true;
    if (result_from_json(&before, stored, NULL) != 0)
        return false;
    buf_init(&again, INT_MAX);
    if (result_is_import(r) && result_is_import(before))
        same = strcmp(before->name, r->name) == 0 && has_all(&before->labels, &r->labels);
    else
        same = result_to_json(before, &again, NULL) == 0 && slice_eq(buf_slice(&again), json);
    buf_release(&again);
    result_free(before);
    return same;
}

/* Whether a document of that id is there, and is this one. */
static int look_for(struct runstore *s, const struct result *r, struct slice json, enum runstore_added *what,
                    struct err *err)
{
    sqlite3_stmt *q = NULL;
    int row = sql_prepare(s, &q, "SELECT json FROM documents WHERE id = ?", KEEPING, err);

    *what = STORE_ADDED;
    if (row == 0) {
        sql_bind_text(q, 1, r->id);
        row = sql_next(s, q, KEEPING, err);
    }
    if (row == 1)
        *what = says_the_same(slice_str(sql_text(q, 0)), r, json) ? STORE_KNOWN : STORE_DIFFERS;
    sqlite3_finalize(q);
    return row < 0 ? -1 : 0;
}

static int add_parts(struct runstore *s, const struct result *r, struct slice json, struct err *err)
{
    int64_t run = 0;

    if (insert_run(s, r, &run, err) != 0 || insert_document(s, run, r, json, err) != 0)
        return -1;
    return samples_add(s, sqlite3_last_insert_rowid(s->db), r, err) != 0 ? -1 : insert_labels(s, run, &r->labels, err);
}

static int say_differs(const struct result *r, struct err *err)
{
    err_set(err, ERR_CONFIG, 0, "%s: another document of the id %s is in the store", KEEPING, r->id);
    return err_hint(err, "plimsoll results show %.8s shows that one; results rm removes it", r->id);
}

int runstore_add(struct runstore *s, const struct result *r, struct slice json, enum runstore_added *what,
                 struct err *err)
{
    enum runstore_added found = STORE_ADDED;
    int failed;

    if (sql_begin(s, KEEPING, err) != 0)
        return -1;
    failed = look_for(s, r, json, &found, err);
    if (failed == 0 && found == STORE_DIFFERS && what == NULL)
        failed = say_differs(r, err);
    if (failed == 0 && found == STORE_ADDED)
        failed = add_parts(s, r, json, err);
    failed = sql_end(s, failed, KEEPING, err);
    if (what != NULL)
        *what = found;
    return failed;
}
