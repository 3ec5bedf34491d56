/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/utf8.h"

#define COUNT(x) (sizeof(x) / sizeof((x)[0]))

static void sequences(void **state)
{
    static const struct {
        const char *why;
        struct slice bytes;
        size_t want;
    } CASES[] = {
        { "nothing", { NULL, 0 }, 0 },
        { "ASCII", { "a", 1 }, 1 },
        { "NUL is a character", { "\0", 1 }, 1 },
        { "two bytes", { "\xc3\xa4", 2 }, 2 },
        { "three bytes", { "\xe2\x82\xac", 3 }, 3 },
        { "four bytes", { "\xf0\x9f\x9a\xa2", 4 }, 4 },
        { "only the first counts", { "a\xff", 2 }, 1 },
        { "cut", { "\xe2\x82", 2 }, 0 },
        { "a continuation alone", { "\x80", 1 }, 0 },
        { "no continuation", { "\xc3(", 2 }, 0 },
        { "overlong slash", { "\xc0\xaf", 2 }, 0 },
        { "overlong in three", { "\xe0\x80\xaf", 3 }, 0 },
        { "overlong in four", { "\xf0\x80\x80\xaf", 4 }, 0 },
        { "the last before the surrogates", { "\xed\x9f\xbf", 3 }, 3 },
        { "a surrogate", { "\xed\xa0\x80", 3 }, 0 },
        { "the last code point", { "\xf4\x8f\xbf\xbf", 4 }, 4 },
        { "beyond it", { "\xf4\x90\x80\x80", 4 }, 0 },
        { "never", { "\xff", 1 }, 0 },
    };

    (void)state;
    for (size_t i = 0; i < COUNT(CASES); i++)
        if (utf8_length(CASES[i].bytes) != CASES[i].want)
            fail_msg("%s: %zu", CASES[i].why, utf8_length(CASES[i].bytes));
}

static void texts(void **state)
{
    (void)state;
    assert_true(utf8_is_valid(SLICE("")));
    assert_true(utf8_is_valid(SLICE("a\xc3\xa4\xe2\x82\xac\xf0\x9f\x9a\xa2z")));
    assert_false(utf8_is_valid(SLICE("a\xc3\xa4\xe2\x82")));
    assert_false(utf8_is_valid(SLICE("\xdb\xdb")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sequences),
        cmocka_unit_test(texts),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
