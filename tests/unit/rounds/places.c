/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "rounds/places.h"

#include <string.h>

static void test_places(void **state)
{
    (void)state;
    static const struct {
        const char *why, *text, *want;
        bool has;
    } CASES[] = {
        { "none", "push app", "push app", false },
        { "nothing", "", "", false },
        { "a copy", "app{i}", "app7", true },
        { "all of them", "{i}-{round}-{n}-{uuid}", "7-3-16-u-u-i-d", true },
        { "side by side", "{i}{i}", "77", true },
        { "other braces are text", "{\"a\": {b}} ${x} {}", "{\"a\": {b}} ${x} {}", false },
        { "a brace before one", "{{i}}", "{7}", true },
        { "cut off", "{i {round", "{i {round", false },
        { "at the end", "x{", "x{", false },
    };
    const struct places p = { 7, 3, 16, "u-u-i-d" };

    for (size_t i = 0; i < sizeof(CASES) / sizeof(CASES[0]); i++) {
        struct buf out;

        buf_init(&out, 1000);
        places_fill(&out, slice_str(CASES[i].text), &p);
        buf_add_char(&out, '\0');
        if (strcmp(out.data, CASES[i].want) != 0 || places_in(slice_str(CASES[i].text)) != CASES[i].has)
            fail_msg("%s: \"%s\"", CASES[i].why, out.data);
        buf_release(&out);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_places) };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
