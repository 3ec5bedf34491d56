/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "serve/scan.h"

#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/units.h"

static const struct split_case {
    const char *why, *command;
    const char *want; /* words, each behind a '|'; NULL: refused */
    const char *says;
} SPLITS[] = {
    { "a word", "sh", "|sh", NULL },
    { "words", "  sh  -c   x ", "|sh|-c|x", NULL },
    { "single quotes keep all", "sh '-c \\ \"$x' y", "|sh|-c \\ \"$x|y", NULL },
    { "double quotes keep spaces", "sh \"a 'b' \\\" c\"", "|sh|a 'b' \" c", NULL },
    { "quotes within a word", "sh a'b c'd", "|sh|ab cd", NULL },
    { "an escaped space", "sh a\\ b", "|sh|a b", NULL },
    { "an empty word", "sh ''", "|sh|", NULL },
    { "nothing of a shell", "sh $x *;a|b>c", "|sh|$x|*;a|b>c", NULL },
    { "a path", "/bin/sh", "|/bin/sh", NULL },
    { "no word", "   ", NULL, "empty" },
    { "a quote without its end", "sh 'a", NULL, "quote" },
    { "no such program", "no-such-program-here x", NULL, "no-such-program-here" },
    { "no program", "/", NULL, "/" },
};

static void splits(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(SPLITS) / sizeof(SPLITS[0]); i++) {
        struct strlist words = STRLIST_INIT;
        struct err err = { 0 };
        char got[256] = "";
        int rc = scan_split(&words, SPLITS[i].command, &err);
        for (size_t k = 0; k < words.count; k++)
            snprintf(got + strlen(got), sizeof(got) - strlen(got), "|%s", words.items[k]);
        bool good = SPLITS[i].want != NULL ? rc == 0 && strcmp(got, SPLITS[i].want) == 0
                                           : rc == -1 && words.count == 0 && err.kind == ERR_CONFIG &&
                                                 strstr(err.what, SPLITS[i].says) != NULL;
        if (!good)
            fail_msg("%s: %d %s %s", SPLITS[i].why, rc, got, err.what);
        strlist_release(&words);
    }
}

static bool never(void *arg)
{
    (void)arg;
    return false;
}

static bool soon(void *arg)
{
    const uint64_t *until_ns = arg;

    return clock_now_ns() > *until_ns;
}

static const struct run_case {
    const char *why, *words[4];
    enum scan_verdict want;
    const char *says;
} RUNS[] = {
    { "exit code 0", { "true" }, SCAN_CLEAN, "" },
    { "exit code 1", { "false" }, SCAN_INFECTED, "" },
    { "another exit code", { "sh", "-c", "exit 2" }, SCAN_FAILED, "exit code 2" },
    { "its last line is kept",
      { "sh", "-c", "echo a; echo 'b c' >&2; echo; exit 40" },
      SCAN_FAILED,
      "exit code 40: b c" },
    { "a signal", { "sh", "-c", "kill -TERM $$" }, SCAN_FAILED, "ended by signal 15" },
    { "much output, then the reason",
      { "sh", "-c", "yes | head -c 300000; echo end; exit 3" },
      SCAN_FAILED,
      "exit code 3: end" },
    { "the file is the last argument", { "sh", "-c", "test \"$0\" = \"/some file; exit 3\"" }, SCAN_CLEAN, "" },
    { "no input", { "sh", "-c", "test -z \"$(cat)\"" }, SCAN_CLEAN, "" },
    { "none of our descriptors", { "sh", "-c", "test \"$(ls /proc/$$/fd | wc -w)\" -le 4" }, SCAN_CLEAN, "" },
    { "who keeps its output open is not waited for", { "sh", "-c", "sleep 100 & exit 0" }, SCAN_CLEAN, "" },
    { "it hangs", { "sleep", "100" }, SCAN_FAILED, "still running after" },
    { "it ignores the end",
      { "sh", "-c", "trap '' TERM INT HUP; while :; do sleep 1; done" },
      SCAN_FAILED,
      "still running" },
};

static void runs(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(RUNS) / sizeof(RUNS[0]); i++) {
        struct strlist words = STRLIST_INIT;
        for (size_t k = 0; k < 4 && RUNS[i].words[k] != NULL; k++)
            assert_true(strlist_add(&words, slice_str(RUNS[i].words[k])));
        bool hangs = strstr(RUNS[i].says, "still") != NULL;
        const char *path = strcmp(RUNS[i].words[0], "sleep") == 0 ? "1" : "/some file; exit 3";
        struct scan_job job = { .words = words.items,
                                .path = path,
                                .timeout_ns = hangs ? 300 * NS_PER_MS : 30 * (uint64_t)NS_PER_S,
                                .is_stopped = never };
        enum scan_verdict got = scan_run(&job);
        if (got != RUNS[i].want || strstr(job.why, RUNS[i].says) == NULL)
            fail_msg("%s: %d %s", RUNS[i].why, got, job.why);
        strlist_release(&words);
    }
}

static void is_stopped_from_outside(void **state)
{
    uint64_t until_ns = clock_now_ns() + 200 * NS_PER_MS;
    char *words[] = { (char[]){ "sleep" }, NULL };
    struct scan_job job = { .words = words, .path = "100", .is_stopped = soon, .arg = &until_ns };

    (void)state;
    assert_int_equal(scan_run(&job), SCAN_STOPPED);
}

static void what_can_not_be_started_is_told(void **state)
{
    char *words[] = { (char[]){ "/no/such/program" }, NULL };
    struct scan_job job = { .words = words, .path = "x", .is_stopped = never };

    (void)state;
    assert_int_equal(scan_run(&job), SCAN_FAILED);
    assert_non_null(strstr(job.why, "can not be started"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(splits),
        cmocka_unit_test(runs),
        cmocka_unit_test(is_stopped_from_outside),
        cmocka_unit_test(what_can_not_be_started_is_told),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
