/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/clock.h"
#include "base/clock_edge.h"

#include <stdlib.h>
#include <string.h>

static void rfc3339(void **state)
{
    static const struct {
        const char *why;
        uint64_t ns;
        const char *want;
    } CASES[] = {
        { "the epoch", 0, "1970-01-01T00:00:00.000Z" },
        { "milliseconds are cut, never rounded into the next second", UINT64_C(999999999), "1970-01-01T00:00:00.999Z" },
        { "a leap day", UINT64_C(1709210096789000000), "2024-02-29T12:34:56.789Z" },
        { "the largest value", UINT64_MAX, "2554-07-21T23:34:33.709Z" },
    };
    char out[CLOCK_RFC3339_MAX];

    (void)state;
    setenv("TZ", "Asia/Kolkata", 1); /* UTC wherever we are */
    tzset();
    for (size_t i = 0; i < sizeof(CASES) / sizeof(CASES[0]); i++)
        if (strcmp(clock_format_rfc3339(out, CASES[i].ns), CASES[i].want) != 0)
            fail_msg("%s: %s", CASES[i].why, out);
}

/* Burns CPU until the thread's clock has seen it: bounded by the wall clock, so that a broken clock fails. */
static void cpu_clocks_count_work(void **state)
{
    const uint64_t process = clock_process_cpu_ns();
    const uint64_t thread = clock_thread_cpu_ns();
    const uint64_t begin = clock_now_ns();

    (void)state;
    while (clock_thread_cpu_ns() - thread < 5000000u)
        assert_true(clock_now_ns() - begin < UINT64_C(20000000000));
    assert_true(clock_process_cpu_ns() - process >= 5000000u);
}

static void the_wall_clock_is_ours(void **state)
{
    const uint64_t seconds = clock_wall_ns() / 1000000000u;
    const uint64_t now = (uint64_t)time(NULL);

    (void)state;
    assert_in_range(seconds, now - 5, now + 5);
}

static void moments(void **state)
{
    static const struct {
        const char *why, *text;
        bool good;
        uint64_t ns;
    } CASES[] = {
        { "UTC", "2026-03-01T12:00:30Z", true, UINT64_C(1772366430000000000) },
        { "a zone ahead", "2026-03-01T13:30:30+01:30", true, UINT64_C(1772366430000000000) },
        { "a zone behind, a space, small letters", "2026-03-01 07:00:30-05:00", true, UINT64_C(1772366430000000000) },
        { "any fraction", "2026-03-01t12:00:30.0625z", true, UINT64_C(1772366430062500000) },
        { "beyond ns", "2026-03-01T12:00:30.0000000009Z", true, UINT64_C(1772366430000000000) },
        { "a leap second", "2016-12-31T23:59:60Z", true, UINT64_C(1483228800000000000) },
        { "no zone", "2026-03-01T12:00:30", false, 0 },
        { "a day that no month has", "2026-02-29T12:00:30Z", false, 0 },
        { "no such month", "2026-13-01T12:00:30Z", false, 0 },
        { "an empty fraction", "2026-03-01T12:00:30.Z", false, 0 },
        { "no such zone", "2026-03-01T12:00:30+24:00", false, 0 },
        { "something behind", "2026-03-01T12:00:30Z ", false, 0 },
        { "before 1970", "1969-12-31T23:59:59Z", false, 0 },
        { "cut short", "2026-03-01T12", false, 0 },
        { "nothing", "", false, 0 },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(CASES) / sizeof(CASES[0]); i++) {
        uint64_t ns = 0;

        if (clock_parse_moment(slice_str(CASES[i].text), &ns) != CASES[i].good || (CASES[i].good && ns != CASES[i].ns))
            fail_msg("%s: %s", CASES[i].why, CASES[i].text);
    }
}

static void dates_of_http(void **state)
{
    static const char *const BAD[] = { "",
                                       "Sun, 06 Nov 1994 08:49:37",
                                       "Sun, 06 Nox 1994 08:49:37 GMT",
                                       "Sun, 06 ovD 1994 08:49:37 GMT",
                                       "Sunday, 06-Nov-94 08:49:37 GMT",
                                       "Sun, 06 Nov 1994 08:49:37 CET" };
    uint64_t ns = 0;

    (void)state;
    assert_true(clock_parse_http_date(SLICE("Sun, 06 Nov 1994 08:49:37 GMT"), &ns)); /* of RFC 9110 */
    assert_int_equal(ns, UINT64_C(784111777000000000));
    for (size_t i = 0; i < sizeof(BAD) / sizeof(BAD[0]); i++)
        assert_false(clock_parse_http_date(slice_str(BAD[i]), &ns));
}

/* Another clock is ahead by so much; replies take 1 ms, and are dated after 0.2 ms of it. */
static void the_edge_of_a_second(void **state)
{
    static const int64_t OFFSETS[] = { 0, 1, -1, 3600000000000, -3599999999999, 499999999, 500000000, -123456789 };

    (void)state;
    for (size_t i = 0; i < sizeof(OFFSETS) / sizeof(OFFSETS[0]); i++) {
        struct clock_edge e = { 0 };
        int64_t now = INT64_C(1772366400123456789);

        for (unsigned k = 0; k < 16; k++) {
            assert_true(clock_edge_add(&e, now, now + 1000000, (now + 200000 + OFFSETS[i]) / 1000000000));
            assert_true(e.low_ns <= OFFSETS[i] && OFFSETS[i] <= e.high_ns);
            now = clock_edge_next_ns(&e, now + 1000000, 1000000);
        }
        assert_true(clock_edge_resolution_ns(&e) <= 1000000); /* a second was halved until a round trip was left */
        assert_in_range(clock_edge_offset_ns(&e) - OFFSETS[i] + 1000000, 0, 2000000);
        assert_false(clock_edge_add(&e, now, now + 1000000, now / 1000000000 + 7200)); /* it stepped */
        assert_int_equal(e.replies, 16);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rfc3339), cmocka_unit_test(cpu_clocks_count_work), cmocka_unit_test(the_wall_clock_is_ours),
        cmocka_unit_test(moments), cmocka_unit_test(dates_of_http),         cmocka_unit_test(the_edge_of_a_second),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
