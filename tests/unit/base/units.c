/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/units.h"

#include "edge.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

struct number_case {
    const char *why, *text;
    uint64_t want;
    const char *says; /* NULL when accepted; else a part of the sentence or the hint */
};

static const struct number_case DURATIONS[] = {
    { "seconds", "30s", UINT64_C(30000000000), NULL },
    { "fraction", "1.5s", 1500000000u, NULL },
    { "0.1 has no exact double, the result is exact all the same", "1.1s", 1100000000u, NULL },
    { "milliseconds", "200ms", 200000000u, NULL },
    { "microseconds", "10us", 10000u, NULL },
    { "microseconds as Go prints them", "10\xc2\xb5s", 10000u, NULL },
    { "nanoseconds", "500ns", 500u, NULL },
    { "minutes", "2m", UINT64_C(120000000000), NULL },
    { "several units", "1h30m", UINT64_C(5400000000000), NULL },
    { "all units", "1h2m3s4ms5us6ns", UINT64_C(3723004005006), NULL },
    { "a fraction in the last unit", "1m0.5s", UINT64_C(60500000000), NULL },
    { "a fraction of an hour", "0.1h", UINT64_C(360000000000), NULL },
    { "zero is a duration", "0s", 0, NULL },
    { "trailing zeros do not count", "1.500000000000000000000000000s", 1500000000u, NULL },
    { "the finest fraction", "0.000000001s", 1, NULL },
    { "leading zeros", "007s", UINT64_C(7000000000), NULL },
    { "the largest in ns", "18446744073709551615ns", UINT64_MAX, NULL },
    { "unit is required", "30", 0, "write 30s or 30ms" },
    { "even for zero", "0", 0, "has no unit" },
    { "unit required behind a fraction", "1.5", 0, "write 1.5s or 1.5ms" },
    { "the second number needs a unit as well", "1m30", 0, "number without unit" },
    { "empty", "", 0, "is empty" },
    { "only a unit", "s", 0, "lacks a number" },
    { "only a point", ".", 0, "lacks a digit before the point" },
    { "nothing before the point", ".5s", 0, "lacks a digit before the point" },
    { "nothing behind the point", "5.s", 0, "lacks a digit behind the point" },
    { "two points", "1.2.3s", 0, "unknown unit" },
    { "negative", "-1s", 0, "is negative" },
    { "plus sign", "+1s", 0, "lacks a number" },
    { "space before the unit", "5 s", 0, "has a space" },
    { "space at the end", "5s ", 0, "has a space" },
    { "space at the beginning", " 5s", 0, "lacks a number" },
    { "unknown unit", "5x", 0, "unknown unit" },
    { "capitals are other units", "5S", 0, "unknown unit" },
    { "words", "5sec", 0, "unknown unit" },
    { "exponent", "1e3s", 0, "unknown unit" },
    { "does not overflow", "9e99s", 0, "unknown unit" },
    { "finer than a nanosecond", "0.5ns", 0, "finer than the smallest unit" },
    { "ten decimals of a second", "0.0000000001s", 0, "finer than the smallest unit" },
    { "thirty decimals", "0.000000000000000000000000000001s", 0, "too many digits" },
    { "small units first", "30m1h", 0, "from large units to small" },
    { "a unit twice", "1s2s", 0, "from large units to small" },
    { "a unit twice under two names", "1us2\xc2\xb5s", 0, "from large units to small" },
    { "a fraction in the middle", "1.5m3s", 0, "fraction before its last unit" },
    { "the number does not fit", "18446744073709551616ns", 0, "too large" },
    { "the product does not fit", "18446744074s", 0, "too large" },
    { "the sum does not fit", "18446744073s709551616ns", 0, "too large" },
    { "the fraction does not fit", "18446744073.709551616s", 0, "too large" },
    { "the largest sum", "18446744073s709551615ns", UINT64_MAX, NULL },
    { "the largest fraction", "18446744073.709551615s", UINT64_MAX, NULL },
    { "control characters are not quoted", "5\033[2Js", 0, "\"5?[2Js\"" },
    { "long texts are cut in the sentence", "5xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx", 0,
      "xxx...\"" },
};

static const struct number_case SIZES[] = {
    { "bytes", "512B", 512, NULL },
    { "powers of 1000", "20MB", 20000000, NULL },
    { "kilo as the standard writes it", "4kB", 4000, NULL },
    { "kilo as people write it", "4KB", 4000, NULL },
    { "powers of 1024", "1MiB", 1048576, NULL },
    { "kibi", "1KiB", 1024, NULL },
    { "gibi", "5GiB", UINT64_C(5368709120), NULL },
    { "giga", "1GB", 1000000000, NULL },
    { "tera and tebi", "2TB", UINT64_C(2000000000000), NULL },
    { "tebi", "2TiB", UINT64_C(2199023255552), NULL },
    { "fraction that is whole", "1.5MiB", 1572864, NULL },
    { "none", "0B", 0, NULL },
    { "the largest", "18446744073709551615B", UINT64_MAX, NULL },
    { "fraction of a byte", "0.5B", 0, "finer than the smallest unit" },
    { "fraction that is not whole", "1.1MiB", 0, "finer than the smallest unit" },
    { "unit is required", "20", 0, "write 20B, 20MB (10^6) or 20MiB (2^20)" },
    { "M alone means two things", "1M", 0, "write 1MB (powers of 1000) or 1MiB (powers of 1024)" },
    { "k alone means two things", "10k", 0, "write 10kB (powers of 1000) or 10KiB (powers of 1024)" },
    { "a fraction without unit", "1.5", 0, "write for example" },
    { "control characters do not reach the hint", "\033[2JM", 0, "write for example" },
    { "bits", "1Mb", 0, "unknown unit" },
    { "small letters", "1mib", 0, "unknown unit" },
    { "space", "1 MB", 0, "has a space" },
    { "negative", "-1MB", 0, "is negative" },
    { "two units", "1MB1kB", 0, "unknown unit" },
    { "empty", "", 0, "is empty" },
    { "only a unit", "MB", 0, "lacks a number" },
    { "only a letter", "k", 0, "lacks a number" },
    { "does not fit", "18446744073709551616B", 0, "too large" },
    { "product does not fit", "16777216TiB", 0, "too large" },
};

static const struct number_case COUNTS[] = {
    { "plain", "10", 10, NULL },
    { "thousands", "10k", 10000, NULL },
    { "millions", "2M", 2000000, NULL },
    { "thousand millions", "1G", 1000000000, NULL },
    { "fraction that is whole", "1.5k", 1500, NULL },
    { "zero", "0", 0, NULL },
    { "the largest", "18446744073709551615", UINT64_MAX, NULL },
    { "fraction", "1.5", 0, "finer than the smallest unit" },
    { "separators", "1,000", 0, "unknown unit" },
    { "exponent", "1e6", 0, "unknown unit" },
    { "capital K", "10K", 0, "unknown unit" },
    { "negative", "-5", 0, "is negative" },
    { "empty", "", 0, "is empty" },
    { "too large", "99999999999999999999", 0, "too large" },
    { "product too large", "18446744073709552k", 0, "too large" },
};

typedef int parser(struct slice text, uint64_t *out, struct err *err);

static void check_cases(parser *parse, const struct number_case *cases, size_t count)
{
    struct edge e = edge_new();

    for (size_t i = 0; i < count; i++) {
        const struct number_case *c = &cases[i];
        const struct slice text = edge_put(&e, c->text, strlen(c->text));
        struct err err = { 0 };
        uint64_t got = 77;
        const int rc = parse(text, &got, &err);
        if ((rc == 0) != (c->says == NULL))
            fail_msg("%s: \"%s\" gave %d: %s", c->why, c->text, rc, err.what);
        if (rc == 0 && got != c->want)
            fail_msg("%s: \"%s\" gave %" PRIu64, c->why, c->text, got);
        if (rc < 0 && (err.kind != ERR_USAGE || got != 77 || err.hint[0] == '\0' ||
                       (strstr(err.what, c->says) == NULL && strstr(err.hint, c->says) == NULL)))
            fail_msg("%s: \"%s\" says: %s (%s)", c->why, c->text, err.what, err.hint);
        assert_int_equal(parse(text, &got, NULL), rc); /* without err as well */
    }
    edge_free(&e);
}

#define CHECK(parse, cases) check_cases(parse, cases, sizeof(cases) / sizeof((cases)[0]))

static void durations(void **state)
{
    (void)state;
    CHECK(units_parse_duration, DURATIONS);
}

static void sizes(void **state)
{
    (void)state;
    CHECK(units_parse_size, SIZES);
}

static void counts(void **state)
{
    (void)state;
    CHECK(units_parse_count, COUNTS);
}

static void shares(void **state)
{
    static const struct {
        const char *why, *text;
        double want;
        const char *says;
    } CASES[] = {
        { "percent", "1%", 0.01, NULL },
        { "fraction of a percent", "0.5%", 0.005, NULL },
        { "fraction", "0.01", 0.01, NULL },
        { "nothing", "0", 0.0, NULL },
        { "everything", "1", 1.0, NULL },
        { "everything in percent", "100%", 1.0, NULL },
        { "the nearest double, not 0.1 + something", "0.1%", 0.001, NULL },
        { "many nines", "99.9999%", 0.999999, NULL },
        { "as many digits as a double holds", "0.123456789012", 0.123456789012, NULL },
        { "above one", "5", 0, "write 5% or a fraction" },
        { "a little above one", "1.01", 0, "more than the whole" },
        { "above a hundred per cent", "100.1%", 0, "more than the whole" },
        { "unknown unit", "1pct", 0, "unknown unit" },
        { "space", "1 %", 0, "has a space" },
        { "twice", "1%%", 0, "unknown unit" },
        { "negative", "-1%", 0, "is negative" },
        { "empty", "", 0, "is empty" },
        { "only the sign", "%", 0, "lacks a number" },
        { "more digits than a double holds", "0.1234567890123", 0, "too many digits" },
    };
    struct edge e = edge_new();

    (void)state;
    for (size_t i = 0; i < sizeof(CASES) / sizeof(CASES[0]); i++) {
        struct err err = { 0 };
        double got = -1;
        const int rc = units_parse_share(edge_put(&e, CASES[i].text, strlen(CASES[i].text)), &got, &err);
        if ((rc == 0) != (CASES[i].says == NULL) || (rc == 0 && got != CASES[i].want))
            fail_msg("%s: %s gave %.17g %s", CASES[i].why, CASES[i].text, got, err.what);
        if (rc < 0 && (err.kind != ERR_USAGE || err.hint[0] == '\0' ||
                       (strstr(err.what, CASES[i].says) == NULL && strstr(err.hint, CASES[i].says) == NULL)))
            fail_msg("%s: says %s (%s)", CASES[i].why, err.what, err.hint);
    }
    edge_free(&e);
}

/* Whatever is written in whole nanoseconds as h, m, s and a fraction comes back exactly. */
static void every_written_duration_is_exact(void **state)
{
    uint64_t ns = 1;

    (void)state;
    for (int i = 0; i < 5000; i++) {
        char text[64];
        uint64_t got = 0;
        ns = ns * UINT64_C(6364136223846793005) + 1;
        const uint64_t want = ns >> (i % 64);
        snprintf(text, sizeof(text), "%" PRIu64 ".%09" PRIu64 "s", want / NS_PER_S, want % NS_PER_S);
        assert_int_equal(units_parse_duration(slice_str(text), &got, NULL), 0);
        assert_int_equal(got, want);
        snprintf(text, sizeof(text), "%" PRIu64 ".%06" PRIu64 "ms", want / NS_PER_MS, want % NS_PER_MS);
        assert_int_equal(units_parse_duration(slice_str(text), &got, NULL), 0);
        assert_int_equal(got, want);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(durations),
        cmocka_unit_test(sizes),
        cmocka_unit_test(counts),
        cmocka_unit_test(shares),
        cmocka_unit_test(every_written_duration_is_exact),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
