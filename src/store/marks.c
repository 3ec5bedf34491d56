/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What people do to runs afterwards. */
#include "store/sql.h"

#include <string.h>

enum { TAG_MAX_BYTES = 200 };
static const char MARKING[] = "cannot mark the run", REMOVING[] = "cannot remove the run";

int runstore_check_tag(const char *tag, struct err *err)
{
    static const char ALLOWED[] = "for example v1.2 or nightly-base: no spaces, no / and no @, at most 200 bytes";
    const size_t length = strlen(tag);
    bool ok = length > 0 && length <= TAG_MAX_BYTES && tag[0] != '-' && strpbrk(tag, "/@*?[] ") == NULL;

    for (size_t i = 0; i < length; i++)
        ok = ok && (unsigned char)tag[i] > 0x20 && tag[i] != 0x7f;
    if (ok)
        return 0;
    err_set(err, ERR_USAGE, 0, "\"%.80s\" cannot be a tag", tag);
    return err_hint(err, "%s", ALLOWED);
}

/* A statement with up to one text and one run, as a transaction of its own. *changed may be NULL. */
static int change(struct runstore *s, const char *sql, const char *text, int64_t run, const char *doing, bool *changed,
                  struct err *err)
{
    sqlite3_stmt *q = NULL;
    int failed = sql_prepare(s, &q, sql, doing, err);

    if (failed == 0) {
        sqlite3_bind_int64(q, 1, run);
        if (sqlite3_bind_parameter_count(q) > 1)
            sql_bind_text(q, 2, text);
        failed = sql_run(s, q, doing, err);
    }
    if (changed != NULL)
        *changed = failed == 0 && sqlite3_changes(s->db) > 0;
    sqlite3_finalize(q);
    return failed;
}

int runstore_tag(struct runstore *s, int64_t run, const char *tag, bool same_code, struct err *err)
{
    int failed;

    if (runstore_check_tag(tag, err) != 0 || sql_begin(s, MARKING, err) != 0)
        return -1;
    failed = change(s, "INSERT OR IGNORE INTO tags(run, name) VALUES(?1, ?2)", tag, run, MARKING, NULL, err);
    if (failed == 0 && same_code)
        failed = change(s, "INSERT OR IGNORE INTO same_code(tag) SELECT ?2 WHERE ?1 IS NOT NULL", tag, run, MARKING,
                        NULL, err);
    return sql_end(s, failed, MARKING, err);
}

/* A tag that nothing carries any more says nothing of its code either. */
static int forget_tags(struct runstore *s, struct err *err)
{
    return sql_exec(s, "DELETE FROM same_code WHERE tag NOT IN (SELECT name FROM tags)", MARKING, err);
}

int runstore_untag(struct runstore *s, int64_t run, const char *tag, bool *removed, struct err *err)
{
    int failed;

    if (sql_begin(s, MARKING, err) != 0)
        return -1;
    failed = change(s, "DELETE FROM tags WHERE run = ?1 AND name = ?2", tag, run, MARKING, removed, err);
    if (failed == 0)
        failed = forget_tags(s, err);
    return sql_end(s, failed, MARKING, err);
}

int runstore_note(struct runstore *s, int64_t run, const char *text, struct err *err)
{
    return change(s, "UPDATE runs SET note = ?2 WHERE number = ?1", text, run, MARKING, NULL, err);
}

int runstore_remove(struct runstore *s, int64_t run, struct err *err)
{
    int failed;

    if (sql_begin(s, REMOVING, err) != 0)
        return -1;
    failed = change(s, "DELETE FROM runs WHERE number = ?1", NULL, run, REMOVING, NULL, err);
    if (failed == 0)
        failed = forget_tags(s, err);
    return sql_end(s, failed, REMOVING, err);
}

/* SQLite's own check gives one row that says "ok", or one per fault. */
static int check_pages(struct runstore *s, struct err *err)
{
    static const char CHECKING[] = "cannot check the store";
    sqlite3_stmt *q = NULL;
    int row = sql_prepare(s, &q, "PRAGMA integrity_check(1)", CHECKING, err);

    if (row == 0)
        row = sql_next(s, q, CHECKING, err);
    if (row == 1 && strcmp(sql_text(q, 0), "ok") != 0) {
        row = err_set(err, ERR_SYSTEM, 0, "%s is damaged: %.200s", s->path, sql_text(q, 0));
        err_hint(err, "plimsoll results export ALL-YOU-NEED, then move it away");
    }
    sqlite3_finalize(q);
    return row < 0 ? -1 : 0;
}

int runstore_vacuum(struct runstore *s, struct err *err)
{
    static const char TIDYING[] = "cannot tidy the store";
    int failed = check_pages(s, err);

    if (failed == 0)
        failed = sql_begin(s, TIDYING, err);
    if (failed == 0) {
        failed = samples_sweep(s, err);
        failed = sql_end(s, failed, TIDYING, err);
    }
    if (failed == 0)
        failed = sql_exec(s, "VACUUM", TIDYING, err);
    return failed != 0 ? -1 : sql_exec(s, "PRAGMA wal_checkpoint(TRUNCATE)", TIDYING, err);
}
