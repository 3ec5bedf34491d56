/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "store/sql.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char OPENING[] = "cannot open the store of results";

/* Switching to the write-ahead log needs the file for itself for a moment, and SQLite does not wait there: we do. */
enum { WAL_TRIES = 200, WAL_PAUSE_US = 10000 };

static int use_wal(struct runstore *s, struct err *err)
{
    int status = SQLITE_BUSY;

    for (int i = 0; i < WAL_TRIES && (status == SQLITE_BUSY || status == SQLITE_LOCKED); i++) {
        if (i > 0)
            usleep(WAL_PAUSE_US);
        status = sqlite3_exec(s->db, "PRAGMA journal_mode = WAL", NULL, NULL, NULL);
    }
    /* Where there can be no shared memory (a network's file system), the rollback journal serves as well. */
    return status == SQLITE_OK || sqlite3_db_readonly(s->db, "main") == 1 ? 0 : sql_fail(s, OPENING, err);
}

static int open_database(struct runstore *s, const char *name, int flags, struct err *err)
{
    sqlite3_close(s->db);
    s->db = NULL;
    if (sqlite3_open_v2(name, &s->db, flags | SQLITE_OPEN_NOMUTEX, NULL) != SQLITE_OK)
        return s->db != NULL ? sql_fail(s, OPENING, err) : err_set(err, ERR_SYSTEM, 0, "out of memory");
    sqlite3_extended_result_codes(s->db, 0);
    sqlite3_busy_timeout(s->db, STORE_BUSY_MS);
    return sql_exec(s, "PRAGMA foreign_keys = ON; PRAGMA synchronous = FULL; PRAGMA trusted_schema = OFF", OPENING,
                    err);
}

/* A database in WAL mode on a medium that can not be written has no place for its shared memory; nobody writes there,
 * so SQLite may take the file as it is. */
static int open_immutable(struct runstore *s, struct err *err)
{
    struct buf uri;
    int failed;

    buf_init(&uri, 1u << 16);
    buf_add_str(&uri, "file:");
    for (const char *c = s->path; *c != '\0'; c++) {
        if (strchr("%?#", *c) != NULL)
            buf_printf(&uri, "%%%02X", (unsigned char)*c);
        else
            buf_add_char(&uri, *c);
    }
    buf_add_str(&uri, "?immutable=1");
    failed = buf_ok(&uri) ? open_database(s, uri.data, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, err)
                          : err_set(err, ERR_SYSTEM, 0, "out of memory");
    buf_release(&uri);
    return failed;
}

static int open_for_reading(struct runstore *s, struct err *err)
{
    struct err ignored = { 0 };

    if (open_database(s, s->path, SQLITE_OPEN_READWRITE, &ignored) == 0 && schema_prepare(s, STORE_READ, err) == 0)
        return 0;
    if (access(s->path, W_OK) == 0 && sqlite3_errcode(s->db) != SQLITE_CANTOPEN &&
        sqlite3_errcode(s->db) != SQLITE_READONLY)
        return err != NULL && err->what[0] != '\0' ? -1 : sql_fail(s, OPENING, err);
    if (open_immutable(s, err) != 0)
        return -1;
    if (err != NULL)
        *err = (struct err){ 0 };
    return schema_prepare(s, STORE_READ, err);
}

static int open_for_writing(struct runstore *s, struct err *err)
{
    if (open_database(s, s->path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, err) != 0 || use_wal(s, err) != 0)
        return -1;
    return schema_prepare(s, STORE_WRITE, err);
}

static int check_file(const char *path, enum runstore_access access, struct err *err)
{
    struct stat st;

    if (stat(path, &st) != 0) {
        if (errno == ENOENT && access == STORE_WRITE)
            return 0;
        return err_set(err, ERR_SYSTEM, errno, "%s: %s", OPENING, path);
    }
    return S_ISDIR(st.st_mode) ? err_set(err, ERR_SYSTEM, EISDIR, "%s: %s", OPENING, path) : 0;
}

int runstore_open(struct runstore **out, const char *path, enum runstore_access access, struct err *err)
{
    struct runstore *s = NULL;
    int failed;

    *out = NULL;
    if (check_file(path, access, err) != 0)
        return -1;
    s = calloc(1, sizeof(*s));
    if (s == NULL || (s->path = strdup(path)) == NULL) {
        free(s);
        return err_set(err, ERR_SYSTEM, 0, "out of memory");
    }
    failed = access == STORE_READ ? open_for_reading(s, err) : open_for_writing(s, err);
    if (failed != 0) {
        runstore_close(s);
        return -1;
    }
    *out = s;
    return 0;
}

void runstore_close(struct runstore *s)
{
    if (s == NULL)
        return;
    runstore_roll_back(s);
    sqlite3_close(s->db);
    free(s->path);
    free(s);
}

const char *runstore_path(const struct runstore *s)
{
    return s->path;
}
