/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fixture.h"

#include <dirent.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sample.h"

void fixture_init(struct fixture *f)
{
    memset(f, 0, sizeof(*f));
    snprintf(f->folder, sizeof(f->folder), "/tmp/plimsoll-store-XXXXXX");
    assert_non_null(mkdtemp(f->folder));
    snprintf(f->path, sizeof(f->path), "%s/results.db", f->folder);
}

void fixture_open(struct fixture *f)
{
    struct err err = { 0 };

    if (runstore_open(&f->store, f->path, STORE_WRITE, &err) != 0)
        fail_msg("%s", err.what);
}

void fixture_reopen(struct fixture *f)
{
    runstore_close(f->store);
    fixture_open(f);
}

void fixture_release(struct fixture *f)
{
    DIR *d;
    const struct dirent *e;
    char path[sizeof(f->folder) + 260];

    runstore_close(f->store);
    d = opendir(f->folder);
    while (d != NULL && (e = readdir(d)) != NULL) {
        snprintf(path, sizeof(path), "%s/%s", f->folder, e->d_name);
        unlink(path);
    }
    if (d != NULL)
        closedir(d);
    rmdir(f->folder);
}

struct result *fixture_result(const char *id, const char *name, const char *started, const char *labels)
{
    struct result *r = sample_plain();
    struct slice rest = slice_str(labels);

    snprintf(r->id, sizeof(r->id), "%s", id);
    snprintf(r->started, sizeof(r->started), "%s", started);
    free(r->name);
    r->name = sample_dup(name);
    strlist_release(&r->labels);
    while (rest.len > 0)
        assert_true(strlist_add(&r->labels, slice_split(&rest, ' ')));
    return r;
}

int fixture_try_add(struct runstore *s, const struct result *r, struct err *err)
{
    struct buf json;
    int failed;

    buf_init(&json, 1u << 24);
    failed = result_to_json(r, &json, err);
    if (failed == 0)
        failed = runstore_add(s, r, buf_slice(&json), NULL, err);
    buf_release(&json);
    return failed;
}

void fixture_add(struct fixture *f, const char *id, const char *name, const char *started, const char *labels)
{
    struct result *r = fixture_result(id, name, started, labels);
    struct err err = { 0 };

    if (fixture_try_add(f->store, r, &err) != 0)
        fail_msg("%s", err.what);
    result_free(r);
}

size_t fixture_count(struct fixture *f)
{
    struct listing l = { 0 };
    const struct runstore_filter all = { 0 };
    struct err err = { 0 };
    size_t count;

    if (runstore_list(f->store, &all, &l, &err) != 0)
        fail_msg("%s", err.what);
    count = l.count;
    listing_release(&l);
    return count;
}

long fixture_query(const char *path, const char *sql)
{
    sqlite3 *db = NULL;
    sqlite3_stmt *q = NULL;
    long number;

    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_prepare_v2(db, sql, -1, &q, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_step(q), SQLITE_ROW);
    number = (long)sqlite3_column_int64(q, 0);
    sqlite3_finalize(q);
    sqlite3_close(db);
    return number;
}
