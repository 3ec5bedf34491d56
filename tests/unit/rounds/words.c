/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "rounds/words.h"

#include "base/buf.h"

static void test_words(void **state)
{
    (void)state;
    static const struct {
        const char *why, *text, *want; /* words, each in brackets; NULL: refused */
    } CASES[] = {
        { "plain words", "cf delete -f  app{i}", "[cf][delete][-f][app{i}]" },
        { "blanks around", " \ta\n", "[a]" },
        { "single quotes keep all", "a 'b $c | \\' d", "[a][b $c | \\][d]" },
        { "double quotes", "a \"b 'c' \\\" \\\\ \\n\"", "[a][b 'c' \" \\ \\n]" },
        { "quotes within a word", "--name='a b'c", "[--name=a bc]" },
        { "an empty word", "a '' b", "[a][][b]" },
        { "escaped blank and pipe", "a\\ b \\|", "[a b][|]" },
        { "escaped variable", "\"\\$HOME\"", "[$HOME]" },
        { "patterns are text", "rm *.tmp ?x [a]", "[rm][*.tmp][?x][[a]]" },
        { "braces are text", "{i} {a,b}", "[{i}][{a,b}]" },
        { "nothing", "", NULL },
        { "blanks alone", "  ", NULL },
        { "open single quote", "a 'b", NULL },
        { "open double quote", "a \"b", NULL },
        { "a backslash at the end", "a \\", NULL },
        { "a pipe", "a | b", NULL },
        { "a redirection", "a >b", NULL },
        { "a variable", "a $b", NULL },
        { "a variable in double quotes", "a \"$b\"", NULL },
        { "two commands", "a; b", NULL },
        { "in the background", "a &", NULL },
        { "a command's output", "a `b`", NULL },
    };

    for (size_t i = 0; i < sizeof(CASES) / sizeof(CASES[0]); i++) {
        struct strlist words = STRLIST_INIT;
        struct err err = { 0 };
        struct buf got;
        const int rc = words_split(&words, slice_str(CASES[i].text), &err);

        buf_init(&got, 1000);
        for (size_t k = 0; k < words.count; k++)
            buf_printf(&got, "[%s]", words.items[k]);
        if ((rc == 0) != (CASES[i].want != NULL) || (rc == 0 && !slice_eq(buf_slice(&got), slice_str(CASES[i].want))))
            fail_msg("%s: %s", CASES[i].why, rc == 0 ? got.data : err.what);
        if (rc != 0)
            assert_int_equal(err.kind, ERR_USAGE);
        buf_release(&got);
        strlist_release(&words);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_words) };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
