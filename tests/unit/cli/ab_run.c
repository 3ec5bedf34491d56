/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/ab_run.h"

#define US UINT64_C(1000)
#define T0 UINT64_C(5000000000) /* ns; any moment */

/* A request on a connection of its own: 1 ms to connect, 2 ms more for TLS, waits 4 ms, receives for 5 ms. */
static struct load_record opened(void)
{
    return (struct load_record){
        .due_ns = T0,
        .connect_start_ns = T0 + 10 * US,
        .connected_ns = T0 + 1010 * US,
        .tls_done_ns = T0 + 3010 * US,
        .sent_first_ns = T0 + 3020 * US,
        .sent_last_ns = T0 + 3030 * US,
        .reply_first_ns = T0 + 7030 * US,
        .end_ns = T0 + 12030 * US,
        .status = 200,
        .fail = LOAD_OK,
    };
}

static volatile int stop;

static void start(struct ab_run *run, struct ab_options *o)
{
    *o = (struct ab_options){ .requests = 100, .quiet = true };
    stop = 0;
    ab_run_init(run, o, &stop);
}

static void times_of_a_request(void **state)
{
    struct ab_options o;
    struct ab_run run;
    struct load_record r = opened();

    (void)state;
    start(&run, &o);
    ab_run_take_records(&run, &r, 1);
    assert_int_equal(run.samples[0].connect_us, 3000);
    assert_int_equal(run.samples[0].wait_us, 4000);
    assert_int_equal(run.samples[0].total_us, 3000 + 9010);
    r.flags = LOAD_REUSED | LOAD_KEPT_ALIVE; /* the connection's times are its first request's */
    ab_run_take_records(&run, &r, 1);
    assert_int_equal(run.samples[1].connect_us, 0);
    assert_int_equal(run.samples[1].total_us, 9010);
    assert_int_equal(run.kept_alive, 1);
    ab_run_release(&run);
}

/* A connection of the ramp waits for the window: that is not the request's time. */
static void waiting_for_the_window_is_left_out(void **state)
{
    struct ab_options o;
    struct ab_run run;
    struct load_record r = opened();

    (void)state;
    start(&run, &o);
    r.due_ns += 500000 * US;
    r.sent_first_ns += 500000 * US;
    r.sent_last_ns += 500000 * US;
    r.reply_first_ns += 500000 * US;
    r.end_ns += 500000 * US;
    ab_run_take_records(&run, &r, 1);
    assert_int_equal(run.samples[0].total_us, 3000 + 9010);
    ab_run_release(&run);
}

static void a_connection_that_failed_took_time(void **state)
{
    struct ab_options o;
    struct ab_run run;
    const struct load_record r = {
        .due_ns = T0, .connect_start_ns = T0, .end_ns = T0 + 700 * US, .fail = FAIL_CONNECT_REFUSED
    };

    (void)state;
    start(&run, &o);
    o.keep_going = true;
    ab_run_take_records(&run, &r, 1);
    assert_int_equal(run.count, 1);
    assert_int_equal(run.samples[0].connect_us, 0);
    assert_int_equal(run.samples[0].total_us, 700);
    assert_int_equal(run.failed_connect, 1);
    ab_run_release(&run);
}

static void failures_by_heading(void **state)
{
    static const struct {
        enum fail_kind kind;
        unsigned connect, receive, length, exceptions;
        bool fatal; /* without -r */
    } CASES[] = {
        { FAIL_DNS, 1, 0, 0, 0, true },
        { FAIL_CONNECT_REFUSED, 1, 0, 0, 0, true },
        { FAIL_CONNECT_TIMEOUT, 1, 0, 0, 0, true },
        { FAIL_CONNECT_UNREACHABLE, 1, 0, 0, 0, true },
        { FAIL_PORTS_EXHAUSTED, 1, 0, 0, 0, true },
        { FAIL_FILES_EXHAUSTED, 1, 0, 0, 0, true },
        { FAIL_RESET, 0, 1, 0, 0, true },
        { FAIL_TIMEOUT, 0, 1, 0, 0, true },
        { FAIL_CLOSED_EARLY, 0, 0, 1, 0, false },
        { FAIL_TRUNCATED, 0, 0, 1, 0, false },
        { FAIL_BODY, 0, 0, 1, 0, false },
        { FAIL_TLS, 0, 0, 0, 1, false },
        { FAIL_BAD_MESSAGE, 0, 0, 0, 1, false },
        { FAIL_HEADER_TOO_LARGE, 0, 0, 0, 1, false },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(CASES) / sizeof(CASES[0]); i++) {
        struct ab_options o;
        struct ab_run run;
        struct load_record r = opened();
        r.fail = (uint8_t)CASES[i].kind;
        start(&run, &o);
        o.keep_going = true;
        ab_run_take_records(&run, &r, 1);
        if (run.failed_connect != CASES[i].connect || run.failed_receive != CASES[i].receive ||
            run.failed_length != CASES[i].length || run.failed_exceptions != CASES[i].exceptions || stop != 0)
            fail_msg("%s with -r", fail_kind_text(CASES[i].kind));
        ab_run_release(&run);
        start(&run, &o);
        ab_run_take_records(&run, &r, 1);
        if ((run.fatal >= 0) != CASES[i].fatal || (stop == 2) != CASES[i].fatal)
            fail_msg("%s without -r", fail_kind_text(CASES[i].kind));
        ab_run_release(&run);
    }
}

static void what_does_not_count(void **state)
{
    struct ab_options o;
    struct ab_run run;
    struct load_record r[3] = { opened(), opened(), opened() };

    (void)state;
    start(&run, &o);
    r[0].flags = LOAD_UNFINISHED;
    r[1].flags = LOAD_WARMUP;
    r[2].status = 404;
    ab_run_take_records(&run, r, 3);
    assert_int_equal(run.count, 1);
    assert_int_equal(run.non_2xx, 1);
    ab_run_release(&run);
}

static void nothing_counts_behind_a_socket_error(void **state)
{
    struct ab_options o;
    struct ab_run run;
    struct load_record r[3] = { opened(), opened(), opened() };

    (void)state;
    start(&run, &o);
    r[1].fail = FAIL_RESET;
    ab_run_take_records(&run, r, 3);
    assert_int_equal(run.count, 1);
    assert_int_equal(run.fatal, FAIL_RESET);
    ab_run_release(&run);
}

static void a_request_that_could_not_be_sent(void **state)
{
    struct ab_options o;
    struct ab_run run;
    struct load_record r = opened();

    (void)state;
    start(&run, &o);
    o.keep_going = true;
    r.sent_last_ns = r.reply_first_ns = 0;
    r.fail = FAIL_RESET;
    ab_run_take_records(&run, &r, 1);
    assert_int_equal(run.write_errors, 1);
    assert_int_equal(run.samples[0].wait_us, 0);
    ab_run_release(&run);
}

static void progress_lines(void **state)
{
    static const struct {
        const char *why;
        uint64_t requests;
        bool quiet, want;
    } CASES[] = {
        { "150 are few", 150, false, false },
        { "151 are many", 151, false, true },
        { "-q", 100000, true, false },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(CASES) / sizeof(CASES[0]); i++) {
        struct ab_options o = { .requests = CASES[i].requests, .quiet = CASES[i].quiet };
        struct ab_run run;
        ab_run_init(&run, &o, &stop);
        if (ab_run_has_heartbeat(&run) != CASES[i].want)
            fail_msg("%s", CASES[i].why);
        ab_run_release(&run);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(times_of_a_request),
        cmocka_unit_test(waiting_for_the_window_is_left_out),
        cmocka_unit_test(a_connection_that_failed_took_time),
        cmocka_unit_test(failures_by_heading),
        cmocka_unit_test(what_does_not_count),
        cmocka_unit_test(nothing_counts_behind_a_socket_error),
        cmocka_unit_test(a_request_that_could_not_be_sent),
        cmocka_unit_test(progress_lines),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
