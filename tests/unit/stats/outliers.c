/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which samples stand apart. */
#include "stats/outliers.h"

static const struct outlier_case {
    const char *why;
    double x[8];
    size_t count, want;
    bool first;
} OUTLIERS[] = {
    { "too few to tell", { 1, 100 }, 2, 0, false },
    { "a cold first run", { 90, 10, 11, 12, 10, 11, 12, 11 }, 8, 1, true },
    { "one in the middle", { 10, 11, 12, 90, 10, 11, 12, 11 }, 8, 1, false },
    { "a first run that was quicker is no cold one", { 1, 100, 101, 102, 100, 101, 102, 101 }, 8, 1, false },
    { "plain spread", { 10, 11, 12, 13, 14, 15, 16, 17 }, 8, 0, false },
    { "just below the limit of 14.826 deviations", { 9, 10, 11, 9, 10, 11, 24.8, 10 }, 8, 0, false },
    { "just above", { 9, 10, 11, 9, 10, 11, 24.9, 10 }, 8, 1, false },
    { "no scale: most are equal", { 5, 5, 5, 5, 5, 5, 6, 9 }, 8, 0, false },
};

static void test_outliers(void **state)
{
    for (size_t i = 0; i < sizeof(OUTLIERS) / sizeof(OUTLIERS[0]); i++) {
        double scratch[8];
        struct outliers o;

        outliers_of(&o, OUTLIERS[i].x, OUTLIERS[i].count, scratch);
        if (o.count != OUTLIERS[i].want || o.first != OUTLIERS[i].first)
            fail_msg("%s: %zu outliers, first %d", OUTLIERS[i].why, o.count, o.first);
    }
    (void)state;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_outliers),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
