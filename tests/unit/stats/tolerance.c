/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/tolerance.h"

#include <math.h>

#define COUNT(x) (sizeof(x) / sizeof((x)[0]))

static void single_comparisons(void **state)
{
    static const struct {
        const char *why;
        double base, new, tolerancy;
        bool want;
    } CASES[] = {
        { "equal", 100, 100, -10, true },
        { "less by less", 100, 91, -10, true },
        { "at the limit", 100, 90, -10, true },
        { "less by more", 100, 89.9, -10, false },
        { "better never fails a rule below 0", 100, 1000, -10, true },
        { "greater by less", 100, 109, 10, true },
        { "greater by more", 100, 110.1, 10, false },
        { "less never fails a rule from 0 up", 100, 1, 10, true },
        { "0: nothing may be greater", 100, 100.1, 0, false },
        { "0: equal is fine", 100, 100, 0, true },
        { "no base", NAN, 100, -10, false },
        { "no new", 100, NAN, -10, false },
        { "a base of zero", 0, 100, -10, false },
        { "both zero", 0, 0, 10, false },
        { "infinite", INFINITY, INFINITY, 10, false },
        { "no tolerancy", 100, 100, NAN, false },
    };

    (void)state;
    for (size_t i = 0; i < COUNT(CASES); i++)
        if (tolerance_holds(CASES[i].base, CASES[i].new, CASES[i].tolerancy) != CASES[i].want)
            fail_msg("%s", CASES[i].why);
}

static void of_many(void **state)
{
    static const struct {
        const char *why;
        size_t failures, comparisons;
        double max_failures;
        bool broken;
    } CASES[] = {
        { "none failed", 0, 30, 0, false },          { "one is too many", 1, 30, 0, true },
        { "a third may", 9, 30, 33, false },         { "33 percent of 30 is 9.9", 10, 30, 33, true },
        { "exactly so many may", 3, 30, 10, false }, { "all may", 30, 30, 100, false },
        { "nothing was compared", 0, 0, 100, true },
    };

    (void)state;
    for (size_t i = 0; i < COUNT(CASES); i++)
        if (tolerance_is_broken(CASES[i].failures, CASES[i].comparisons, CASES[i].max_failures) != CASES[i].broken)
            fail_msg("%s", CASES[i].why);
}

static void deviations(void **state)
{
    (void)state;
    assert_true(fabs(tolerance_deviation(49891.0, 46461.5) + 0.0687) < 5e-5);
    assert_true(isnan(tolerance_deviation(0, 1)));
    assert_true(isnan(tolerance_deviation(1, NAN)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(single_comparisons),
        cmocka_unit_test(of_many),
        cmocka_unit_test(deviations),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
