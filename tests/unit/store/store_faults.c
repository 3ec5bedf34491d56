/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The store when the world is against it: several writers, a process that dies, a full disk, a file that can not be
 * written, is damaged, newer, or somebody else's. Nothing that was kept is lost, and the error says what to do. */
#include "fixture.h"

#include <fcntl.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sample.h"

enum { WRITERS = 4, EACH = 15, NOBODY = 65534 };

static int setup(void **state)
{
    struct fixture *f = calloc(1, sizeof(*f));

    fixture_init(f);
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    fixture_release(*state);
    free(*state);
    return 0;
}

/* Runs what in a process of its own; how that ended. */
static int in_child(int (*what)(struct fixture *f, int number), struct fixture *f, int number, pid_t *pid)
{
    int status;

    *pid = fork();
    assert_true(*pid >= 0);
    if (*pid == 0)
        _exit(what(f, number));
    if (number >= 0)
        return 0; /* the caller waits */
    assert_int_equal(waitpid(*pid, &status, 0), *pid);
    return status;
}

/* From the very first open on, which makes the tables. */
static int write_many(struct fixture *f, int number)
{
    struct runstore *s = NULL;
    int failed = runstore_open(&s, f->path, STORE_WRITE, NULL);

    for (int i = 0; i < EACH && failed == 0; i++) {
        struct result *r;
        char id[UUID_TEXT_MAX];

        snprintf(id, sizeof(id), "%08d-0000-4000-8000-%012d", number, i);
        r = fixture_result(id, "n", "2026-03-01T10:00:00.000Z", "k=v");
        failed = fixture_try_add(s, r, NULL);
        result_free(r);
    }
    runstore_close(s);
    return failed == 0 ? 0 : 1;
}

static void test_writers_at_once(void **state)
{
    struct fixture *f = *state;
    pid_t pids[WRITERS];
    int status;

    for (int i = 0; i < WRITERS; i++)
        in_child(write_many, f, i, &pids[i]);
    for (int i = 0; i < WRITERS; i++) {
        assert_int_equal(waitpid(pids[i], &status, 0), pids[i]);
        assert_int_equal(status, 0);
    }
    fixture_open(f);
    assert_int_equal(fixture_count(f), WRITERS * EACH);
    assert_int_equal(runstore_vacuum(f->store, NULL), 0);
}

static int die_in_a_transaction(struct fixture *f, int number)
{
    struct runstore *s = NULL;
    struct result *r = fixture_result("b", "second", "2026-03-01T10:00:00.000Z", NULL);

    (void)number;
    if (runstore_open(&s, f->path, STORE_WRITE, NULL) == 0 && runstore_begin(s, NULL) == 0 &&
        fixture_try_add(s, r, NULL) == 0)
        raise(SIGKILL);
    return 1;
}

static int die_after_keeping(struct fixture *f, int number)
{
    struct runstore *s = NULL;
    struct result *r = fixture_result("c", "third", "2026-03-01T10:00:00.000Z", NULL);

    (void)number;
    if (runstore_open(&s, f->path, STORE_WRITE, NULL) == 0 && fixture_try_add(s, r, NULL) == 0)
        raise(SIGKILL);
    return 1;
}

static void test_a_killed_process_loses_at_most_what_it_was_doing(void **state)
{
    struct fixture *f = *state;
    pid_t pid;
    int status;

    fixture_open(f);
    fixture_add(f, "a", "first", "2026-03-01T10:00:00.000Z", NULL);
    runstore_close(f->store);
    f->store = NULL;
    status = in_child(die_in_a_transaction, f, -1, &pid);
    assert_true(WIFSIGNALED(status));
    fixture_open(f);
    assert_int_equal(fixture_count(f), 1);
    runstore_close(f->store);
    f->store = NULL;
    status = in_child(die_after_keeping, f, -1, &pid);
    assert_true(WIFSIGNALED(status));
    fixture_open(f);
    assert_int_equal(fixture_count(f), 2);
    assert_int_equal(runstore_vacuum(f->store, NULL), 0);
}

/* A limit on the size of files stands for a full disk. */
static int fill_up(struct fixture *f, int number)
{
    const struct rlimit limit = { 300000, 300000 };
    struct runstore *s = NULL;
    struct err err = { 0 };
    int i, failed = 0;

    (void)number;
    signal(SIGXFSZ, SIG_IGN);
    if (setrlimit(RLIMIT_FSIZE, &limit) != 0 || runstore_open(&s, f->path, STORE_WRITE, &err) != 0)
        return 100;
    for (i = 0; i < 99 && failed == 0; i++) {
        struct result *r;
        char id[UUID_TEXT_MAX];

        snprintf(id, sizeof(id), "%d", i);
        r = fixture_result(id, "n", "2026-03-01T10:00:00.000Z", NULL);
        failed = fixture_try_add(s, r, &err);
        result_free(r);
    }
    runstore_close(s);
    return failed != 0 && strstr(err.what, f->path) != NULL ? i - 1 : 101;
}

static void test_a_full_disk(void **state)
{
    struct fixture *f = *state;
    pid_t pid;
    const int status = in_child(fill_up, f, -1, &pid);

    assert_true(WIFEXITED(status));
    assert_in_range(WEXITSTATUS(status), 1, 98);
    fixture_open(f);
    assert_int_equal(fixture_count(f), WEXITSTATUS(status));
    assert_int_equal(runstore_vacuum(f->store, NULL), 0);
}

/* As somebody who may read the file and nothing else. */
static int read_only(struct fixture *f, int number)
{
    struct runstore *s = NULL;
    struct listing l = { 0 };
    const struct runstore_filter all = { 0 };
    struct err err = { 0 };
    struct result *r = fixture_result("b", "", "2026-03-01T10:00:00.000Z", NULL);

    (void)number;
    if (getuid() == 0 && setresuid(NOBODY, NOBODY, NOBODY) != 0)
        return 2;
    if (runstore_open(&s, f->path, STORE_READ, &err) != 0 || runstore_list(s, &all, &l, &err) != 0 || l.count != 1)
        return 3;
    if (fixture_try_add(s, r, &err) == 0 || err.hint[0] == '\0')
        return 4;
    runstore_close(s);
    if (runstore_open(&s, f->path, STORE_WRITE, &err) == 0 && fixture_try_add(s, r, &err) == 0)
        return 5;
    return err.hint[0] != '\0' ? 0 : 6;
}

static void test_a_file_that_can_only_be_read(void **state)
{
    struct fixture *f = *state;
    pid_t pid;

    fixture_open(f);
    fixture_add(f, "a", "", "2026-03-01T10:00:00.000Z", NULL);
    runstore_close(f->store);
    f->store = NULL;
    assert_int_equal(chmod(f->path, 0444), 0);
    assert_int_equal(chmod(f->folder, 0555), 0);
    assert_int_equal(WEXITSTATUS(in_child(read_only, f, -1, &pid)), 0);
    assert_int_equal(chmod(f->folder, 0755), 0);
}

static void overwrite(const char *path, long at, const void *bytes, size_t count)
{
    const int fd = open(path, O_WRONLY | O_CREAT, 0600);

    assert_true(fd >= 0);
    assert_int_equal(pwrite(fd, bytes, count, at), (ssize_t)count);
    close(fd);
}

static void expect_refusal(struct fixture *f, const char *word)
{
    struct err err = { 0 };
    struct runstore *s = NULL;

    for (enum runstore_access access = STORE_READ; access <= STORE_WRITE; access++) {
        assert_int_equal(runstore_open(&s, f->path, access, &err), -1);
        assert_null(s);
        if (strstr(err.what, word) == NULL || strstr(err.what, f->path) == NULL)
            fail_msg("\"%s\" lacks \"%s\"", err.what, word);
    }
}

static void test_text_is_no_store(void **state)
{
    struct fixture *f = *state;
    char text[4096];

    memset(text, 'x', sizeof(text));
    overwrite(f->path, 0, text, sizeof(text));
    expect_refusal(f, "no store of results");
}

static void test_a_damaged_store(void **state)
{
    struct fixture *f = *state;
    static char junk[200000];
    struct err err = { 0 };
    struct result *r = fixture_result("b", "", "2026-03-01T10:00:00.000Z", NULL);
    int failed;

    fixture_open(f);
    fixture_add(f, "a", "", "2026-03-01T10:00:00.000Z", NULL);
    runstore_close(f->store);
    f->store = NULL;
    memset(junk, 0x5a, sizeof(junk));
    overwrite(f->path, 4096, junk, sizeof(junk));
    failed = runstore_open(&f->store, f->path, STORE_WRITE, &err);
    if (failed == 0)
        failed = fixture_try_add(f->store, r, &err);
    assert_int_equal(failed, -1);
    assert_non_null(strstr(err.what, "damaged"));
    assert_non_null(strstr(err.hint, "move it away"));
    result_free(r);
}

static void execute(const char *path, const char *sql)
{
    sqlite3 *db = NULL;

    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(db);
}

static void test_a_database_of_another_program(void **state)
{
    struct fixture *f = *state;

    execute(f->path, "CREATE TABLE runs(x)");
    expect_refusal(f, "another program");
    assert_int_equal(fixture_query(f->path, "SELECT count(*) FROM sqlite_schema"), 1);
}

static void test_a_store_of_a_newer_plimsoll(void **state)
{
    struct fixture *f = *state;

    fixture_open(f);
    runstore_close(f->store);
    f->store = NULL;
    execute(f->path, "PRAGMA user_version = 99");
    expect_refusal(f, "newer plimsoll");
}

static void test_no_folder_no_file(void **state)
{
    struct fixture *f = *state;
    struct fixture missing = *f;

    snprintf(missing.path, sizeof(missing.path), "%s/none/results.db", f->folder);
    expect_refusal(&missing, "none");
    snprintf(missing.path, sizeof(missing.path), "%s", f->folder);
    expect_refusal(&missing, "directory");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_writers_at_once, setup, teardown),
        cmocka_unit_test_setup_teardown(test_a_killed_process_loses_at_most_what_it_was_doing, setup, teardown),
        cmocka_unit_test_setup_teardown(test_a_full_disk, setup, teardown),
        cmocka_unit_test_setup_teardown(test_a_file_that_can_only_be_read, setup, teardown),
        cmocka_unit_test_setup_teardown(test_text_is_no_store, setup, teardown),
        cmocka_unit_test_setup_teardown(test_a_damaged_store, setup, teardown),
        cmocka_unit_test_setup_teardown(test_a_database_of_another_program, setup, teardown),
        cmocka_unit_test_setup_teardown(test_a_store_of_a_newer_plimsoll, setup, teardown),
        cmocka_unit_test_setup_teardown(test_no_folder_no_file, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
