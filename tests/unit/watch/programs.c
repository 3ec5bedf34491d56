/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Programs that are asked: bounded whatever they do, and what they print. */
#include "watch/command.h"
#include "watch/named_values.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/clock.h"

#define LONG_NS UINT64_C(30000000000)

static int run(struct buf *out, const char *line, uint64_t timeout_ns, int cancel_fd, struct err *err)
{
    const char *const argv[] = { "/bin/sh", "-c", line, NULL };
    const struct command_call call = { "the command", argv, timeout_ns, cancel_fd };

    return command_run(out, &call, err);
}

static const struct command_case {
    const char *why, *line, *says; /* what the error holds; NULL: it is none */
} COMMANDS[] = {
    { "all is well", "echo a=1", NULL },
    { "standard error is no part of it", "echo a=1; echo b=2 >&2", NULL },
    { "its status is told, with its first words", "echo; echo 'no such\tqueue' >&2; exit 7",
      "the command ended with status 7: no such queue" },
    { "a signal too", "kill -9 $$", "ended by signal 9" },
    { "a program that is not there", "exec /nonexistent/program", "status 127" },
    { "what it leaves behind is not waited for", "sleep 1000 & echo a=1", NULL },
    { "closed streams do not end it early", "exec >&- 2>&-; exit 3", "status 3" },
    { "more than is kept", "head -c 100000 /dev/zero; sleep 1000", "printed more than" },
};

static void what_commands_do(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(COMMANDS) / sizeof(COMMANDS[0]); i++) {
        const struct command_case *c = &COMMANDS[i];
        struct err err = { 0 };
        struct buf out;
        int rc;

        buf_init(&out, 65536);
        rc = run(&out, c->line, LONG_NS, -1, &err);
        if ((rc == 0) != (c->says == NULL) || (c->says != NULL && strstr(err.what, c->says) == NULL))
            fail_msg("%s: %d, %s", c->why, rc, err.what);
        if (rc == 0)
            assert_string_equal(out.data, "a=1\n");
        buf_release(&out);
    }
}

static void one_that_hangs_is_killed_with_its_children(void **state)
{
    char line[256], path[] = "/tmp/plimsoll-pids-XXXXXX", text[64] = "";
    const int fd = mkstemp(path);
    const uint64_t before = clock_now_ns();
    struct err err = { 0 };
    struct buf out;

    (void)state;
    assert_true(fd >= 0);
    buf_init(&out, 65536);
    snprintf(line, sizeof(line), "sleep 1000 & echo $! >%s; wait", path);
    assert_int_equal(run(&out, line, 500000000, -1, &err), -1);
    assert_non_null(strstr(err.what, "took longer than 500 ms and was killed"));
    assert_true(clock_now_ns() - before < 20 * UINT64_C(1000000000));
    assert_true(read(fd, text, sizeof(text) - 1) > 0);
    for (int i = 0; i < 1000 && kill((pid_t)strtol(text, NULL, 10), 0) == 0; i++) /* it ends when init has reaped it */
        usleep(10000);
    close(fd);
    unlink(path);
    buf_release(&out);
}

static void the_end_of_the_run_ends_it(void **state)
{
    const int cancel = eventfd(1, 0);
    const uint64_t before = clock_now_ns();
    struct err err = { 0 };
    struct buf out;

    (void)state;
    buf_init(&out, 65536);
    assert_int_equal(run(&out, "sleep 1000", LONG_NS, cancel, &err), -1);
    assert_non_null(strstr(err.what, "when the run ended"));
    assert_true(clock_now_ns() - before < 20 * UINT64_C(1000000000));
    close(cancel);
    buf_release(&out);
}

static void a_missing_program_is_an_error(void **state)
{
    const char *const argv[] = { "/nonexistent/program", NULL };
    const struct command_call call = { "it", argv, LONG_NS, -1 };
    struct err err = { 0 };
    struct buf out;

    (void)state;
    buf_init(&out, 100);
    assert_int_equal(command_run(&out, &call, &err), -1);
    assert_non_null(strstr(err.what, "cannot run it: No such file"));
    buf_release(&out);
}

static const struct lines_case {
    const char *why, *text, *name;
    double value;      /* of name */
    const char *error; /* NULL: none */
} LINES[] = {
    { "one", "depth=3\n", "depth", 3, NULL },
    { "without a line's end", "depth=3", "depth", 3, NULL },
    { "spaces around", "  depth = 3.5 \r\n", "depth", 3.5, NULL },
    { "labels hold = too", "a{b=\"c\"}=4\n", "a{b=\"c\"}", 4, NULL },
    { "comments and noise are passed over", "# x=1\nhello\n\ndepth=-2\n", "depth", -2, NULL },
    { "_total counts", "jobs_total=10\n", "jobs_per_s", 10, NULL },
    { "CPU seconds of whatever is asked", "cpu_seconds_total=1.5\n", "cpu_cores", 1.5, NULL },
    { "nothing", "", NULL, 0, "it printed nothing" },
    { "nothing that fits", "depth: 3\nx=y\n", NULL, 0, "no line name=value, but \"depth: 3\"" },
    { "what can not be shown", "\033[31mred\n", NULL, 0, "but \"?[31mred\"" },
    { "a name that is taken", "spec=1\n", NULL, 0, "no line" },
    { "no number", "a=nan\n", NULL, 0, "no line" },
};

static void lines_are_read(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(LINES) / sizeof(LINES[0]); i++) {
        const struct lines_case *c = &LINES[i];
        struct reading r = { 0 };
        struct err err = { 0 };
        const int rc = named_values_read(&r, slice_str(c->text), &err);

        if ((rc == 0) != (c->error == NULL) || (rc != 0 && strstr(err.what, c->error) == NULL))
            fail_msg("%s: %d, %s", c->why, rc, err.what);
        if (rc == 0 && (r.count != 1 || strcmp(r.values[0].name, c->name) != 0 || r.values[0].value != c->value))
            fail_msg("%s: %s=%g", c->why, r.values[0].name, r.values[0].value);
    }
}

static void pods_are_added_up(void **state)
{
    struct reading r = { 0 };
    struct err err = { 0 };
    double n;

    (void)state;
    assert_int_equal(pod_list_read(&r, SLICE("NAME CPU(cores) MEMORY(bytes)\na-1   250m   64Mi \nb-2  1  1Gi\n"), &err),
                     0);
    assert_int_equal(r.count, 3);
    assert_string_equal(r.values[0].name, "cpu_cores");
    assert_float_equal(r.values[0].value, 1.25, 1e-9);
    assert_float_equal(r.values[1].value, 1140850688, 1);
    assert_float_equal(r.values[2].value, 2, 1e-9);
    assert_int_equal(pod_list_read(&r, SLICE(""), &err), -1);
    assert_int_equal(pod_list_read(&r, SLICE("error: metrics not available\n"), &err), -1);
    assert_non_null(strstr(err.what, "metrics not available"));
    assert_true(pod_quantity(SLICE("12345678n"), &n));
    assert_float_equal(n, 0.012345678, 1e-12);
    assert_true(pod_quantity(SLICE("5k"), &n));
    assert_float_equal(n, 5000, 1e-9);
    assert_false(pod_quantity(SLICE("m"), &n));
    assert_false(pod_quantity(SLICE("-5"), &n));
    assert_false(pod_quantity(SLICE("<unknown>"), &n));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_commands_do),
        cmocka_unit_test(one_that_hangs_is_killed_with_its_children),
        cmocka_unit_test(the_end_of_the_run_ends_it),
        cmocka_unit_test(a_missing_program_is_an_error),
        cmocka_unit_test(lines_are_read),
        cmocka_unit_test(pods_are_added_up),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
