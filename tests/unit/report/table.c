/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Layout: tables, and texts of others cut and folded to a width. */
#include "report/table.h"

#include <string.h>

#include "report/fit.h"

static void test_columns_fit_their_cells(void **state)
{
    struct table t;
    struct buf out;

    (void)state;
    buf_init(&out, 4096);
    table_init(&t, "lrh");
    table_cell(&t, "name");
    table_cell(&t, "n");
    table_cell(&t, "text");
    table_cell(&t, "a");
    table_cell(&t, "%d", 1234);
    table_cell(&t, "%s", "");
    table_cell(&t, "longer than that");
    table_cell(&t, "5");
    table_cell(&t, "a text that is far too long");
    table_print(&t, &out, 40);
    assert_string_equal(out.data, "  name                 n  text\n"
                                  "  a                 1234\n"
                                  "  longer than that     5  a text that...\n");
    table_release(&t);
    buf_release(&out);
}

static void test_a_cut_hides_no_difference(void **state)
{
    static const char *const URLS[] = { "http://a/one/x/then-the-same", "http://a/two/x/then-the-same",
                                        "http://a/something-else-there", "http://a/something-else-there" };
    struct table t;
    struct buf out;

    (void)state;
    buf_init(&out, 4096);
    table_init(&t, "rb");
    for (size_t i = 0; i < 4; i++) {
        table_cell(&t, "%zu", i);
        table_cell(&t, "%s", URLS[i]);
    }
    table_print(&t, &out, 20);
    assert_string_equal(out.data, "  0\n"
                                  "      http://a/one/x\n"
                                  "      /then-the-same\n"
                                  "  1\n"
                                  "      http://a/two/x\n"
                                  "      /then-the-same\n"
                                  "  2  http://a...here\n"
                                  "  3  http://a...here\n");
    table_release(&t);
    buf_release(&out);
    assert_true(fit_hides_difference(SLICE("abcd1efghijk"), SLICE("abcd2efghijk"), 8, FIT_BOTH_ENDS));
    assert_false(fit_hides_difference(SLICE("abcd1efghijk"), SLICE("abcd2efghijk"), 12, FIT_BOTH_ENDS));
    assert_false(fit_hides_difference(SLICE("abcd1efghijk"), SLICE("abcd1efghijk"), 8, FIT_BOTH_ENDS));
    assert_false(fit_hides_difference(SLICE("abcd1efghijk"), SLICE("abcd1efghijl"), 8, FIT_BOTH_ENDS));
    assert_true(fit_hides_difference(SLICE("abcd1efghijk"), SLICE("abcd1efghijl"), 8, FIT_HEAD));
}

static const struct {
    const char *why, *text;
    size_t width;
    enum fit keep;
    const char *want;
} LINES[] = {
    { "fits", "abc", 10, FIT_HEAD, "abc" },
    { "fits exactly", "0123456789", 10, FIT_HEAD, "0123456789" },
    { "one too long", "0123456789a", 10, FIT_HEAD, "0123456..." },
    { "both ends", "0123456789abcdef", 12, FIT_BOTH_ENDS, "012345...def" },
    { "never narrower than eight", "0123456789", 2, FIT_HEAD, "01234..." },
    { "UTF-8 is not cut in the middle", "012345\xe2\x82\xac 89", 10, FIT_HEAD, "012345..." },
    { "nor at the tail",
      "0123456789a\xe2\x82\xac"
      "f",
      12, FIT_BOTH_ENDS, "012345...f" },
    { "escape sequences are harmless", "a\033[31mb", 20, FIT_HEAD, "a?[31mb" },
    { "C1 controls too",
      "a\xc2\x9b"
      "31mb",
      20, FIT_HEAD, "a[U+009B]31mb" },
    { "a line is not turned around", "x\xe2\x80\xaey", 20, FIT_HEAD, "x[U+202E]y" },
    { "and stays as narrow as asked", "0123456789\xe2\x80\xae", 10, FIT_HEAD, "0123456..." },
    { "but not other letters with that lead", "\xc2\xb5s", 20, FIT_HEAD, "\xc2\xb5s" },
    { "line breaks and tabs", "a\r\nb\tc", 20, FIT_HEAD, "a? b c" },
    { "spaces around it", "  a b\t ", 20, FIT_HEAD, "a b" },
    { "delete", "a\x7f", 20, FIT_HEAD, "a?" },
    { "a lone lead byte at the end", "a\xc2", 20, FIT_HEAD, "a\xc2" },
};

static void test_lines(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(LINES) / sizeof(LINES[0]); i++) {
        struct buf out;

        buf_init(&out, 1024);
        fit_line(&out, slice_str(LINES[i].text), LINES[i].width, LINES[i].keep);
        if (strcmp(out.data, LINES[i].want) != 0)
            fail_msg("%s: want \"%s\", got \"%s\"", LINES[i].why, LINES[i].want, out.data);
        buf_release(&out);
    }
}

static const struct {
    const char *why, *text;
    size_t width;
    const char *want;
} PARAGRAPHS[] = {
    { "one line", "a b", 30, "* a b\n" },
    { "nothing", " ", 30, "*\n" },
    { "a line break is a space", "what\nit said", 30, "* what it said\n" },
    { "folded at a space", "the quick brown fox jumps over it", 24, "* the quick brown fox\n  jumps over it\n" },
    { "a word that fits nowhere", "0123456789012345678901234567", 24, "* 0123456789012345678901\n  234567\n" },
    { "exactly full", "0123456789 01234567890 x", 24, "* 0123456789 01234567890\n  x\n" },
    { "spaces at the fold", "0123456789 0123456789    x", 24, "* 0123456789 0123456789\n  x\n" },
};

static void test_paragraphs(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(PARAGRAPHS) / sizeof(PARAGRAPHS[0]); i++) {
        struct buf out;

        buf_init(&out, 1024);
        fit_paragraph(&out, "* ", slice_str(PARAGRAPHS[i].text), PARAGRAPHS[i].width);
        if (strcmp(out.data, PARAGRAPHS[i].want) != 0)
            fail_msg("%s: want \"%s\", got \"%s\"", PARAGRAPHS[i].why, PARAGRAPHS[i].want, out.data);
        buf_release(&out);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_columns_fit_their_cells),
        cmocka_unit_test(test_a_cut_hides_no_difference),
        cmocka_unit_test(test_lines),
        cmocka_unit_test(test_paragraphs),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
