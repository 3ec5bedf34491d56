/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "store/sql.h"

#include <inttypes.h>

#define APPLICATION_ID 0x504c494d /* "PLIM": the file is ours */
static const char PREPARING[] = "cannot make the store of results ready";

/* Version 1: runs with their documents, labels and tags. */
static const char VERSION_1[] =
    "CREATE TABLE runs("
    " number INTEGER PRIMARY KEY AUTOINCREMENT," /* the order in which they came; never used again */
    " id TEXT NOT NULL UNIQUE,"
    " name TEXT NOT NULL,"
    " kind TEXT NOT NULL,"
    " started TEXT NOT NULL," /* RFC 3339, UTC: sorts as text; '' when not known */
    " duration_s REAL NOT NULL,"
    " valid INTEGER NOT NULL,"
    " interrupted INTEGER NOT NULL,"
    " stored TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ','now')));"
    "CREATE INDEX runs_started ON runs(started, number);"
    "CREATE INDEX runs_name ON runs(name);"
    "CREATE TABLE documents("
    " run INTEGER PRIMARY KEY REFERENCES runs ON DELETE CASCADE,"
    " json TEXT NOT NULL);"
    "CREATE TABLE labels("
    " run INTEGER NOT NULL REFERENCES runs ON DELETE CASCADE,"
    " name TEXT NOT NULL,"
    " value TEXT NOT NULL,"
    " PRIMARY KEY(run, name)) WITHOUT ROWID;"
    "CREATE TABLE tags("
    " name TEXT NOT NULL,"
    " run INTEGER NOT NULL REFERENCES runs ON DELETE CASCADE,"
    " PRIMARY KEY(name, run)) WITHOUT ROWID;"
    "CREATE INDEX tags_run ON tags(run);";

/* Version 2: notes, tags of unchanged code, and samples that can be compared without their documents. */
static const char VERSION_2[] = "ALTER TABLE runs ADD COLUMN note TEXT NOT NULL DEFAULT '';"
                                "ALTER TABLE documents RENAME TO documents_1;"
                                "CREATE TABLE documents(" /* a run may have several: the samples of a matrix */
                                " document INTEGER PRIMARY KEY,"
                                " run INTEGER NOT NULL REFERENCES runs ON DELETE CASCADE,"
                                " id TEXT NOT NULL UNIQUE,"
                                " json TEXT NOT NULL);"
                                "CREATE INDEX documents_run ON documents(run);"
                                "INSERT INTO documents(run, id, json)"
                                " SELECT number, id, json FROM documents_1 JOIN runs ON run = number ORDER BY number;"
                                "DROP TABLE documents_1;"
                                "CREATE TABLE same_code(tag TEXT PRIMARY KEY) WITHOUT ROWID;"
                                "CREATE TABLE facts("
                                " fact INTEGER PRIMARY KEY,"
                                " role INTEGER NOT NULL," /* enum fact_role */
                                " name TEXT NOT NULL,"
                                " value TEXT NOT NULL,"
                                " UNIQUE(role, name, value));"
                                "CREATE TABLE cells(" /* a set of facts that samples share */
                                " cell INTEGER PRIMARY KEY,"
                                " facts TEXT NOT NULL UNIQUE);" /* their numbers in order, with spaces between */
                                "CREATE TABLE samples("
                                " sample INTEGER PRIMARY KEY,"
                                " document INTEGER NOT NULL REFERENCES documents ON DELETE CASCADE,"
                                " cell INTEGER NOT NULL REFERENCES cells,"
                                " started TEXT NOT NULL,"
                                " session TEXT,"
                                " round INTEGER,"
                                " valid INTEGER NOT NULL,"
                                " reason TEXT,"
                                " requests INTEGER NOT NULL,"
                                " failures INTEGER NOT NULL);"
                                "CREATE INDEX samples_document ON samples(document);"
                                "CREATE INDEX samples_cell ON samples(cell);"
                                "CREATE TABLE metric_names("
                                " metric INTEGER PRIMARY KEY,"
                                " name TEXT NOT NULL,"
                                " higher_is_better INTEGER NOT NULL,"
                                " is_share INTEGER NOT NULL,"
                                " UNIQUE(name, higher_is_better, is_share));"
                                "CREATE TABLE metrics("
                                " sample INTEGER NOT NULL REFERENCES samples ON DELETE CASCADE,"
                                " place INTEGER NOT NULL," /* the order in which the document has them */
                                " metric INTEGER NOT NULL REFERENCES metric_names,"
                                " value REAL," /* NULL: not a number */
                                " PRIMARY KEY(sample, place)) WITHOUT ROWID;"
                                "CREATE TABLE sightings("
                                " sample INTEGER NOT NULL REFERENCES samples ON DELETE CASCADE,"
                                " place INTEGER NOT NULL,"
                                " what TEXT NOT NULL,"
                                " count INTEGER NOT NULL,"
                                " PRIMARY KEY(sample, place)) WITHOUT ROWID;";

/* The samples of one stored document. One that can no longer be read has none: the document itself stays. */
static int fill_samples(struct runstore *s, int64_t document, struct slice json, struct err *err)
{
    struct result *r = NULL;
    int failed = 0;

    if (result_from_json(&r, json, NULL) == 0)
        failed = samples_add(s, document, r, err);
    result_free(r);
    return failed;
}

static int fill_all_samples(struct runstore *s, struct err *err)
{
    sqlite3_stmt *q = NULL;
    int failed = sql_prepare(s, &q, "SELECT document, json FROM documents ORDER BY document", PREPARING, err);
    int row = 0;

    while (failed == 0 && (row = sql_next(s, q, PREPARING, err)) == 1)
        failed = fill_samples(s, sqlite3_column_int64(q, 0),
                              slice_from(sql_text(q, 1), (size_t)sqlite3_column_bytes(q, 1)), err);
    sqlite3_finalize(q);
    return row < 0 ? -1 : failed;
}

/* What leads from the version before to each: statements, then, where they do not suffice, a function. */
static const struct step {
    const char *sql;
    int (*fill)(struct runstore *s, struct err *err);
} STEPS[] = {
    { VERSION_1, NULL },
    { VERSION_2, fill_all_samples },
};
enum { VERSION = sizeof(STEPS) / sizeof(STEPS[0]) };

static int climb(struct runstore *s, int64_t from, struct err *err)
{
    char sql[64];

    for (int64_t version = from; version < VERSION; version++)
        if (sql_exec(s, STEPS[version].sql, PREPARING, err) != 0 ||
            (STEPS[version].fill != NULL && STEPS[version].fill(s, err) != 0))
            return -1;
    snprintf(sql, sizeof(sql), "PRAGMA user_version = %d; PRAGMA application_id = %d", VERSION, APPLICATION_ID);
    return sql_exec(s, sql, PREPARING, err);
}

static int find_version(struct runstore *s, int64_t *version, struct err *err)
{
    int64_t application, tables;

    if (sql_number(s, "PRAGMA user_version", version, err) != 0 ||
        sql_number(s, "PRAGMA application_id", &application, err) != 0 ||
        sql_number(s, "SELECT count(*) FROM sqlite_schema", &tables, err) != 0)
        return -1;
    if (tables > 0 && (application != APPLICATION_ID || *version < 1)) {
        err_set(err, ERR_SYSTEM, 0, "%s is a database of another program", s->path);
        return err_hint(err, "set PLIMSOLL_DB to another place");
    }
    if (*version > VERSION) {
        err_set(err, ERR_SYSTEM, 0, "%s was made by a newer plimsoll (its schema is %" PRIi64 ", this one knows %d)",
                s->path, *version, VERSION);
        return err_hint(err, "use the newer plimsoll, or set PLIMSOLL_DB to another place");
    }
    return 0;
}

int schema_prepare(struct runstore *s, enum runstore_access access, struct err *err)
{
    int64_t version;
    int failed;

    if (find_version(s, &version, err) != 0)
        return -1;
    if (version == VERSION)
        return 0;
    if (sqlite3_db_readonly(s->db, "main") == 1) {
        err_set(err, ERR_SYSTEM, 0, "%s is of an older plimsoll and cannot be changed", s->path);
        return err_hint(err, "copy it to where it can be written, and set PLIMSOLL_DB to the copy");
    }
    if (sql_begin(s, PREPARING, err) != 0)
        return -1;
    failed = find_version(s, &version, err); /* another process may have been faster */
    if (failed == 0 && version < VERSION)
        failed = climb(s, version, err);
    return sql_end(s, failed, PREPARING, err);
}
