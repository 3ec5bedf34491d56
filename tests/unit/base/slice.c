/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/slice.h"

#include "alloc_fail.h"
#include "edge.h"

#include <inttypes.h>

static const struct slice NONE = { NULL, 0 };

static void equality_and_affixes(void **state)
{
    static const struct {
        const char *why, *s, *part;
        bool eq, eq_nocase, starts, starts_nocase, ends;
    } CASES[] = {
        { "the same", "abc", "abc", true, true, true, true, true },
        { "case differs", "Abc", "aBC", false, true, false, true, false },
        { "only letters fold: '@' is not '`'", "@", "`", false, false, false, false, false },
        { "'[' and '{' differ by the case bit only", "[", "{", false, false, false, false, false },
        { "prefix", "Host: x", "host:", false, false, false, true, false },
        { "suffix", "file.csv", ".csv", false, false, false, false, true },
        { "longer part", "ab", "abc", false, false, false, false, false },
        { "empty part", "ab", "", false, false, true, true, true },
        { "both empty", "", "", true, true, true, true, true },
        { "bytes above 127 do not fold", "\xc3\x84", "\xc3\xa4", false, false, false, false, false },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(CASES) / sizeof(CASES[0]); i++) {
        const struct slice s = slice_str(CASES[i].s);
        const struct slice part = slice_str(CASES[i].part);
        if (slice_eq(s, part) != CASES[i].eq || slice_eq_nocase(s, part) != CASES[i].eq_nocase ||
            slice_starts(s, part) != CASES[i].starts || slice_starts_nocase(s, part) != CASES[i].starts_nocase ||
            slice_ends(s, part) != CASES[i].ends)
            fail_msg("%s", CASES[i].why);
    }
}

static void the_null_slice_is_empty(void **state)
{
    struct slice rest = NONE;
    uint64_t n;

    (void)state;
    assert_true(slice_eq(NONE, SLICE("")));
    assert_true(slice_eq(slice_str(NULL), NONE));
    assert_true(slice_starts(SLICE("a"), NONE));
    assert_true(slice_ends(NONE, NONE));
    assert_int_equal(slice_trim(NONE).len, 0);
    assert_int_equal(slice_drop(NONE, 3).len, 0);
    assert_int_equal(slice_take(NONE, 3).len, 0);
    assert_int_equal(slice_find(NONE, 'a'), -1);
    assert_int_equal(slice_find_slice(NONE, SLICE("a")), -1);
    assert_int_equal(slice_find_slice(NONE, NONE), 0);
    assert_int_equal(slice_split(&rest, ',').len, 0);
    assert_false(slice_to_u64(NONE, &n));
    char *copy = slice_dup(NONE);
    assert_string_equal(copy, "");
    free(copy);
}

static void trimming(void **state)
{
    static const struct {
        const char *why, *in, *want;
    } CASES[] = {
        { "both ends", " \t a b\t ", "a b" },
        { "nothing to do", "ab", "ab" },
        { "only blanks", " \t ", "" },
        { "line ends are no blanks", "a\r\n", "a\r\n" },
    };
    struct edge e = edge_new();

    (void)state;
    for (size_t i = 0; i < sizeof(CASES) / sizeof(CASES[0]); i++)
        if (!slice_eq(slice_trim(edge_put(&e, CASES[i].in, strlen(CASES[i].in))), slice_str(CASES[i].want)))
            fail_msg("%s", CASES[i].why);
    edge_free(&e);
}

static void finding(void **state)
{
    struct edge e = edge_new();
    const struct slice s = edge_put(&e, "ababac", 6);

    (void)state;
    assert_int_equal(slice_find(s, 'c'), 5);
    assert_int_equal(slice_find(s, 'x'), -1);
    assert_int_equal(slice_find_slice(s, SLICE("abac")), 2); /* a false start before it */
    assert_int_equal(slice_find_slice(s, SLICE("acx")), -1); /* begins in the last bytes */
    assert_int_equal(slice_find_slice(s, SLICE("")), 0);
    edge_free(&e);
}

static void splitting(void **state)
{
    struct slice rest = SLICE("a,,b");

    (void)state;
    assert_true(slice_eq(slice_split(&rest, ','), SLICE("a")));
    assert_true(slice_eq(slice_split(&rest, ','), SLICE("")));
    assert_true(slice_eq(rest, SLICE("b")));
    assert_true(slice_eq(slice_split(&rest, ','), SLICE("b")));
    assert_int_equal(rest.len, 0);
    rest = SLICE("x,");
    assert_true(slice_eq(slice_split(&rest, ','), SLICE("x")));
    assert_int_equal(rest.len, 0);
}

static void taking_and_dropping(void **state)
{
    (void)state;
    assert_true(slice_eq(slice_drop(SLICE("abc"), 1), SLICE("bc")));
    assert_int_equal(slice_drop(SLICE("abc"), SIZE_MAX).len, 0);
    assert_true(slice_eq(slice_take(SLICE("abc"), 2), SLICE("ab")));
    assert_true(slice_eq(slice_take(SLICE("abc"), SIZE_MAX), SLICE("abc")));
}

static void numbers(void **state)
{
    static const struct {
        const char *why, *text;
        bool ok;
        uint64_t want;
    } CASES[] = {
        { "zero", "0", true, 0 },
        { "leading zeros", "007", true, 7 },
        { "the largest", "18446744073709551615", true, UINT64_MAX },
        { "one more overflows in the addition", "18446744073709551616", false, 0 },
        { "ten times more overflows in the product", "184467440737095516150", false, 0 },
        { "empty", "", false, 0 },
        { "sign", "+1", false, 0 },
        { "minus", "-1", false, 0 },
        { "space", " 1", false, 0 },
        { "trailing letter", "1x", false, 0 },
        { "hexadecimal", "0x10", false, 0 },
        { "'/' lies before '0'", "/", false, 0 },
        { "':' lies behind '9'", ":", false, 0 },
    };
    struct edge e = edge_new();

    (void)state;
    for (size_t i = 0; i < sizeof(CASES) / sizeof(CASES[0]); i++) {
        uint64_t got = 0;
        const bool ok = slice_to_u64(edge_put(&e, CASES[i].text, strlen(CASES[i].text)), &got);
        if (ok != CASES[i].ok || got != CASES[i].want)
            fail_msg("%s: %d %" PRIu64, CASES[i].why, ok, got);
    }
    edge_free(&e);
}

static void a_copy_can_fail(void **state)
{
    (void)state;
    alloc_fail_at(1);
    assert_null(slice_dup(SLICE("abc")));
    assert_true(alloc_fail_end());
    char *copy = slice_dup(slice_from("abcdef", 3));
    assert_string_equal(copy, "abc");
    free(copy);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equality_and_affixes),
        cmocka_unit_test(the_null_slice_is_empty),
        cmocka_unit_test(trimming),
        cmocka_unit_test(finding),
        cmocka_unit_test(splitting),
        cmocka_unit_test(taking_and_dropping),
        cmocka_unit_test(numbers),
        cmocka_unit_test(a_copy_can_fail),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
