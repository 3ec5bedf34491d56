/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "live/cells.h"

static void test_text_is_cut_at_cells(void **state)
{
    static const struct {
        const char *text;
        size_t width;
        bool utf8;
        const char *want;
        size_t cells;
        const char *why;
    } CASES[] = {
        { "abc", 3, true, "abc", 3, "fits" },
        { "abcdef", 5, true, "ab...", 5, "what does not fit ends in dots" },
        { "abcdef", 2, true, "..", 2, "no room but for dots" },
        { "abcdef", 0, true, "", 0, "no room" },
        { "\xe6\x9d\xb1\xe4\xba\xac", 4, true, "\xe6\x9d\xb1\xe4\xba\xac", 4, "wide characters take two cells" },
        { "\xe6\x9d\xb1\xe4\xba\xac\xe6\x9d\xb1", 5, true, "\xe6\x9d\xb1...", 5, "cut between characters" },
        { "a\xe6\x9d\xb1\xe4\xba\xac\xe6\x9d\xb1", 5, true, "a...", 4, "half a wide character is none" },
        { "e\xcc\x81x", 2, true, "e\xcc\x81x", 2, "a combining mark takes none" },
        { "a\033[31mb", 10, true, "a?[31mb", 7, "no escape sequence comes through" },
        { "a\x7f\tb\n", 10, true, "a??b?", 5, "control characters" },
        { "a\xc2\x9b"
          "b",
          10, true, "a?b", 3, "C1: a CSI in one character" },
        { "a\xe2\x80\xae"
          "b",
          10, true, "a?b", 3, "right-to-left override" },
        { "a\xe2\x80\x8b"
          "b",
          10, true, "a?b", 3, "what is not seen is shown" },
        { "a\xff\xc3x", 10, true, "a??x", 4, "bytes that are no UTF-8" },
        { "\xc3\xa9\xe6\x9d\xb1", 10, false, "??", 2, "a terminal without UTF-8" },
    };
    struct buf out;

    buf_init(&out, 1024);
    for (size_t i = 0; i < sizeof(CASES) / sizeof(CASES[0]); i++) {
        buf_clear(&out);
        assert_int_equal(cells_add(&out, slice_str(CASES[i].text), CASES[i].width, CASES[i].utf8), CASES[i].cells);
        if (!slice_eq(buf_slice(&out), slice_str(CASES[i].want)))
            fail_msg("%s: \"%.*s\"", CASES[i].why, SLICE_FMT(buf_slice(&out)));
    }
    buf_release(&out);
}

static void test_the_middle_goes_first(void **state)
{
    struct buf out;

    buf_init(&out, 1024);
    assert_int_equal(cells_add_middle(&out, SLICE("http://example.test/a/long/path/to.html"), 21, true), 21);
    assert_string_equal(out.data, "http://ex...h/to.html");
    buf_release(&out);
}

/* Whatever the bytes and the width: never more cells than there are, and nothing that a terminal would obey. */
static void test_no_bytes_break_out(void **state)
{
    char bytes[64];
    uint32_t seed = 7;
    struct buf out;

    buf_init(&out, 4096);
    for (int round = 0; round < 20000; round++) {
        const size_t width = seed % 40, len = (seed >> 8) % sizeof(bytes);
        size_t used;

        for (size_t i = 0; i < len; i++) {
            seed = seed * 1664525u + 1013904223u;
            bytes[i] = (char)(seed >> 24);
        }
        seed = seed * 1664525u + 1013904223u;
        buf_clear(&out);
        used = cells_add_middle(&out, slice_from(bytes, len), width, round % 2 == 0);
        assert_true(used <= width);
        assert_int_equal(used, cells_width(buf_slice(&out), true));
        for (size_t i = 0; i < out.len; i++)
            assert_true((unsigned char)out.data[i] >= 0x20 && out.data[i] != 0x7f);
    }
    buf_release(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_text_is_cut_at_cells),
        cmocka_unit_test(test_the_middle_goes_first),
        cmocka_unit_test(test_no_bytes_break_out),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
