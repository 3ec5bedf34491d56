/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/clock.h"

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rfc3339),
        cmocka_unit_test(cpu_clocks_count_work),
        cmocka_unit_test(the_wall_clock_is_ours),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
