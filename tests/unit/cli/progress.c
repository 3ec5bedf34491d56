/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/progress.h"

static const struct load_progress BY_TIME = {
    .elapsed_s = 12.4,
    .planned_s = 30,
    .done = 148000,
    .stage = "measuring",
    .requests_per_s = 12345.6,
    .p50_ns = 789000,
    .p99_ns = 4560000,
    .failed = 1234,
    .in_flight = 50,
};

static void test_line_by_time(void **state)
{
    struct buf line;

    buf_init(&line, 1024);
    progress_line(&line, &BY_TIME);
    assert_string_equal(line.data, "12 of 30 s  measuring  12.3 k requests/s  p50 789 us  p99 4.56 ms  1,234 failed");
    buf_release(&line);
}

static void test_line_by_count(void **state)
{
    const struct load_progress now = { .elapsed_s = 1.0, .done = 50, .planned = 1000, .stage = "connecting" };
    struct buf line;

    buf_init(&line, 1024);
    progress_line(&line, &now);
    assert_string_equal(line.data, "50 of 1,000 requests  1 s  connecting  0 requests/s  0 failed");
    buf_release(&line);
}

static void test_json(void **state)
{
    struct buf line;

    buf_init(&line, 1024);
    progress_json(&line, &BY_TIME, NULL);
    assert_string_equal(line.data,
                        "{\"elapsed_s\": 12.400, \"stage\": \"measuring\", \"done\": 148000, \"planned_s\": 30.000, "
                        "\"requests_per_s\": 12345.600, \"p50\": 0.000789000, \"p99\": 0.004560000, \"failed\": 1234, "
                        "\"in_flight\": 50}");
    buf_release(&line);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_line_by_time),
        cmocka_unit_test(test_line_by_count),
        cmocka_unit_test(test_json),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
