/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/summary.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static bool close_to(double got, double want)
{
    return fabs(got - want) <= 1e-12 * fabs(want);
}

static void golden_sets(void **state)
{
    /* Expected figures: exact fractions, evaluated by hand or with R's mean(), sd() and median(). */
    static const struct {
        const char *why;
        double x[6];
        size_t n;
        double mean, stddev, min, max, median;
    } CASES[] = {
        { "nothing", { 0 }, 0, 0, 0, 0, 0, 0 },
        { "one has no spread", { 4.5 }, 1, 4.5, 0, 4.5, 4.5, 4.5 },
        { "two: n - 1", { 3, 1 }, 2, 2, 1.4142135623730951, 1, 3, 2 },
        { "odd", { 5, 1, 3 }, 3, 3, 2, 1, 5, 3 },
        { "even: the mean of the middles", { 4, 1, 3, 2 }, 4, 2.5, 1.2909944487358056, 1, 4, 2.5 },
        { "negative", { -1, -2, -3 }, 3, -2, 1, -3, -1, -2 },
        { "equal", { 7, 7, 7, 7 }, 4, 7, 0, 7, 7, 7 },
        { "a small spread on a large mean",
          { 1e9 + 4, 1e9 + 7, 1e9 + 13, 1e9 + 16 },
          4,
          1e9 + 10,
          5.477225575051661,
          1e9 + 4,
          1e9 + 16,
          1e9 + 10 },
        { "the middle does not overflow", { 1.7e308, 1.7e308 }, 2, 1.7e308, 0, 1.7e308, 1.7e308, 1.7e308 },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(CASES) / sizeof(CASES[0]); i++) {
        struct summary s;
        double x[6];
        memcpy(x, CASES[i].x, sizeof(x));
        summary_of(&s, x, CASES[i].n);
        if (s.count != CASES[i].n || !close_to(s.mean, CASES[i].mean) || !close_to(s.stddev, CASES[i].stddev) ||
            s.min != CASES[i].min || s.max != CASES[i].max || !close_to(s.median, CASES[i].median))
            fail_msg("%s: mean %.17g stddev %.17g median %.17g", CASES[i].why, s.mean, s.stddev, s.median);
    }
}

static void keys_and_labels(void **state)
{
    static const struct {
        const char *why;
        double percentile;
        const char *key, *label;
    } CASES[] = {
        { "whole", 50, "p50", "p50" },
        { "99.9", 99.9, "p999", "p99.9" },
        { "99.95", 99.95, "p9995", "p99.95" },
        { "99.99", 99.99, "p9999", "p99.99" },
        { "one digit", 5, "p5", "p5" },
        { "9.9 is not 99", 9.9, "p099", "p9.9" },
        { "9.99 is not 99.9", 9.99, "p0999", "p9.99" },
        { "0.99 is not 9.9", 0.99, "p0099", "p0.99" },
        { "0", 0, "p0", "p0" },
        { "100 is not 10.0", 100, "p100", "p100" },
        { "10", 10, "p10", "p10" },
        { "nine decimals", 99.999999999, "p99999999999", "p99.999999999" },
        { "rounded to nine", 33.33333333333, "p33333333333", "p33.333333333" },
        { "out of range", 250, "p100", "p100" },
        { "negative", -1, "p0", "p0" },
        { "not a number", NAN, "p0", "p0" },
    };
    char out[SUMMARY_KEY_MAX];

    (void)state;
    for (size_t i = 0; i < sizeof(CASES) / sizeof(CASES[0]); i++) {
        if (strcmp(summary_percentile_key(out, CASES[i].percentile), CASES[i].key) != 0)
            fail_msg("%s: key %s", CASES[i].why, out);
        if (strcmp(summary_percentile_label(out, CASES[i].percentile), CASES[i].label) != 0)
            fail_msg("%s: label %s", CASES[i].why, out);
    }
}

static int by_text(const void *a, const void *b)
{
    return strcmp(a, b);
}

/* No two of the 10 001 percentiles with two decimals share a key. */
static void keys_are_unique(void **state)
{
    static char keys[10001][SUMMARY_KEY_MAX];

    (void)state;
    for (unsigned i = 0; i <= 10000; i++)
        summary_percentile_key(keys[i], i / 100.0);
    qsort(keys, 10001, sizeof(keys[0]), by_text);
    for (unsigned i = 1; i <= 10000; i++)
        if (strcmp(keys[i - 1], keys[i]) == 0)
            fail_msg("%s stands for two percentiles", keys[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(golden_sets),
        cmocka_unit_test(keys_and_labels),
        cmocka_unit_test(keys_are_unique),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
