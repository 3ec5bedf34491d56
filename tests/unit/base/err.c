/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/err.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void sentence_kind_and_errno(void **state)
{
    struct err e = { .hint = "left from before" };

    (void)state;
    assert_int_equal(err_set(&e, ERR_SYSTEM, ENOENT, "cannot open %s", "x.txt"), -1);
    assert_int_equal(e.kind, ERR_SYSTEM);
    assert_int_equal(e.sys, ENOENT);
    assert_string_equal(e.what, "cannot open x.txt: No such file or directory");
    assert_string_equal(e.hint, ""); /* an old hint never mends a new error */
    assert_int_equal(err_set(&e, ERR_USAGE, 0, "plain"), -1);
    assert_string_equal(e.what, "plain");
    assert_int_equal(err_set(&e, ERR_SYSTEM, 99999, "odd"), -1);
    assert_string_equal(e.what, "odd: error 99999");
}

static void null_is_allowed(void **state)
{
    (void)state;
    assert_int_equal(err_set(NULL, ERR_PEER, EPIPE, "x"), -1);
    assert_int_equal(err_hint(NULL, "x"), -1);
    assert_int_equal(err_prefix(NULL, "x"), -1);
}

static void its_own_text_may_be_an_argument(void **state)
{
    struct err e = { 0 };

    (void)state;
    err_set(&e, ERR_PEER, 0, "inner");
    err_set(&e, ERR_PEER, 0, "outer (%s)", e.what);
    assert_string_equal(e.what, "outer (inner)");
    err_prefix(&e, "%s", "target 3");
    assert_string_equal(e.what, "target 3: outer (inner)");
    err_hint(&e, "try %d", 5);
    err_hint(&e, "%s again", e.hint);
    assert_string_equal(e.hint, "try 5 again");
}

static void long_sentences_are_cut_and_keep_the_reason(void **state)
{
    char text[1000];
    struct err e = { 0 };

    (void)state;
    memset(text, 'a', sizeof(text) - 1);
    text[sizeof(text) - 1] = '\0';
    err_set(&e, ERR_SYSTEM, EACCES, "%s", text);
    assert_true(strlen(e.what) < sizeof(e.what));
    assert_non_null(strstr(e.what, "a...: Permission denied"));
    err_set(&e, ERR_USAGE, 0, "%s", text);
    assert_int_equal(strlen(e.what), sizeof(e.what) - 1);
    assert_non_null(strstr(e.what, "a..."));
    err_set(&e, ERR_USAGE, 0, "end");
    err_prefix(&e, "%s", text);
    assert_int_equal(strlen(e.what), sizeof(e.what) - 1);
    err_hint(&e, "%s", text);
    assert_int_equal(strlen(e.hint), sizeof(e.hint) - 1);
    assert_non_null(strstr(e.hint, "a..."));
}

static void kinds_have_texts_and_exit_codes(void **state)
{
    static const struct {
        const char *why;
        enum err_kind kind;
        int code;
    } CASES[] = {
        { "nothing wrong", ERR_NONE, 0 },     { "the user's argument", ERR_USAGE, 2 },
        { "the user's file", ERR_CONFIG, 2 }, { "the world", ERR_SYSTEM, 3 },
        { "the peer", ERR_PEER, 3 },          { "refused before sending", ERR_LIMIT, 2 },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(CASES) / sizeof(CASES[0]); i++) {
        if (err_exit_code(CASES[i].kind) != CASES[i].code)
            fail_msg("%s", CASES[i].why);
        assert_true(strlen(err_kind_text(CASES[i].kind)) > 0);
    }
    assert_int_equal(err_exit_code((enum err_kind)99), 3);
    assert_string_equal(err_kind_text((enum err_kind)99), "unknown error");
}

static void a_bug_aborts_and_says_where(void **state)
{
    int pipe_fds[2];
    char said[256] = { 0 };
    int status;

    (void)state;
    assert_int_equal(pipe(pipe_fds), 0);
    const pid_t child = fork();
    if (child == 0) {
        signal(SIGABRT, SIG_DFL);
        dup2(pipe_fds[1], STDERR_FILENO);
        BUG("number %d", 7);
    }
    close(pipe_fds[1]);
    assert_true(read(pipe_fds[0], said, sizeof(said) - 1) > 0);
    close(pipe_fds[0]);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
    assert_non_null(strstr(said, "err.c:"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sentence_kind_and_errno),         cmocka_unit_test(null_is_allowed),
        cmocka_unit_test(its_own_text_may_be_an_argument), cmocka_unit_test(long_sentences_are_cut_and_keep_the_reason),
        cmocka_unit_test(kinds_have_texts_and_exit_codes), cmocka_unit_test(a_bug_aborts_and_says_where),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
