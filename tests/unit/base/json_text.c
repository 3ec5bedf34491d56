/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/json_text.h"

static void test_texts(void **state)
{
    (void)state;
    static const struct {
        const char *why;
        struct slice text;
        const char *want;
    } CASES[] = {
        { "nothing", { "", 0 }, "\"\"" },
        { "plain", { "push app", 8 }, "\"push app\"" },
        { "quotes and backslashes", { "a\"b\\", 4 }, "\"a\\\"b\\\\\"" },
        { "control characters", { "\x1b[1m\t\0\x7f", 7 }, "\"\\u001b[1m\\u0009\\u0000\\u007f\"" },
        { "valid UTF-8 passes", { "\xc3\xa4\xe2\x82\xac", 5 }, "\"\xc3\xa4\xe2\x82\xac\"" },
        { "what is none does not",
          { "a\xff"
            "b",
            3 },
          "\"a\xef\xbf\xbd"
          "b\"" },
        { "cut off", { "\xe2\x82", 2 }, "\"\xef\xbf\xbd\xef\xbf\xbd\"" },
    };

    for (size_t i = 0; i < sizeof(CASES) / sizeof(CASES[0]); i++) {
        struct buf out;

        buf_init(&out, 1000);
        json_add_string(&out, CASES[i].text);
        if (!slice_eq(buf_slice(&out), slice_str(CASES[i].want)))
            fail_msg("%s: %s", CASES[i].why, out.data);
        buf_release(&out);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_texts) };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
