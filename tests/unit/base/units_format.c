/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/units.h"

#include <math.h>
#include <string.h>

struct format_case {
    const char *why;
    double value;
    const char *want;
};

static const struct format_case DURATIONS[] = {
    { "nothing", 0, "0 ns" },
    { "whole nanoseconds have no decimals", 5, "5 ns" },
    { "a mean below a nanosecond", 0.5, "0.500 ns" },
    { "a mean in nanoseconds", 12.34, "12.3 ns" },
    { "three digits", 456789, "457 us" },
    { "two decimals", 1234567, "1.23 ms" },
    { "one decimal", 12e9, "12.0 s" },
    { "rounding moves the point", 9.996e6, "10.0 ms" },
    { "rounding changes the unit", 999.6e3, "1.00 ms" },
    { "just below", 999.4e3, "999 us" },
    { "just below a minute", 59.94e9, "59.9 s" },
    { "never 60.0 s", 59.96e9, "1 m 00 s" },
    { "minutes", 123e9, "2 m 03 s" },
    { "rounding into the next minute", 119.6e9, "2 m 00 s" },
    { "rounding into an hour", 3599.7e9, "1 h 00 m 00 s" },
    { "hours", 3723e9, "1 h 02 m 03 s" },
    { "a day", 86400e9, "24 h 00 m 00 s" },
    { "absurd", 1e300, "2.78e+287 h" },
    { "differences may be negative", -1500000, "-1.50 ms" },
    { "negative minutes", -123e9, "-2 m 03 s" },
    { "not a number", NAN, "n/a" },
    { "infinite", INFINITY, "inf h" },
};

static const struct format_case SIZES[] = {
    { "nothing", 0, "0 B" },
    { "bytes", 29, "29 B" },
    { "a mean", 29.5, "29.5 B" },
    { "up to the unit", 1023, "1023 B" },
    { "the unit", 1024, "1.00 KiB" },
    { "one and a half", 1572864, "1.50 MiB" },
    { "never 1024 KiB", 1048575, "1.00 MiB" },
    { "between 1000 and 1024 of a unit", 1010.0 * 1024, "1010 KiB" },
    { "large", 5368709120.0, "5.00 GiB" },
    { "larger than the largest unit", 1e300, "8.88e+284 PiB" },
    { "negative", -2048, "-2.00 KiB" },
    { "not a number", NAN, "n/a" },
};

static const struct format_case NUMBERS[] = {
    { "nothing", 0, "0" },
    { "whole", 987, "987" },
    { "small", 0.0123, "0.0123" },
    { "almost one", 0.9999, "1.00" },
    { "fraction", 45.678, "45.7" },
    { "thousands", 12345, "12.3 k" },
    { "millions", 1200000, "1.20 M" },
    { "never 1000 k", 999999, "1.00 M" },
    { "almost a thousand", 999.7, "1.00 k" },
    { "thousand millions", 2.5e9, "2.50 G" },
    { "larger than the largest unit", 1e18, "1e+06 T" },
    { "negative", -12345, "-12.3 k" },
    { "tiny", 1.5e-7, "1.50e-07" },
};

typedef const char *formatter(char out[UNITS_TEXT_MAX], double value);

static void check_cases(formatter *format, const struct format_case *cases, size_t count)
{
    char out[UNITS_TEXT_MAX + 1];

    for (size_t i = 0; i < count; i++) {
        memset(out, '#', sizeof(out));
        if (format(out, cases[i].value) != out || strcmp(out, cases[i].want) != 0)
            fail_msg("%s: %s", cases[i].why, out);
        assert_int_equal(out[UNITS_TEXT_MAX], '#');
    }
}

#define CHECK(format, cases) check_cases(format, cases, sizeof(cases) / sizeof((cases)[0]))

static void durations(void **state)
{
    (void)state;
    CHECK(units_format_duration, DURATIONS);
}

static void sizes(void **state)
{
    (void)state;
    CHECK(units_format_size, SIZES);
}

static void numbers(void **state)
{
    (void)state;
    CHECK(units_format_number, NUMBERS);
}

static void counts(void **state)
{
    static const struct {
        const char *why;
        uint64_t n;
        const char *want;
    } CASES[] = {
        { "zero", 0, "0" },
        { "no separator", 999, "999" },
        { "one separator", 1000, "1,000" },
        { "two", 1234567, "1,234,567" },
        { "not before the first digit", 123456, "123,456" },
        { "the largest", UINT64_MAX, "18,446,744,073,709,551,615" },
    };
    char out[UNITS_TEXT_MAX];

    (void)state;
    for (size_t i = 0; i < sizeof(CASES) / sizeof(CASES[0]); i++)
        if (strcmp(units_format_count(out, CASES[i].n), CASES[i].want) != 0)
            fail_msg("%s: %s", CASES[i].why, out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(durations),
        cmocka_unit_test(sizes),
        cmocka_unit_test(numbers),
        cmocka_unit_test(counts),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
