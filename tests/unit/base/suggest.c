/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/suggest.h"

#include <limits.h>
#include <string.h>

static void test_distance(void **state)
{
    static const struct {
        const char *why, *a, *b;
        unsigned want;
    } CASES[] = {
        { "equal words", "load", "load", 0 },
        { "both empty", "", "", 0 },
        { "one empty: all letters inserted", "", "abc", 3 },
        { "one empty the other way", "abc", "", 3 },
        { "a letter missing", "conections", "connections", 1 },
        { "a letter too many", "loaad", "load", 1 },
        { "a letter replaced", "loat", "load", 1 },
        { "neighbours swapped count once", "laod", "load", 1 },
        { "nothing in common", "abc", "xyz", 3 },
        { "too long a word is infinitely far", "aaaaaaaaaabbbbbbbbbbccccccccccddddddddddX", "load", UINT_MAX },
    };

    for (size_t i = 0; i < sizeof(CASES) / sizeof(CASES[0]); i++) {
        const unsigned got = suggest_distance(slice_str(CASES[i].a), slice_str(CASES[i].b));

        if (got != CASES[i].want)
            fail_msg("%s: %u instead of %u", CASES[i].why, got, CASES[i].want);
    }
}

static void test_suggestion(void **state)
{
    static const struct {
        const char *why, *typed, *want;
    } CASES[] = {
        { "a slip", "laod", "load" },
        { "the nearest of several", "sreve", "serve" },
        { "a word cut short", "ser", "serve" },
        { "far from everything", "frobnicate", NULL },
        { "one letter does not suggest a word of four", "x", NULL },
    };
    static const char *const WORDS[] = { "load", "ab", "serve" };

    for (size_t i = 0; i < sizeof(CASES) / sizeof(CASES[0]); i++) {
        struct suggestion s;

        suggest_init(&s, slice_str(CASES[i].typed));
        for (size_t j = 0; j < 3; j++)
            suggest_consider(&s, WORDS[j]);
        if ((s.word == NULL) != (CASES[i].want == NULL) || (s.word != NULL && strcmp(s.word, CASES[i].want) != 0))
            fail_msg("%s: %s", CASES[i].why, s.word != NULL ? s.word : "nothing");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_distance),
        cmocka_unit_test(test_suggestion),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
