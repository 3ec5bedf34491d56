/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/outputs.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/units.h"
#include "cli/request_log.h"

static int enter_directory(void **state)
{
    char name[] = "/tmp/test-outputs-XXXXXX";

    assert_non_null(mkdtemp(name));
    *state = strdup(name);
    return chdir(name);
}

static int leave_directory(void **state)
{
    static const char *const NAMES[] = { "j", "c", "h", "l", "old" };

    for (size_t i = 0; i < sizeof(NAMES) / sizeof(NAMES[0]); i++)
        (void)unlink(NAMES[i]);
    (void)rmdir("dir");
    assert_int_equal(chdir("/"), 0);
    assert_int_equal(rmdir(*state), 0); /* nothing else was left behind */
    free(*state);
    return 0;
}

static void read_file(const char *path, struct buf *out)
{
    struct err err;

    buf_init(out, 1 << 20);
    if (file_read(path, out, &err) != 0)
        fail_msg("%s", err.what);
}

static size_t entries(void)
{
    DIR *dir = opendir(".");
    size_t n = 0;

    assert_non_null(dir);
    while (readdir(dir) != NULL)
        n++;
    closedir(dir);
    return n - 2; /* . and .. */
}

static void test_check_leaves_nothing(void **state)
{
    const struct load_outputs outputs = { .json = "j", .csv = "old", .hdr = "/dev/full", .log = "-" };
    struct err err;
    struct buf text;
    FILE *file = fopen("old", "w");

    assert_non_null(file);
    fputs("kept", file);
    fclose(file);
    assert_int_equal(outputs_check(&outputs, &err), 0);
    assert_int_equal(entries(), 1);
    read_file("old", &text);
    assert_string_equal(text.data, "kept");
    buf_release(&text);
}

static void test_check_refuses(void **state)
{
    static const struct {
        const char *why;
        struct load_outputs outputs;
        const char *option, *path, *hint;
    } CASES[] = {
        { "no such directory", { .json = "no/such/j" }, "--json", "no/such/j", "mkdir" },
        { "a directory itself", { .csv = "/tmp" }, "--csv", "/tmp", "file" },
        { "below a file", { .hdr = "/dev/null/h" }, "--hdr", "/dev/null/h", "" },
        { "a read-only file system", { .log = "/proc/l" }, "--log", "/proc/l", "" },
    };

    for (size_t i = 0; i < sizeof(CASES) / sizeof(CASES[0]); i++) {
        struct err err = { 0 };

        if (outputs_check(&CASES[i].outputs, &err) != -1 || err.kind != ERR_CONFIG ||
            strstr(err.what, CASES[i].option) == NULL || strstr(err.what, CASES[i].path) == NULL ||
            strstr(err.hint, CASES[i].hint) == NULL || err.hint[0] == '\0')
            fail_msg("%s: %s / %s", CASES[i].why, err.what, err.hint);
    }
}

static void test_directory_is_made(void **state)
{
    struct err err = { 0 };
    struct stat st;

    assert_int_equal(outputs_check_directory("--save-failures", "dir", &err), 0);
    assert_int_equal(stat("dir", &st), 0);
    assert_int_equal(outputs_check_directory("--save-failures", "dir", &err), 0); /* and may exist */
    assert_int_equal(outputs_check_directory("--save-failures", "/dev/null", &err), -1);
    assert_non_null(strstr(err.what, "--save-failures"));
    assert_int_equal(outputs_check_directory("--save-failures", "no/such/dir", &err), -1);
}

static void test_all_are_written_though_one_fails(void **state)
{
    const struct load_outputs outputs = { .json = "/dev/full", .csv = "c", .hdr = "h" };
    struct result *r;
    struct err err;
    struct buf text;

    assert_int_equal(result_new(&r, &err), 0);
    assert_false(outputs_write(&outputs, r, "test"));
    read_file("c", &text);
    assert_true(text.len > 0);
    buf_release(&text);
    read_file("h", &text);
    assert_true(text.len > 0);
    buf_release(&text);
    result_free(r);
}

static void test_use_of_standard_output(void **state)
{
    assert_false(outputs_use_stdout(&(struct load_outputs){ .json = "x" }));
    assert_true(outputs_use_stdout(&(struct load_outputs){ .json = "-" }));
    assert_true(outputs_use_stdout(&(struct load_outputs){ .json = "x", .log = "-" }));
}

/* Times count from the start of the window, which follows the warm-up. */
static void test_log_lines(void **state)
{
    static const uint64_t BEGIN = UINT64_C(5000) * NS_PER_S;
    const struct load_record records[] = {
        { .due_ns = BEGIN + 1,
          .sent_first_ns = BEGIN + 11,
          .sent_last_ns = BEGIN + 21,
          .reply_first_ns = BEGIN + 41,
          .end_ns = BEGIN + 101,
          .status = 200,
          .fail = LOAD_OK,
          .flags = LOAD_WARMUP,
          .bytes_received = 9,
          .body_bytes = 4 },
        { .due_ns = BEGIN,
          .connect_start_ns = BEGIN,
          .connected_ns = BEGIN + 7,
          .end_ns = BEGIN + 7,
          .fail = FAIL_RESET,
          .flags = LOAD_WARMUP,
          .connection = 3,
          .target = 1 },
        { .due_ns = BEGIN + NS_PER_S + 5,
          .sent_first_ns = BEGIN + NS_PER_S + 5,
          .sent_last_ns = BEGIN + NS_PER_S + 9,
          .reply_first_ns = BEGIN + NS_PER_S + 8,
          .end_ns = BEGIN + NS_PER_S + 55,
          .fail = LOAD_OK,
          .flags = LOAD_UNFINISHED | LOAD_REUSED | LOAD_RETRIED },
    };
    struct request_log log;
    struct err err;
    struct buf text;

    assert_int_equal(request_log_open(&log, "l", &err), 0);
    request_log_add(&log, records, 2, BEGIN + NS_PER_S);
    request_log_add(&log, records + 2, 1, BEGIN + NS_PER_S);
    assert_int_equal(request_log_close(&log, &err), 0);
    read_file("l", &text);
    const char *lines = strchr(text.data, '\n') + 1;
    assert_string_equal(
        lines, "-0.999999999,0.000000100,0.000000090,,,0.000000010,0.000000020,0.000000060,200,,9,4,0,0,0,1,0,0\n"
               "-1.000000000,0.000000007,,0.000000007,,,,,,reset,0,0,1,3,0,1,0,0\n"
               "0.000000005,,,,,0.000000004,0.000000000,,,,0,0,0,0,1,0,1,1\n");
    buf_release(&text);
}

static void test_log_tells_of_a_full_disk_at_its_end(void **state)
{
    const struct load_record record = { .due_ns = 1, .end_ns = 2, .fail = LOAD_OK };
    struct request_log log;
    struct err err = { 0 };

    assert_int_equal(request_log_open(&log, "/dev/full", &err), 0);
    for (int i = 0; i < 10000; i++)
        request_log_add(&log, &record, 1, 0);
    assert_int_equal(request_log_close(&log, &err), -1);
    assert_int_equal(err.kind, ERR_SYSTEM);
    assert_non_null(strstr(err.what, "/dev/full: No space left"));
}

static void test_no_log(void **state)
{
    const struct load_record record = { 0 };
    struct request_log log;
    struct err err;

    assert_int_equal(request_log_open(&log, NULL, &err), 0);
    request_log_add(&log, &record, 1, 0);
    assert_int_equal(request_log_close(&log, &err), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_check_leaves_nothing, enter_directory, leave_directory),
        cmocka_unit_test_setup_teardown(test_check_refuses, enter_directory, leave_directory),
        cmocka_unit_test_setup_teardown(test_directory_is_made, enter_directory, leave_directory),
        cmocka_unit_test_setup_teardown(test_all_are_written_though_one_fails, enter_directory, leave_directory),
        cmocka_unit_test(test_use_of_standard_output),
        cmocka_unit_test_setup_teardown(test_log_lines, enter_directory, leave_directory),
        cmocka_unit_test(test_log_tells_of_a_full_disk_at_its_end),
        cmocka_unit_test(test_no_log),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
