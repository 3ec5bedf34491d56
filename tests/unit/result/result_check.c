/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Each identity of a result: holds in the samples, and is missed when one figure is changed. */
#include "result/result.h"

#include <string.h>

#include "sample.h"

static void more_started(struct result *r)
{
    r->totals.started++;
}

static void more_sent(struct result *r)
{
    r->totals.sent = r->totals.started + 1;
}

static void fewer_errors(struct result *r)
{
    r->errors[0].count--;
}

static void kinds_of_a_second(struct result *r)
{
    r->intervals[0].by_kind[FAIL_RESET] = 1;
}

static void a_second_lost(struct result *r)
{
    r->intervals[0].started -= 1;
}

static void more_latencies(struct result *r)
{
    hist_record(r->latency, 1000);
}

static void overflow_counted_twice(struct result *r)
{
    hist_record(r->latency, HIST_MAX_NS + 1);
}

static void percentile_above_max(struct result *r)
{
    r->latency->_max_ns = 1; /* every percentile is clamped to it */
}

static void status_without_latency(struct result *r)
{
    r->status[200]++;
}

static void class_without_status(struct result *r)
{
    hist_record(r->by_class[CLASS_5XX], 1000);
}

static void error_without_failure(struct result *r)
{
    hist_record(r->by_class[CLASS_ERROR], 1000);
}

static void target_started(struct result *r)
{
    r->targets[1].totals.started++;
}

static void target_errors(struct result *r)
{
    r->targets[0].errors[1].count++;
}

static void target_latency(struct result *r)
{
    hist_record(r->targets[1].latency, 1000);
}

static void target_sum(struct result *r)
{
    r->targets[1].totals.started++;
    r->targets[1].totals.unfinished++;
}

static void rate_not_counted(struct result *r)
{
    r->totals.requests_per_s *= 1.001;
}

static void rate_not_a_number(struct result *r)
{
    r->totals.requests_per_s = 0.0 / 0.0;
}

static void window_beyond_all(struct result *r)
{
    r->totals.ok_in_window = r->totals.ok + 1;
    r->totals.requests_per_s = (double)r->totals.ok_in_window / r->duration_s;
}

static void little_too_high(struct result *r)
{
    r->totals.in_flight_mean = 2.6; /* the times say 1.5 */
}

static void little_too_low(struct result *r)
{
    r->totals.in_flight_mean = 0.4;
}

static void little_one_percent(struct result *r)
{
    r->totals.in_flight_mean = 1000;
    r->totals.in_window_s = 1011 * r->duration_s;
}

static void little_not_a_number(struct result *r)
{
    r->totals.in_flight_mean = 0.0 / 0.0;
}

static const struct broken_case {
    const char *why;
    void (*change)(struct result *r);
    const char *says; /* part of the reason */
} BROKEN[] = {
    { "a started request must end somehow", more_started, "total: 102 started, but ok + failed + unfinished = 101" },
    { "nothing is sent that was not started", more_sent, "sent, but only" },
    { "each failure has a cause", fewer_errors, "8 failed, but the errors add up to 7" },
    { "each failure of a second has its kind", kinds_of_a_second, "second 1: 8 failed, but their kinds add up to 9" },
    { "a latency per ok request", more_latencies, "92 ok, but 93 latencies" },
    { "overflowing latencies belong to ok requests too", overflow_counted_twice, "92 ok, but 93 latencies" },
    { "min <= p <= max", percentile_above_max, "latency: p50 is 1 ns, outside 1000000" },
    { "statuses against their class", status_without_latency, "91 replies with status 2xx, but 90 latencies" },
    { "a class against its statuses", class_without_status, "4 replies with status 5xx, but 5 latencies" },
    { "failures without a status", error_without_failure,
      "100 ended, but statuses and failures without one add up to 101" },
    { "conservation per target", target_started, "https://b.test/two: 31 started" },
    { "errors per target", target_errors, "https://a.test/one?token=***: 8 failed" },
    { "latencies per target", target_latency, "https://b.test/two: 30 ok, but 31 latencies" },
    { "intervals add up to the total", a_second_lost, "101 started in all, but 100 over the intervals" },
    { "targets add up to the total", target_sum, "101 started in all, but 102 over the targets" },
    { "throughput is ok in the window by its length", rate_not_counted, "18.018 requests/s, but 90 ok in 5.000 s" },
    { "no NaN in the throughput", rate_not_a_number, "requests/s" },
    { "the window holds at most all", window_beyond_all, "93 ok inside the window, but 92 ok in all" },
    { "Little's law, too many in flight", little_too_high, "Little's law: 2.600 requests in flight" },
    { "Little's law, too few in flight", little_too_low, "Little's law: 0.400 requests in flight" },
    { "Little's law, 1.1 % of many", little_one_percent, "add up to 1011.000" },
    { "no NaN in the mean", little_not_a_number, "Little's law" },
};

static bool says(const struct strlist *list, const char *part)
{
    for (size_t i = 0; i < list->count; i++)
        if (strstr(list->items[i], part) != NULL)
            return true;
    return false;
}

static void test_each_broken_identity_is_named(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(BROKEN) / sizeof(BROKEN[0]); i++) {
        struct result *r = sample_full();

        BROKEN[i].change(r);
        if (result_check(r))
            fail_msg("not noticed: %s", BROKEN[i].why);
        if (!says(&r->reasons, BROKEN[i].says))
            fail_msg("%s: no reason says \"%s\" but \"%s\"", BROKEN[i].why, BROKEN[i].says, r->reasons.items[0]);
        assert_false(r->valid);
        result_free(r);
    }
}

static void check_whole(struct result *r)
{
    if (!result_check(r))
        fail_msg("%s", r->reasons.items[0]);
    assert_int_equal(r->reasons.count, 0);
    assert_true(r->valid);
    result_free(r);
}

static void test_whole_results_pass(void **state)
{
    (void)state;
    check_whole(sample_empty());
    check_whole(sample_plain());
    check_whole(sample_full());
    check_whole(sample_many(30, 7));
}

/* The law allows one request, or 1 %, whichever is more. */
static void test_little_tolerance(void **state)
{
    (void)state;
    static const struct {
        const char *why;
        double mean, in_window_s;
        bool ok;
    } CASES[] = {
        { "one request off", 3, 4 * 5, true },
        { "more than one off", 3, 4.01 * 5, false },
        { "1 % of a thousand", 1000, 1009.9 * 5, true },
        { "nothing at all", 0, 0, true },
    };

    for (size_t i = 0; i < sizeof(CASES) / sizeof(CASES[0]); i++) {
        struct result *r = sample_full();

        r->totals.in_flight_mean = CASES[i].mean;
        r->totals.in_window_s = CASES[i].in_window_s;
        if (result_check(r) != CASES[i].ok)
            fail_msg("%s", CASES[i].why);
        result_free(r);
    }
}

/* A status outside 100 … 599 is counted, but its latency is in the class "error". */
static void test_strange_status_is_an_error(void **state)
{
    (void)state;
    struct result *r = sample_full();

    r->status[799] = 2;
    assert_true(result_check(r));
    result_free(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_broken_identity_is_named),
        cmocka_unit_test(test_whole_results_pass),
        cmocka_unit_test(test_little_tolerance),
        cmocka_unit_test(test_strange_status_is_an_error),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
