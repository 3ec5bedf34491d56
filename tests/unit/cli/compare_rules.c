/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/compare_rules.h"

#include <string.h>

#define COUNT(x) (sizeof(x) / sizeof((x)[0]))

static void files_of_rules(void **state)
{
    static const struct {
        const char *why, *text;
        size_t rules;      /* 0: refused */
        const char *place; /* what the refusal begins with */
    } CASES[] = {
        { "YAML", "- json_path: a/*/b/1/m\n  tolerancy: -10\n  max_failures: 33\n", 1, NULL },
        { "JSON", "[{\"json_path\":\"a/*/b/1/m\",\"tolerancy\":-10}]", 1, NULL },
        { "a list, numbers among its parts", "- json_path: [a, '*', b, 1, avg(m)]\n  tolerancy: 5.5\n", 1, NULL },
        { "two rules", "- {json_path: m, tolerancy: 0}\n- {json_path: n, tolerancy: 1e1}\n", 2, NULL },
        { "no list", "json_path: m\n", 0, "r.yaml:1: " },
        { "an empty list", "[]", 0, "r.yaml:1: " },
        { "nothing", "", 0, "r.yaml:" },
        { "no path", "- tolerancy: 0\n", 0, "r.yaml:1: " },
        { "no tolerancy", "- json_path: m\n", 0, "r.yaml:1: " },
        { "the second is wrong", "- {json_path: m, tolerancy: 0}\n- {json_path: a/m, tolerancy: 0}\n", 0,
          "r.yaml:2: " },
        { "a text for a number", "- json_path: m\n  tolerancy: much\n", 0, "r.yaml:2: " },
        { "a number in quotes", "- json_path: m\n  tolerancy: '5'\n", 0, "r.yaml:2: " },
        { "not finite", "- json_path: m\n  tolerancy: nan\n", 0, "r.yaml:2: " },
        { "hexadecimal", "- json_path: m\n  tolerancy: 0x10\n", 0, "r.yaml:2: " },
        { "a list of a list", "- json_path: [[m]]\n  tolerancy: 0\n", 0, "r.yaml:1: " },
        { "a control character", "- json_path: \"\\e[31m\"\n  tolerancy: 0\n", 0, "r.yaml:1: " },
        { "more than all may fail", "- json_path: m\n  tolerancy: 0\n  max_failures: 101\n", 0, "r.yaml:1: " },
        { "no YAML", "- json_path: [m\n", 0, "r.yaml:" },
    };

    (void)state;
    for (size_t i = 0; i < COUNT(CASES); i++) {
        struct tolerance_rules rules;
        struct err err = { 0 };
        const int done = compare_rules_parse(&rules, "r.yaml", slice_str(CASES[i].text), &err);

        if ((done == 0) != (CASES[i].rules > 0) || rules.count != CASES[i].rules)
            fail_msg("%s: %d, %zu rules, %s", CASES[i].why, done, rules.count, err.what);
        if (done != 0 && (err.kind != ERR_CONFIG || strncmp(err.what, CASES[i].place, strlen(CASES[i].place)) != 0))
            fail_msg("%s: %s", CASES[i].why, err.what);
        tolerance_rules_release(&rules);
    }
}

static void figures_arrive(void **state)
{
    struct tolerance_rules rules;

    (void)state;
    assert_int_equal(compare_rules_parse(&rules, "r",
                                         SLICE("- json_path: [a, 1, avg(m)]\n  tolerancy: -2.5\n  max_failures: 33\n"),
                                         NULL),
                     0);
    assert_int_equal(rules.items[0].path.count, 3);
    assert_string_equal(rules.items[0].path.items[1], "1");
    assert_string_equal(rules.items[0].path.items[2], "m");
    assert_true(rules.items[0].tolerancy == -2.5 && rules.items[0].max_failures == 33);
    tolerance_rules_release(&rules);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_of_rules),
        cmocka_unit_test(figures_arrive),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
