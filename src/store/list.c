/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "store/sql.h"

#include <stdlib.h>
#include <string.h>

static const char LISTING[] = "cannot list the runs";
enum { SQL_MAX_BYTES = 1 << 16 };

bool listed_fill(struct listing *out, sqlite3_stmt *q)
{
    struct listed_run *r = listing_add(out);

    if (r == NULL)
        return false;
    r->number = sqlite3_column_int64(q, 0);
    snprintf(r->id, sizeof(r->id), "%s", sql_text(q, 1));
    r->name = strdup(sql_text(q, 2));
    r->kind = strdup(sql_text(q, 3));
    snprintf(r->started, sizeof(r->started), "%s", sql_text(q, 4));
    r->duration_s = sqlite3_column_double(q, 5);
    r->valid = sqlite3_column_int(q, 6) != 0;
    r->interrupted = sqlite3_column_int(q, 7) != 0;
    r->note = strdup(sql_text(q, 8));
    return r->name != NULL && r->kind != NULL && r->note != NULL;
}

/* The conditions, with a ? for each value; binding follows the same order (bind_filter). */
static void add_conditions(struct buf *sql, const struct runstore_filter *f)
{
    buf_add_str(sql, " WHERE 1");
    if (f->name != NULL)
        buf_add_str(sql, " AND name GLOB ?");
    if (f->kind != NULL)
        buf_add_str(sql, " AND kind = ?");
    if (f->tag != NULL)
        buf_add_str(sql, " AND number IN (SELECT run FROM tags WHERE tags.name = ?)");
    if (f->since != NULL)
        buf_add_str(sql, " AND started >= ?");
    if (f->until != NULL) /* "2026-03" ends with the last moment that begins so */
        buf_add_str(sql, " AND started < ? || char(0x7f)");
    for (size_t i = 0; f->labels != NULL && i < f->labels->count; i++)
        buf_add_str(sql,
                    strchr(f->labels->items[i], '=') != NULL
                        ? " AND EXISTS (SELECT 1 FROM labels WHERE run = number AND labels.name || '=' || value = ?)"
                        : " AND EXISTS (SELECT 1 FROM labels WHERE run = number AND labels.name = ?)");
    buf_add_str(sql, " ORDER BY started DESC, number DESC");
    if (f->limit > 0)
        buf_printf(sql, " LIMIT %zu", f->limit);
}

static void bind_filter(sqlite3_stmt *q, const struct runstore_filter *f)
{
    const char *const values[] = { f->name, f->kind, f->tag, f->since, f->until };
    int at = 1;

    for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++)
        if (values[i] != NULL)
            sql_bind_text(q, at++, values[i]);
    for (size_t i = 0; f->labels != NULL && i < f->labels->count; i++)
        sql_bind_text(q, at++, f->labels->items[i]);
}

static int prepare_list(struct runstore *s, sqlite3_stmt **q, const struct runstore_filter *f, struct err *err)
{
    struct buf sql;
    int failed;

    buf_init(&sql, SQL_MAX_BYTES);
    buf_add_str(&sql, "SELECT " SQL_LISTED " FROM runs");
    add_conditions(&sql, f);
    failed = buf_ok(&sql) ? sql_prepare(s, q, sql.data, LISTING, err)
                          : err_set(err, ERR_USAGE, 0, "too many conditions for a list");
    if (failed == 0)
        bind_filter(*q, f);
    buf_release(&sql);
    return failed;
}

static int no_memory(struct err *err)
{
    return err_set(err, ERR_SYSTEM, 0, "out of memory");
}

static int add_labels(struct runstore *s, sqlite3_stmt *q, struct listed_run *r, struct err *err)
{
    int row = 0, failed = 0;

    sqlite3_bind_int64(q, 1, r->number);
    while (failed == 0 && (row = sql_next(s, q, LISTING, err)) == 1)
        if (!listed_run_add_label(r, sql_text(q, 0), sql_text(q, 1)))
            failed = no_memory(err);
    sqlite3_reset(q);
    return row < 0 ? -1 : failed;
}

static int add_tags(struct runstore *s, sqlite3_stmt *q, struct listed_run *r, struct err *err)
{
    int row = 0, failed = 0;

    sqlite3_bind_int64(q, 1, r->number);
    while (failed == 0 && (row = sql_next(s, q, LISTING, err)) == 1)
        if (!strlist_add(&r->tags, slice_str(sql_text(q, 0))))
            failed = no_memory(err);
    sqlite3_reset(q);
    return row < 0 ? -1 : failed;
}

/* What is not in a run's own row. */
static int add_details(struct runstore *s, struct listing *l, size_t from, struct err *err)
{
    sqlite3_stmt *labels = NULL, *tags = NULL;
    int failed = sql_prepare(s, &labels, "SELECT name, value FROM labels WHERE run = ? ORDER BY name", LISTING, err);

    if (failed == 0)
        failed = sql_prepare(s, &tags, "SELECT name FROM tags WHERE run = ? ORDER BY name", LISTING, err);
    for (size_t i = from; i < l->count && failed == 0; i++) {
        failed = add_labels(s, labels, &l->runs[i], err);
        if (failed == 0)
            failed = add_tags(s, tags, &l->runs[i], err);
    }
    sqlite3_finalize(labels);
    sqlite3_finalize(tags);
    return failed;
}

static int list_rows(struct runstore *s, const struct runstore_filter *filter, struct listing *out, struct err *err)
{
    const size_t from = out->count;
    sqlite3_stmt *q = NULL;
    int failed = prepare_list(s, &q, filter, err), row = 0;

    while (failed == 0 && (row = sql_next(s, q, LISTING, err)) == 1)
        if (!listed_fill(out, q))
            failed = no_memory(err);
    sqlite3_finalize(q);
    if (failed != 0 || row < 0)
        return -1;
    return add_details(s, out, from, err);
}

/* One moment's view, whatever others write meanwhile, and one lock for thousands of small questions. */
int runstore_list(struct runstore *s, const struct runstore_filter *filter, struct listing *out, struct err *err)
{
    int failed;

    if (sql_exec(s, "SAVEPOINT list", LISTING, err) != 0)
        return -1;
    failed = list_rows(s, filter, out, err);
    sqlite3_exec(s->db, "RELEASE list", NULL, NULL, NULL);
    return failed;
}
