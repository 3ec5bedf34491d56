/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Stamps of lines in all their forms, and the clock that they make: it never goes back. */
#include "rounds/stamp.h"

#include <stdio.h>
#include <string.h>

#include "edge.h"

#define S INT64_C(1000000000)

static const struct read_case {
    const char *why, *line;
    bool found;
    enum stamp_kind kind;
    int64_t ns;
    const char *text; /* what is left */
    bool whole;
} READS[] = {
    { "the published logs", "[2017-07-31 03:50:21] dora1 OK", true, STAMP_MOMENT, 1501473021 * S, "dora1 OK", true },
    { "without text", "[2017-07-31 03:50:21]", true, STAMP_MOMENT, 1501473021 * S, "", true },
    { "an empty line", "[2017-07-31 03:50:21] ", true, STAMP_MOMENT, 1501473021 * S, "", true },
    { "RFC 3339", "2017-07-31T03:50:21Z x", true, STAMP_MOMENT, 1501473021 * S, "x", true },
    { "fractions", "2017-07-31T03:50:21.25Z x", true, STAMP_MOMENT, 1501473021 * S + S / 4, "x", false },
    { "ten digits of a fraction", "2017-07-31T03:50:21.1234567891Z x", true, STAMP_MOMENT, 1501473021 * S + 123456789,
      "x", false },
    { "a comma before the fraction", "2017-07-31 03:50:21,5 x", true, STAMP_MOMENT, 1501473021 * S + S / 2, "x",
      false },
    { "a time zone", "2017-07-31T05:50:21+02:00 x", true, STAMP_MOMENT, 1501473021 * S, "x", true },
    { "a zone without colon, west", "2017-07-30T23:20:21-0430\tx", true, STAMP_MOMENT, 1501473021 * S, "x", true },
    { "1970", "1970-01-01 00:00:00 x", true, STAMP_MOMENT, 0, "x", true },
    { "a leap day", "2016-02-29 12:00:00 x", true, STAMP_MOMENT, 1456747200 * S, "x", true },
    { "a leap second", "2016-12-31 23:59:60 x", true, STAMP_MOMENT, 1483228800 * S, "x", true },
    { "ts without a format", "Jul 31 03:50:21 x", true, STAMP_OF_YEAR, (211 * 86400 + 13821) * S, "x", true },
    { "a one-digit day", "Jan  1 00:00:01 x", true, STAMP_OF_YEAR, S, "x", true },
    { "ts -s", "00:01:05 x", true, STAMP_TIME_OF_DAY, 65 * S, "x", true },
    { "ts -s with fractions", "00:01:05.5: x", true, STAMP_TIME_OF_DAY, 65 * S + S / 2, "x", false },
    { "seconds since 1970", "1501473021.5 x", true, STAMP_MOMENT, 1501473021 * S + S / 2, "x", false },
    { "an address and a port are none", "10.0.0.1 03:50:21 x", false, 0, 0, NULL, false },
    { "a number", "42 things", false, 0, 0, NULL, false },
    { "a size", "123456789", true, STAMP_MOMENT, 123456789 * S, "", true },
    { "too many digits", "150147302112345 x", false, 0, 0, NULL, false },
    { "an open bracket", "[2017-07-31 03:50:21 x", false, 0, 0, NULL, false },
    { "a 13th month", "2017-13-01 03:50:21 x", false, 0, 0, NULL, false },
    { "the 25th hour", "25:00:00 x", false, 0, 0, NULL, false },
    { "text right behind", "03:50:21x", false, 0, 0, NULL, false },
    { "a date alone", "2017-07-31 x", false, 0, 0, NULL, false },
    { "no line", "", false, 0, 0, NULL, false },
    { "a log level in brackets", "[INFO] x", false, 0, 0, NULL, false },
};

static void test_stamps_are_read(void **state)
{
    struct edge edge = edge_new();

    for (size_t i = 0; i < sizeof(READS) / sizeof(READS[0]); i++) {
        const struct read_case *t = &READS[i];
        const struct slice line = edge_put(&edge, t->line, strlen(t->line));
        struct stamp s;

        if (stamp_read(&s, line) != t->found)
            fail_msg("%s: %s", t->why, t->found ? "not found" : "found");
        if (t->found && (s.kind != t->kind || s.ns != t->ns || s.whole_seconds != t->whole ||
                         !slice_eq(slice_drop(line, s.bytes), slice_str(t->text))))
            fail_msg("%s: kind %d, %lld ns, \"%.*s\"", t->why, (int)s.kind, (long long)s.ns,
                     SLICE_FMT(slice_drop(line, s.bytes)));
    }
    edge_free(&edge);
    (void)state;
}

/* Cut anywhere, and at the end of what may be read. */
static void test_pieces_do_no_harm(void **state)
{
    struct edge edge = edge_new();

    for (size_t i = 0; i < sizeof(READS) / sizeof(READS[0]); i++)
        for (size_t len = 0; len <= strlen(READS[i].line); len++) {
            struct stamp s;

            if (stamp_read(&s, edge_put(&edge, READS[i].line, len)))
                assert_true(s.bytes > 0 && s.bytes <= len);
        }
    edge_free(&edge);
    (void)state;
}

static const struct clock_case {
    const char *why;
    const char *lines[6];
    double want[6]; /* seconds */
    uint32_t steps;
} CLOCKS[] = {
    { "plain", { "03:50:21 a", "03:50:26 b", "03:50:26 c" }, { 0, 5, 5 }, 0 },
    { "past midnight", { "23:59:58 a", "00:00:03 b", "00:00:04 c" }, { 0, 5, 6 }, 0 },
    { "a line of yesterday after midnight",
      { "23:59:59 a", "00:00:00 b", "23:59:59 c", "00:00:02 d" },
      { 0, 1, 1, 3 },
      0 },
    { "past New Year", { "Dec 31 23:59:58 a", "Jan  1 00:00:03 b" }, { 0, 5 }, 0 },
    { "lines out of order", { "03:50:21 a", "03:50:23 b", "03:50:22 c", "03:50:24 d" }, { 0, 2, 2, 3 }, 0 },
    { "a clock set back by an hour",
      { "2017-07-31 03:50:21 a", "2017-07-31 03:50:26 b", "2017-07-31 02:50:27 c", "2017-07-31 02:50:29 d" },
      { 0, 5, 5, 7 },
      1 },
    { "set back twice",
      { "2017-07-31 03:00:10 a", "2017-07-31 03:00:00 b", "2017-07-31 03:00:04 c", "2017-07-31 02:00:00 d",
        "2017-07-31 02:00:01 e" },
      { 0, 0, 4, 4, 5 },
      2 },
    { "a stamp of another kind in the text",
      { "2017-07-31 03:50:21 a", "12:00:00 noon", "2017-07-31 03:50:24 c" },
      { 0, 0, 3 },
      0 },
    { "zones differ", { "2017-07-31T03:50:21Z a", "2017-07-31T05:50:24+02:00 b" }, { 0, 3 }, 0 },
};

static void test_the_clock_never_goes_back(void **state)
{
    for (size_t i = 0; i < sizeof(CLOCKS) / sizeof(CLOCKS[0]); i++) {
        const struct clock_case *t = &CLOCKS[i];
        struct stamp_clock c = { 0 };

        for (size_t k = 0; k < 6 && t->lines[k] != NULL; k++) {
            struct stamp s;
            uint64_t at;

            assert_true(stamp_read(&s, slice_str(t->lines[k])));
            at = stamp_clock_read(&c, &s);
            if (at != (uint64_t)(t->want[k] * 1e9))
                fail_msg("%s: line %zu at %llu ns", t->why, k + 1, (unsigned long long)at);
        }
        if (c.steps_back != t->steps)
            fail_msg("%s: %u steps back", t->why, c.steps_back);
    }
    (void)state;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_stamps_are_read),
        cmocka_unit_test(test_pieces_do_no_harm),
        cmocka_unit_test(test_the_clock_never_goes_back),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
