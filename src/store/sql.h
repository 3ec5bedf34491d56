/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the files of store/ share: the open database, and SQLite's answers as errors of ours. Private to store/. */
#ifndef PLIMSOLL_STORE_SQL_H
#define PLIMSOLL_STORE_SQL_H

#include <sqlite3.h>

#include "store/store.h"

struct runstore {
    sqlite3 *db;
    char *path;
    bool in_transaction; /* of runstore_begin() */
};

/* Fills err from the database's last error; doing: "cannot keep the run". Returns -1. */
int sql_fail(struct runstore *s, const char *doing, struct err *err);
MUST_CHECK int sql_exec(struct runstore *s, const char *sql, const char *doing, struct err *err);
MUST_CHECK int sql_prepare(struct runstore *s, sqlite3_stmt **out, const char *sql, const char *doing, struct err *err);
/* Runs a statement that gives no rows, and makes it ready for the next. */
MUST_CHECK int sql_run(struct runstore *s, sqlite3_stmt *q, const char *doing, struct err *err);
/* 1: a row; 0: the end; -1. */
MUST_CHECK int sql_next(struct runstore *s, sqlite3_stmt *q, const char *doing, struct err *err);
/* The first column of the only row; 0 when there is none. */
MUST_CHECK int sql_number(struct runstore *s, const char *sql, int64_t *out, struct err *err);
/* NULL binds "". The text must live until the statement is reset. */
void sql_bind_text(sqlite3_stmt *q, int at, const char *text);
/* "" for NULL; good until the next step. */
const char *sql_text(sqlite3_stmt *q, int column);

/* A transaction of its own, unless runstore_begin() has one open: then a part of that. */
MUST_CHECK int sql_begin(struct runstore *s, const char *doing, struct err *err);
/* Ends it as failed says; returns failed, or -1 when it could not be ended well. */
MUST_CHECK int sql_end(struct runstore *s, int failed, const char *doing, struct err *err);

/* schema.c: makes or migrates the tables; refuses what is not ours. */
MUST_CHECK int schema_prepare(struct runstore *s, enum runstore_access access, struct err *err);
/* samples_add.c: what a comparison wants of a document, into the tables. Inside a transaction. */
MUST_CHECK int samples_add(struct runstore *s, int64_t document, const struct result *r, struct err *err);
/* samples_add.c: drops cells and facts that no sample has. */
MUST_CHECK int samples_sweep(struct runstore *s, struct err *err);
/* list.c: a run without its labels and tags from a row of LISTED; false: no memory. */
#define SQL_LISTED "number, id, name, kind, started, duration_s, valid, interrupted, note"
bool listed_fill(struct listing *out, sqlite3_stmt *q);

#endif
