/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The store: what is put in comes out, found by every name it has; older stores are migrated. */
#include "fixture.h"

#include <math.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "sample.h"

#define ID_A "aaaa1111-0000-4000-8000-000000000001"
#define ID_B "aaaa2222-0000-4000-8000-000000000002"
#define ID_C "cccc3333-0000-4000-8000-000000000003"
#define ID_D "dddd4444-0000-4000-8000-000000000004"

static int setup(void **state)
{
    struct fixture *f = calloc(1, sizeof(*f));

    fixture_init(f);
    fixture_open(f);
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    fixture_release(*state);
    free(*state);
    return 0;
}

/* Not in the order of their starts. */
static void add_four(struct fixture *f)
{
    fixture_add(f, ID_B, "nightly-b", "2026-03-02T10:00:00.000Z", "commit=2 branch=main");
    fixture_add(f, ID_A, "nightly", "2026-03-01T10:00:00.000Z", "commit=1 branch=main");
    fixture_add(f, ID_D, "nightly", "2026-04-01T10:00:00.000Z", "commit=4 branch=new");
    fixture_add(f, ID_C, "other", "2026-03-03T10:00:00.000Z", NULL);
}

static void list(struct fixture *f, const struct runstore_filter *filter, char out[64])
{
    struct listing l = { 0 };

    assert_int_equal(runstore_list(f->store, filter, &l, NULL), 0);
    out[0] = '\0';
    for (size_t i = 0; i < l.count; i++)
        out[i] = l.runs[i].id[4], out[i + 1] = '\0';
    listing_release(&l);
}

static void test_a_list_is_newest_first_and_filtered(void **state)
{
    struct strlist main_branch = STRLIST_INIT, has_commit = STRLIST_INIT, both = STRLIST_INIT;
    struct fixture *f = *state;

    add_four(f);
    fixture_reopen(f);
    assert_int_equal(runstore_tag(f->store, 2, "base", false, NULL), 0);
    assert_true(strlist_add(&main_branch, SLICE("branch=main")) && strlist_add(&has_commit, SLICE("commit")) &&
                strlist_add(&both, SLICE("branch=main")) && strlist_add(&both, SLICE("commit=2")));
    const struct {
        const char *why;
        struct runstore_filter filter;
        const char *want;
    } cases[] = {
        { "all, newest first", { 0 }, "4321" },
        { "a name is a pattern", { .name = "nightly*" }, "421" },
        { "a whole name", { .name = "nightly" }, "41" },
        { "a kind", { .kind = "load" }, "4321" },
        { "another kind", { .kind = "rounds" }, "" },
        { "a tag", { .tag = "base" }, "1" },
        { "from a day on", { .since = "2026-03-02" }, "432" },
        { "until a month's end", { .until = "2026-03" }, "321" },
        { "between", { .since = "2026-03-02", .until = "2026-03-02" }, "2" },
        { "a label's value", { .labels = &main_branch }, "21" },
        { "a label of any value", { .labels = &has_commit }, "421" },
        { "every label", { .labels = &both }, "2" },
        { "so many", { .limit = 2 }, "43" },
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char got[64];

        list(f, &cases[i].filter, got);
        if (strcmp(got, cases[i].want) != 0)
            fail_msg("%s: %s, not %s", cases[i].why, got, cases[i].want);
    }
    strlist_release(&main_branch);
    strlist_release(&has_commit);
    strlist_release(&both);
}

static void test_a_listed_run_has_what_the_document_says(void **state)
{
    struct fixture *f = *state;
    struct listing l = { 0 };
    struct buf json;

    add_four(f);
    assert_int_equal(runstore_tag(f->store, 1, "v1", false, NULL), 0);
    assert_int_equal(runstore_tag(f->store, 1, "base", false, NULL), 0);
    assert_int_equal(runstore_note(f->store, 1, "before the \"fix\"", NULL), 0);
    assert_int_equal(runstore_list(f->store, &(struct runstore_filter){ .name = "nightly-b" }, &l, NULL), 0);
    assert_int_equal(l.count, 1);
    buf_init(&json, 1u << 16);
    listing_to_json(&l, &json);
    assert_string_equal(json.data, "[\n  {\n    \"id\": \"" ID_B "\",\n    \"name\": \"nightly-b\",\n"
                                   "    \"kind\": \"load\",\n    \"started\": \"2026-03-02T10:00:00.000Z\",\n"
                                   "    \"duration_s\": 10,\n    \"valid\": true,\n    \"interrupted\": false,\n"
                                   "    \"labels\": {\n      \"branch\": \"main\",\n      \"commit\": \"2\"\n    },\n"
                                   "    \"tags\": [\n      \"base\",\n      \"v1\"\n    ],\n"
                                   "    \"note\": \"before the \\\"fix\\\"\"\n  }\n]\n");
    buf_release(&json);
    listing_release(&l);
}

static void test_runs_are_found_by_every_name(void **state)
{
    struct fixture *f = *state;
    static const struct {
        const char *why, *reference, *want; /* NULL: refused */
    } CASES[] = {
        { "a whole id", ID_C, "3" },
        { "a prefix", "c", "3" },
        { "a longer prefix", "aaaa2", "2" },
        { "a prefix of two", "aaaa", NULL },
        { "of none", "b", NULL },
        { "a tag, oldest first", "base", "12" },
        { "a tag that looks like an id", "dddd", "1" },
        { "a name with all its runs, oldest first", "nightly", "14" },
        { "the newest of a name", "nightly@latest", "4" },
        { "the same by number", "nightly@-1", "4" },
        { "the one before", "nightly@-2", "1" },
        { "one too far back", "nightly@-3", NULL },
        { "the newest of a tag", "base@latest", "2" },
        { "not a place", "nightly@yesterday", NULL },
        { "nothing", "", NULL },
        { "no wildcard", "%", NULL },
        { "SQL", "' OR 1 --", NULL },
    };

    add_four(f);
    assert_int_equal(runstore_tag(f->store, 2, "base", false, NULL), 0);
    assert_int_equal(runstore_tag(f->store, 1, "base", false, NULL), 0);
    assert_int_equal(runstore_tag(f->store, 2, "dddd", false, NULL), 0);
    for (size_t i = 0; i < sizeof(CASES) / sizeof(CASES[0]); i++) {
        struct listing l = { 0 };
        struct err err = { 0 };
        const int failed = runstore_find(f->store, CASES[i].reference, &l, &err);
        char got[64] = "";

        for (size_t k = 0; k < l.count; k++)
            got[k] = l.runs[k].id[4], got[k + 1] = '\0';
        listing_release(&l);
        if ((failed != 0) != (CASES[i].want == NULL) || strcmp(got, CASES[i].want != NULL ? CASES[i].want : "") != 0)
            fail_msg("%s: %d, %s (%s)", CASES[i].why, failed, got, err.what);
        if (failed != 0 && (err.kind != ERR_CONFIG || err.hint[0] == '\0'))
            fail_msg("%s: no hint: %s", CASES[i].why, err.what);
    }
}

static int same_as(void *arg, struct slice json, struct err *err)
{
    struct buf *all = arg;

    (void)err;
    buf_add_slice(all, json);
    return 0;
}

static void test_documents_come_back_byte_for_byte(void **state)
{
    struct fixture *f = *state;
    struct result *r = sample_full();
    struct buf json, back;
    enum runstore_added what;
    struct err err = { 0 };

    buf_init(&json, 1u << 24);
    buf_init(&back, 1u << 24);
    assert_int_equal(result_to_json(r, &json, NULL), 0);
    assert_int_equal(runstore_add(f->store, r, buf_slice(&json), &what, NULL), 0);
    assert_int_equal(what, STORE_ADDED);
    assert_int_equal(runstore_add(f->store, r, buf_slice(&json), &what, NULL), 0);
    assert_int_equal(what, STORE_KNOWN);
    r->totals.ok++;
    buf_clear(&back);
    assert_int_equal(result_to_json(r, &back, NULL), 0);
    assert_int_equal(runstore_add(f->store, r, buf_slice(&back), &what, NULL), 0);
    assert_int_equal(what, STORE_DIFFERS);
    assert_int_equal(runstore_add(f->store, r, buf_slice(&back), NULL, &err), -1);
    assert_non_null(strstr(err.what, "another document of the id"));
    buf_clear(&back);
    fixture_reopen(f);
    assert_int_equal(runstore_documents(f->store, 1, same_as, &back, NULL), 0);
    assert_string_equal(back.data, json.data);
    assert_int_equal(fixture_count(f), 1);
    buf_release(&json);
    buf_release(&back);
    result_free(r);
}

static void check_same_facts(const struct record *a, const struct record *b)
{
    assert_int_equal(a->fact_count, b->fact_count);
    for (size_t i = 0; i < a->fact_count; i++) {
        assert_int_equal(a->facts[i].role, b->facts[i].role);
        assert_string_equal(a->facts[i].name, b->facts[i].name);
        assert_string_equal(a->facts[i].value, b->facts[i].value);
    }
    assert_int_equal(a->sighting_count, b->sighting_count);
    for (size_t i = 0; i < a->sighting_count; i++) {
        assert_string_equal(a->sightings[i].what, b->sightings[i].what);
        assert_int_equal(a->sightings[i].count, b->sightings[i].count);
    }
}

static void check_same_record(const struct record *a, const struct record *b)
{
    assert_string_equal(a->id, b->id);
    assert_string_equal(a->started, b->started);
    assert_int_equal(a->valid, b->valid);
    assert_int_equal(a->has_round, b->has_round);
    assert_int_equal(a->round, b->round);
    assert_true((a->session == NULL) == (b->session == NULL) &&
                (a->session == NULL || strcmp(a->session, b->session) == 0));
    assert_true((a->reason == NULL) == (b->reason == NULL) && (a->reason == NULL || strcmp(a->reason, b->reason) == 0));
    assert_int_equal(a->requests, b->requests);
    assert_int_equal(a->failures, b->failures);
    assert_int_equal(a->metric_count, b->metric_count);
    for (size_t i = 0; i < a->metric_count; i++) {
        assert_string_equal(a->metrics[i].name, b->metrics[i].name);
        assert_true(a->metrics[i].value == b->metrics[i].value ||
                    (isnan(a->metrics[i].value) && isnan(b->metrics[i].value)));
        assert_int_equal(a->metrics[i].higher_is_better, b->metrics[i].higher_is_better);
        assert_int_equal(a->metrics[i].is_share, b->metrics[i].is_share);
    }
    check_same_facts(a, b);
}

/* A comparison of stored runs is that of their documents. */
static void check_samples(struct fixture *f, int64_t number, const struct result *r)
{
    struct listing l = { 0 };
    struct side want = { 0 }, got = { 0 };

    listing_add(&l)->number = number;
    assert_true(side_add_result(&want, r, ""));
    assert_int_equal(runstore_samples(f->store, &l, &got, NULL), 0);
    assert_int_equal(got.count, want.count);
    for (size_t i = 0; i < want.count; i++)
        check_same_record(&got.records[i], &want.records[i]);
    side_release(&want);
    side_release(&got);
    listing_release(&l);
}

static void test_samples_are_those_of_the_document(void **state)
{
    struct fixture *f = *state;
    struct result *full = sample_full(), *plain = fixture_result(ID_A, "x", "", "round=7 session=monday k=v");

    plain->totals.requests_per_s = NAN;
    assert_int_equal(fixture_try_add(f->store, full, NULL), 0);
    assert_int_equal(fixture_try_add(f->store, plain, NULL), 0);
    check_samples(f, 1, full);
    check_samples(f, 2, plain);
    result_free(full);
    result_free(plain);
}

static void test_removing_leaves_nothing(void **state)
{
    struct fixture *f = *state;

    add_four(f);
    for (int64_t run = 1; run <= 4; run++) {
        assert_int_equal(runstore_tag(f->store, run, "t", true, NULL), 0);
        assert_int_equal(runstore_remove(f->store, run, NULL), 0);
        assert_int_equal(fixture_count(f), 4 - run);
    }
    assert_int_equal(runstore_vacuum(f->store, NULL), 0);
    static const char *const TABLES[] = { "runs",    "documents",    "labels", "tags",  "same_code", "samples",
                                          "metrics", "metric_names", "cells",  "facts", "sightings" };
    for (size_t i = 0; i < sizeof(TABLES) / sizeof(TABLES[0]); i++) {
        char sql[64];

        snprintf(sql, sizeof(sql), "SELECT count(*) FROM %s", TABLES[i]);
        if (fixture_query(f->path, sql) != 0)
            fail_msg("%s is not empty", TABLES[i]);
    }
}

static void test_vacuum_keeps_what_is_used(void **state)
{
    struct fixture *f = *state;
    struct result *r = fixture_result(ID_C, "other", "2026-03-03T10:00:00.000Z", NULL);

    add_four(f);
    assert_int_equal(runstore_remove(f->store, 1, NULL), 0);
    assert_int_equal(runstore_vacuum(f->store, NULL), 0);
    check_samples(f, 4, r);
    result_free(r);
}

static void test_tags_that_can_not_be_are_refused(void **state)
{
    static const char *const BAD[] = { "", "a b", "a/b", "a@b", "-x", "a\n", "a*", "\x7f" };
    struct fixture *f = *state;
    bool removed;

    add_four(f);
    for (size_t i = 0; i < sizeof(BAD) / sizeof(BAD[0]); i++) {
        struct err err = { 0 };

        assert_int_equal(runstore_tag(f->store, 1, BAD[i], false, &err), -1);
        assert_int_equal(err.kind, ERR_USAGE);
    }
    assert_int_equal(runstore_tag(f->store, 1, "v1.2_\xc3\xa4", false, NULL), 0);
    assert_int_equal(runstore_untag(f->store, 1, "v1.2_\xc3\xa4", &removed, NULL), 0);
    assert_true(removed);
    assert_int_equal(runstore_untag(f->store, 1, "v1.2_\xc3\xa4", &removed, NULL), 0);
    assert_false(removed);
}

/* Sessions of unchanged code: by their label, else those of a tag that are near each other in time. */
static void test_sessions_of_unchanged_code(void **state)
{
    static const struct {
        const char *id, *started, *labels, *tag, *session; /* session NULL: not of unchanged code */
    } RUNS[] = {
        { "00000001", "2026-03-01T10:00:00.000Z", NULL, "aa", "aa/1" },
        { "00000002", "2026-03-01T10:50:00.000Z", NULL, "aa", "aa/1" },
        { "00000003", "2026-03-01T12:00:00.000Z", NULL, "aa", "aa/2" },
        { "00000004", "2026-03-02T12:00:00.000Z", "session=tuesday", "aa", "tuesday" },
        { "00000005", "2026-03-01T10:00:00.000Z", NULL, "bb", "bb/1" },
        { "00000006", "2026-03-01T10:00:00.000Z", NULL, "plain", NULL },
    };
    struct fixture *f = *state;
    struct side side = { 0 };
    size_t at = 0;

    for (size_t i = 0; i < sizeof(RUNS) / sizeof(RUNS[0]); i++) {
        fixture_add(f, RUNS[i].id, "", RUNS[i].started, RUNS[i].labels);
        assert_int_equal(runstore_tag(f->store, (int64_t)i + 1, RUNS[i].tag, RUNS[i].session != NULL, NULL), 0);
    }
    assert_int_equal(runstore_same_code(f->store, &side, NULL), 0);
    for (size_t i = 0; i < sizeof(RUNS) / sizeof(RUNS[0]); i++) {
        if (RUNS[i].session == NULL)
            continue;
        assert_true(at < side.count);
        assert_string_equal(side.records[at].id, RUNS[i].id);
        assert_string_equal(side.records[at].session, RUNS[i].session);
        at++;
    }
    assert_int_equal(at, side.count);
    side_release(&side);
}

static void test_many_as_one_transaction(void **state)
{
    struct fixture *f = *state;

    assert_int_equal(runstore_begin(f->store, NULL), 0);
    add_four(f);
    runstore_roll_back(f->store);
    assert_int_equal(fixture_count(f), 0);
    assert_int_equal(runstore_begin(f->store, NULL), 0);
    add_four(f);
    assert_int_equal(runstore_commit(f->store, NULL), 0);
    fixture_reopen(f);
    assert_int_equal(fixture_count(f), 4);
}

/* A store as version 1 made it: version-1.sql is that schema, frozen; the documents are put in as that version did. */
static void make_version_1(const char *path, const struct result *r, const char *name)
{
    sqlite3 *db = NULL;
    sqlite3_stmt *q = NULL;
    struct buf sql, json;

    buf_init(&sql, 1u << 16);
    buf_init(&json, 1u << 24);
    assert_int_equal(file_read(FIXTURES "/version-1.sql", &sql, NULL), 0);
    assert_int_equal(result_to_json(r, &json, NULL), 0);
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, sql.data, NULL, NULL, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_prepare_v2(db, "INSERT INTO documents VALUES(1, ?)", -1, &q, NULL), SQLITE_OK);
    sqlite3_bind_text(q, 1, json.data, (int)json.len, SQLITE_STATIC);
    assert_int_equal(sqlite3_step(q), SQLITE_DONE);
    sqlite3_finalize(q);
    q = NULL;
    assert_int_equal(sqlite3_prepare_v2(db, "UPDATE runs SET name = ?", -1, &q, NULL), SQLITE_OK);
    sqlite3_bind_text(q, 1, name, -1, SQLITE_STATIC);
    assert_int_equal(sqlite3_step(q), SQLITE_DONE);
    sqlite3_finalize(q);
    sqlite3_close(db);
    buf_release(&sql);
    buf_release(&json);
}

static void check_migrated(struct fixture *f, const struct result *r)
{
    struct listing l = { 0 };

    assert_int_equal(fixture_query(f->path, "PRAGMA user_version"), 2);
    assert_int_equal(runstore_find(f->store, "old-tag", &l, NULL), 0);
    assert_int_equal(l.count, 1);
    assert_string_equal(l.runs[0].name, "from before");
    listing_release(&l);
    check_samples(f, 1, r);
    assert_int_equal(runstore_note(f->store, 1, "a note", NULL), 0);
    fixture_add(f, ID_B, "new", "2026-03-02T10:00:00.000Z", NULL);
    assert_int_equal(fixture_count(f), 2);
}

static void test_version_1_is_migrated(void **state)
{
    static const enum runstore_access ACCESS[] = { STORE_WRITE, STORE_READ };
    (void)state;

    for (size_t i = 0; i < 2; i++) {
        struct fixture f;
        struct err err = { 0 };
        struct result *r = fixture_result(ID_A, "from before", "2026-03-01T10:00:00.000Z", "k=v");

        fixture_init(&f);
        make_version_1(f.path, r, "from before");
        if (runstore_open(&f.store, f.path, ACCESS[i], &err) != 0)
            fail_msg("%s", err.what);
        fixture_reopen(&f);
        check_migrated(&f, r);
        fixture_release(&f);
        result_free(r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_a_list_is_newest_first_and_filtered, setup, teardown),
        cmocka_unit_test_setup_teardown(test_a_listed_run_has_what_the_document_says, setup, teardown),
        cmocka_unit_test_setup_teardown(test_runs_are_found_by_every_name, setup, teardown),
        cmocka_unit_test_setup_teardown(test_documents_come_back_byte_for_byte, setup, teardown),
        cmocka_unit_test_setup_teardown(test_samples_are_those_of_the_document, setup, teardown),
        cmocka_unit_test_setup_teardown(test_removing_leaves_nothing, setup, teardown),
        cmocka_unit_test_setup_teardown(test_vacuum_keeps_what_is_used, setup, teardown),
        cmocka_unit_test_setup_teardown(test_tags_that_can_not_be_are_refused, setup, teardown),
        cmocka_unit_test_setup_teardown(test_sessions_of_unchanged_code, setup, teardown),
        cmocka_unit_test_setup_teardown(test_many_as_one_transaction, setup, teardown),
        cmocka_unit_test(test_version_1_is_migrated),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
