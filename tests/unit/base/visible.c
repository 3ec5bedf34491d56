/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What nobody sees is written out; what everybody sees, and what is no text, stays. */
#include "base/visible.h"

#include <string.h>

enum { TEXT_MAX_BYTES = 1 << 16 };

static const struct {
    const char *why, *text, *want;
} TEXTS[] = {
    { "nothing", "", "" },
    { "ASCII, also its controls", "a\tb\x1b", "a\tb\x1b" },
    { "letters of any script", "gr\xc3\xbc\xc3\x9f \xd7\xa9\xd7\x9c \xe6\x97\xa5",
      "gr\xc3\xbc\xc3\x9f \xd7\xa9\xd7\x9c \xe6\x97\xa5" },
    { "an override in the middle", "photo\xe2\x80\xaegpj", "photo[U+202E]gpj" },
    { "alone, twice", "\xe2\x80\xae\xe2\x80\xae", "[U+202E][U+202E]" },
    { "an isolate", "\xe2\x81\xa6x", "[U+2066]x" },
    { "a mark", "x\xe2\x80\x8f", "x[U+200F]" },
    { "a space without width", "ad\xe2\x80\x8bmin", "ad[U+200B]min" },
    { "a byte order mark", "\xef\xbb\xbfx", "[U+FEFF]x" },
    { "a C1 control",
      "\xc2\x9b"
      "31m",
      "[U+009B]31m" },
    { "the last of the two-byte ones before them", "\xc2\xa0", "\xc2\xa0" },
    { "a tag", "\xf3\xa0\x81\x81", "[U+E0041]" },
    { "a joiner is needed", "\xf0\x9f\x91\xa9\xe2\x80\x8d\xf0\x9f\x9a\x80",
      "\xf0\x9f\x91\xa9\xe2\x80\x8d\xf0\x9f\x9a\x80" },
    { "what is not UTF-8 is not ours", "\xff\xe2\x80", "\xff\xe2\x80" },
    { "behind what is not UTF-8", "\xff\xe2\x80\xae", "\xff[U+202E]" },
};

static void hidden_is_shown(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(TEXTS) / sizeof(TEXTS[0]); i++) {
        const bool unchanged = strcmp(TEXTS[i].text, TEXTS[i].want) == 0;
        struct buf out;

        buf_init(&out, TEXT_MAX_BYTES);
        buf_add_str(&out, "");
        visible_add(&out, slice_str(TEXTS[i].text));
        if (!slice_eq(buf_slice(&out), slice_str(TEXTS[i].want)))
            fail_msg("%s: %.*s", TEXTS[i].why, SLICE_FMT(buf_slice(&out)));
        if (visible_all(slice_str(TEXTS[i].text)) != unchanged)
            fail_msg("%s: visible_all", TEXTS[i].why);
        buf_release(&out);
    }
}

static void outputs_are_fit_for_a_terminal(void **state)
{
    static const struct {
        const char *why, *text, *want;
    } CASES[] = {
        { "lines and tabs stay", "a\tb\nc\r\nd", "a\tb\nc\nd" },
        { "colours go", "\x1b[1;31mred\x1b[0m.", "red." },
        { "a title goes", "\x1b]0;title\aa\x1b]8;;http://h/\x1b\\b", "ab" },
        { "one that never ends takes no more than its line", "\x1b]0;title\na", "\na" },
        { "a charset", "\x1b(Ba", "Ba" },
        { "cut short", "a\x1b[1;3", "a" },
        { "alone", "a\x1b", "a" },
        { "and before a line's end", "\x1b\na\x1b[1\nb", "\na\nb" },
        { "other controls", "a\bb\rc\x7f", "a?b?c?" },
        { "what is no UTF-8",
          "a\xff\xe2\x80"
          "b",
          "a???b" },
        { "what is", "\xc3\xa4", "\xc3\xa4" },
        { "the hidden",
          "a\xe2\x80\xae"
          "b",
          "a[U+202E]b" },
        { "nothing", "", "" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(CASES) / sizeof(CASES[0]); i++) {
        struct buf out;

        buf_init(&out, TEXT_MAX_BYTES);
        visible_output(&out, slice_str(CASES[i].text));
        if (!slice_eq(buf_slice(&out), slice_str(CASES[i].want)))
            fail_msg("%s: %.*s", CASES[i].why, SLICE_FMT(buf_slice(&out)));
        buf_release(&out);
    }
}

/* "\u202E" cut off by the end: its bytes are no text yet. */
static void nothing_behind_the_end_is_read(void **state)
{
    (void)state;
    assert_int_equal(visible_hidden(slice_from("\xe2\x80\xae", 2)), 0);
    assert_int_equal(visible_hidden(slice_from("\xe2\x80\xae", 3)), 3);
    assert_int_equal(visible_hidden(slice_from(NULL, 0)), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hidden_is_shown),
        cmocka_unit_test(outputs_are_fit_for_a_terminal),
        cmocka_unit_test(nothing_behind_the_end_is_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
