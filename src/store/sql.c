/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "store/sql.h"

static const char DAMAGED[] = "move it away, a new one is made then; plimsoll results import takes JSON documents in";

static int fail_with(struct runstore *s, const char *doing, const char *why, const char *hint, struct err *err)
{
    err_set(err, ERR_SYSTEM, 0, "%s: %s: %s", doing, s->path, why);
    return hint != NULL ? err_hint(err, "%s", hint) : -1;
}

int sql_fail(struct runstore *s, const char *doing, struct err *err)
{
    switch (sqlite3_errcode(s->db) & 0xff) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        return fail_with(s, doing, "another process is writing to it", "try again when that has ended", err);
    case SQLITE_FULL:
        return fail_with(s, doing, "no space is left", "free some space, or set PLIMSOLL_DB to another place", err);
    case SQLITE_READONLY:
    case SQLITE_PERM:
    case SQLITE_CANTOPEN:
        return fail_with(s, doing, sqlite3_errmsg(s->db),
                         "set PLIMSOLL_DB to a file that this user may write, or make this one writable", err);
    case SQLITE_CORRUPT:
        return fail_with(s, doing, "the store is damaged", DAMAGED, err);
    case SQLITE_NOTADB:
        return fail_with(s, doing, "this is no store of results, or a damaged one", DAMAGED, err);
    case SQLITE_NOMEM:
        return err_set(err, ERR_SYSTEM, 0, "out of memory");
    default:
        return fail_with(s, doing, sqlite3_errmsg(s->db), NULL, err);
    }
}

int sql_exec(struct runstore *s, const char *sql, const char *doing, struct err *err)
{
    return sqlite3_exec(s->db, sql, NULL, NULL, NULL) == SQLITE_OK ? 0 : sql_fail(s, doing, err);
}

int sql_prepare(struct runstore *s, sqlite3_stmt **out, const char *sql, const char *doing, struct err *err)
{
    return sqlite3_prepare_v2(s->db, sql, -1, out, NULL) == SQLITE_OK ? 0 : sql_fail(s, doing, err);
}

int sql_next(struct runstore *s, sqlite3_stmt *q, const char *doing, struct err *err)
{
    const int status = sqlite3_step(q);

    if (status == SQLITE_ROW)
        return 1;
    return status == SQLITE_DONE ? 0 : sql_fail(s, doing, err);
}

int sql_run(struct runstore *s, sqlite3_stmt *q, const char *doing, struct err *err)
{
    const int rows = sql_next(s, q, doing, err);

    sqlite3_reset(q);
    return rows < 0 ? -1 : 0;
}

int sql_number(struct runstore *s, const char *sql, int64_t *out, struct err *err)
{
    sqlite3_stmt *q = NULL;
    int row = sql_prepare(s, &q, sql, "cannot read the store", err);

    if (row == 0)
        row = sql_next(s, q, "cannot read the store", err);
    *out = row == 1 ? sqlite3_column_int64(q, 0) : 0;
    sqlite3_finalize(q);
    return row < 0 ? -1 : 0;
}

void sql_bind_text(sqlite3_stmt *q, int at, const char *text)
{
    sqlite3_bind_text(q, at, text != NULL ? text : "", -1, SQLITE_STATIC);
}

const char *sql_text(sqlite3_stmt *q, int column)
{
    const unsigned char *text = sqlite3_column_text(q, column);

    return text != NULL ? (const char *)text : "";
}

int sql_begin(struct runstore *s, const char *doing, struct err *err)
{
    return sql_exec(s, s->in_transaction ? "SAVEPOINT part" : "BEGIN IMMEDIATE", doing, err);
}

int sql_end(struct runstore *s, int failed, const char *doing, struct err *err)
{
    if (failed == 0)
        failed = sql_exec(s, s->in_transaction ? "RELEASE part" : "COMMIT", doing, err);
    if (failed != 0) {
        sqlite3_exec(s->db, s->in_transaction ? "ROLLBACK TO part" : "ROLLBACK", NULL, NULL, NULL);
        if (s->in_transaction)
            sqlite3_exec(s->db, "RELEASE part", NULL, NULL, NULL);
    }
    return failed;
}

int runstore_begin(struct runstore *s, struct err *err)
{
    const int failed = sql_exec(s, "BEGIN IMMEDIATE", "cannot write to the store", err);

    s->in_transaction = failed == 0;
    return failed;
}

int runstore_commit(struct runstore *s, struct err *err)
{
    if (sql_exec(s, "COMMIT", "cannot write to the store", err) != 0) {
        runstore_roll_back(s);
        return -1;
    }
    s->in_transaction = false;
    return 0;
}

void runstore_roll_back(struct runstore *s)
{
    if (s->in_transaction)
        sqlite3_exec(s->db, "ROLLBACK", NULL, NULL, NULL);
    s->in_transaction = false;
}
