/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What wrk, wrk2, h2load and hey print, and the rows of ab -e, ab -g and hey: real ones, cut ones, wrong ones. */
#include "import/import.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "imports.h"

static void test_wrk(void **state)
{
    struct imported in;
    const struct result *r = import_one_file(&in, "tools/wrk-latency.txt", IMPORT_WRK);

    (void)state;
    has_config(r, "tool", "\"wrk\"");
    has_config(r, "threads", "2");
    has_config(r, "connections", "4");
    has_total(r, TOTAL_STARTED, 24470);
    has_total(r, TOTAL_OK, 24470);
    has_total(r, TOTAL_FAILED, 0);
    has_no_total(r, TOTAL_BYTES_RECEIVED); /* 12.60MB is rounded */
    has_metric(r, "bytes_received", 12.60 * 1048576, "B");
    has_metric(r, "latency_mean", 0.0009, "s");
    has_metric(r, "latency_max", 0.02037, "s");
    has_metric(r, "latency_p50", 0.000112, "s");
    has_metric(r, "latency_p99", 0.00994, "s");
    has_no_metric(r, "latency_min");
    has_no_metric(r, "service_time_mean");
    assert_true(r->totals.requests_per_s == 22256.89 && r->duration_s == 1.1);
    assert_string_equal(r->targets[0].url, "http://127.0.0.1:8080/a.txt");
    imported_release(&in);

    r = import_one_file(&in, "tools/wrk-404.txt", IMPORT_WRK);
    has_total(r, TOTAL_FAILED, 7699);
    has_total(r, TOTAL_OK, 0);
    has_seen(r, "replies that are not 2xx or 3xx", 7699);
    has_no_metric(r, "latency_p99"); /* without --latency */
    imported_release(&in);

    /* No reply came: what wrk prints as 0.00us is no latency. */
    r = import_one_file(&in, "tools/wrk-nothing.txt", IMPORT_WRK);
    has_total(r, TOTAL_STARTED, 0);
    has_no_metric(r, "latency_mean");
    has_no_metric(r, "latency_p50");
    assert_true(totals_has(&r->totals, TOTAL_REQUESTS_PER_S) && r->totals.requests_per_s == 0);
    imported_release(&in);
}

/* As wrk2 -L -U prints it: the corrected latency, then the one from the moment of sending. */
static const char WRK2[] =
    "Running 10s test @ http://127.0.0.1:8080/index.html\n"
    "  2 threads and 100 connections\n"
    "  Thread calibration: mean lat.: 9747 usec, rate sampling interval: 21 msec\n"
    "  Thread Stats   Avg      Stdev     Max   +/- Stdev\n"
    "    Latency     6.16ms    3.46ms  12.34s    61.55%\n"
    "    Req/Sec     1.09k   227.38     1.33k    65.53%\n"
    "  Latency Distribution (HdrHistogram - Recorded Latency)\n"
    " 50.000%    6.67ms\n"
    " 99.000%   11.99ms\n"
    " 99.999%    1.20m \n"
    "100.000%    1.30m \n"
    "\n"
    "  Detailed Percentile spectrum:\n"
    "       Value   Percentile   TotalCount 1/(1-Percentile)\n"
    "\n"
    "       0.921     0.000000            1         1.00\n"
    "      12.343     1.000000        19773          inf\n"
    "#[Mean    =        6.161, StdDeviation   =        3.463]\n"
    "#[Max     =    78000.123, Total count    =        19773]\n"
    "#[Buckets =           27, SubBuckets     =         2048]\n"
    "----------------------------------------------------------\n"
    "\n"
    "  Latency Distribution (HdrHistogram - Uncorrected Latency (measured without taking delayed "
    "starts into account))\n"
    " 50.000%    1.10ms\n"
    " 99.000%    2.20ms\n"
    "100.000%    3.30ms\n"
    "\n"
    "  Socket errors: connect 0, read 5, write 0, timeout 17\n"
    "  22058 requests in 10.00s, 18.98MB read\n"
    "Requests/sec:   2205.80\n"
    "Transfer/sec:      1.90MB\n";

static void test_wrk2(void **state)
{
    struct imported in;
    const struct result *r = import_one(&in, WRK2, IMPORT_WRK);

    (void)state;
    has_config(r, "tool", "\"wrk2\"");
    has_metric(r, "latency_p50", 0.00667, "s");
    has_metric(r, "latency_p99999", 72, "s");
    has_metric(r, "latency_mean", 0.006161, "s");
    has_metric(r, "latency_max", 78.000123, "s");
    has_metric(r, "service_time_p50", 0.0011, "s");
    has_metric(r, "service_time_max", 0.0033, "s");
    has_seen(r, "socket error read", 5);
    has_seen(r, "socket error timeout", 17);
    has_seen(r, "socket error connect", 0);
    imported_release(&in);
}

static void test_h2load(void **state)
{
    struct imported in;
    const struct result *r = import_one_file(&in, "tools/h2load.txt", IMPORT_H2LOAD);

    (void)state;
    has_config(r, "connections", "4");
    has_config(r, "http_version", "\"http/1.1\"");
    has_total(r, TOTAL_STARTED, 1000);
    has_total(r, TOTAL_UNFINISHED, 0);
    has_total(r, TOTAL_BYTES_RECEIVED, 540000);
    has_total(r, TOTAL_BODY_BYTES_RECEIVED, 300000);
    has_seen(r, "status 2xx", 1000);
    has_seen(r, "status 4xx", 0);
    has_metric(r, "latency_min", 0.000063, "s");
    has_metric(r, "latency_max", 0.00362, "s");
    has_metric(r, "latency_mean", 0.000249, "s");
    has_metric(r, "first_byte_mean", 0.00146, "s");
    has_no_metric(r, "latency_p99");
    assert_true(r->duration_s == 0.03889 && r->totals.requests_per_s == 25714.21);
    imported_release(&in);

    r = import_one_file(&in, "tools/h2load-404.txt", IMPORT_H2LOAD);
    has_total(r, TOTAL_FAILED, 100);
    has_seen(r, "status 4xx", 100);
    imported_release(&in);

    r = import_one_file(&in, "tools/h2load-duration.txt", IMPORT_H2LOAD);
    has_total(r, TOTAL_UNFINISHED, 2);
    imported_release(&in);

    /* Nobody there: ten have failed, none was done. */
    r = import_one_file(&in, "tools/h2load-refused.txt", IMPORT_H2LOAD);
    has_total(r, TOTAL_FAILED, 10);
    has_total(r, TOTAL_OK, 0);
    has_no_total(r, TOTAL_UNFINISHED);
    has_seen(r, "errored requests", 10);
    has_no_metric(r, "latency_mean");
    imported_release(&in);
}

/* Later versions have other columns. */
static void test_h2load_columns(void **state)
{
    static const char TEXT[] =
        "starting benchmark...\n"
        "finished in 1.00s, 100.00 req/s, 13.24MB/s\n"
        "requests: 100 total, 100 started, 100 done, 100 succeeded, 0 failed, 0 errored, 0 timeout\n"
        "status codes: 100 2xx, 0 3xx, 0 4xx, 0 5xx\n"
        "                     min         max      median         p95         p99        mean "
        "        sd        +/- sd\n"
        "request     :       63us      3.62ms       200us       300us      2.10ms       249us "
        "      262us    97.00%\n"
        "req/s           :    6961.85     8615.69     7967.39 1 1 1 706.56    75.00%\n";
    struct imported in;
    const struct result *r = import_one(&in, TEXT, IMPORT_H2LOAD);

    (void)state;
    has_metric(r, "latency_p50", 0.0002, "s");
    has_metric(r, "latency_p95", 0.0003, "s");
    has_metric(r, "latency_p99", 0.0021, "s");
    has_metric(r, "latency_mean", 0.000249, "s");
    has_metric(r, "latency_stddev", 0.000262, "s");
    imported_release(&in);
}

static void test_hey(void **state)
{
    struct imported in;
    const struct result *r = import_one_file(&in, "tools/hey.txt", IMPORT_HEY);

    (void)state;
    has_total(r, TOTAL_STARTED, 400);
    has_total(r, TOTAL_OK, 400);
    has_total(r, TOTAL_BODY_BYTES_RECEIVED, 120000);
    assert_int_equal(r->status[200], 400);
    has_metric(r, "latency_p99", 0.0052, "s");
    has_metric(r, "latency_max", 0.0062, "s");
    has_metric(r, "wait_max", 0.006, "s");
    imported_release(&in);

    /* 40 requests are too few for a p99, which hey prints as "0% in 0.0000 secs". */
    r = import_one_file(&in, "tools/hey-404.txt", IMPORT_HEY);
    has_total(r, TOTAL_FAILED, 40);
    has_metric(r, "latency_p95", 0.0017, "s");
    has_no_metric(r, "latency_p99");
    has_no_metric(r, "latency_p0");
    imported_release(&in);

    r = import_one_file(&in, "tools/hey-refused.txt", IMPORT_HEY);
    has_total(r, TOTAL_STARTED, 20);
    has_total(r, TOTAL_OK, 0);
    has_no_metric(r, "latency_mean"); /* NaN */
    has_no_metric(r, "latency_max");  /* 0.0000 of nothing */
    has_seen(r, "error: dial tcp 127.0.0.1:1: connect: connection refused", 20);
    imported_release(&in);
}

static void test_rows(void **state)
{
    struct imported in;
    const struct result *r = import_one_file(&in, "tools/ab-e.csv", IMPORT_AB_E);

    (void)state;
    has_metric(r, "latency_min", 0.000096, "s");
    has_metric(r, "latency_p98", 0.001507, "s");
    has_metric(r, "latency_max", 0.00785, "s");
    has_no_total(r, TOTAL_STARTED);
    assert_false(totals_has(&r->totals, TOTAL_REQUESTS_PER_S));
    imported_release(&in);

    r = import_one_file(&in, "tools/ab-g.tsv", IMPORT_AB_G);
    has_total(r, TOTAL_STARTED, 39);
    has_no_total(r, TOTAL_OK);
    assert_int_equal(hist_count(r->latency), 39);
    assert_string_equal(r->started, "2026-11-30T18:36:25.000Z");
    imported_release(&in);

    r = import_one_file(&in, "tools/hey.csv", IMPORT_HEY_CSV);
    has_total(r, TOTAL_STARTED, 59);
    has_total(r, TOTAL_OK, 59);
    has_no_total(r, TOTAL_FAILED);
    assert_int_equal(hist_max_ns(r->latency) % 100000, 0);
    assert_int_equal(hist_count(r->by_class[CLASS_2XX]), 59);
    imported_release(&in);
}

static char *file(const char *name)
{
    struct buf text;
    struct err err = { 0 };
    char path[4096], *copy;

    snprintf(path, sizeof(path), "%s/%s", DATA_DIR, name);
    buf_init(&text, 1 << 20);
    if (file_read(path, &text, &err) != 0)
        fail_msg("%s", err.what);
    copy = buf_detach(&text);
    buf_release(&text);
    return copy;
}

/* A report that ends anywhere before its last figure is refused: what it would lack, nobody would miss. */
static void test_cut_off(void **state)
{
    static const struct {
        const char *name;
        enum import_format format;
        unsigned lines; /* with which it is whole */
    } FILES[] = {
        { "tools/wrk-latency.txt", IMPORT_WRK, 12 },
        { "tools/h2load.txt", IMPORT_H2LOAD, 23 },
        { "tools/hey.txt", IMPORT_HEY, 43 },
        { "tools/ab-e.csv", IMPORT_AB_E, 102 },
        { "router/tables.txt", IMPORT_TOUCHSTONE, 10 },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(FILES) / sizeof(FILES[0]); i++) {
        char *text = file(FILES[i].name);

        for (unsigned lines = 0; lines <= FILES[i].lines; lines++) {
            struct imported in = { 0 };
            struct err err = { 0 };
            char *cut = first_lines(text, lines);
            const int failed = import_text(&in, "cut", slice_str(cut), FILES[i].format, NULL, &err);

            if ((failed == 0) != (lines == FILES[i].lines))
                fail_msg("%s, %u lines: %s", FILES[i].name, lines, failed == 0 ? "was taken" : err.what);
            imported_release(&in);
            free(cut);
        }
        free(text);
    }
}

static const struct {
    const char *why, *text;
    enum import_format format;
    const char *said;
} WRONG[] = {
    { "another rate", "Running 1s test @ http://h/\n 100 requests in 1.00s, 1MB read\nRequests/sec: 900.00\n",
      IMPORT_WRK, "requests/s, but" },
    { "percentiles fall",
      "Running 1s test @ http://h/\n Latency Distribution\n 50% 2ms\n 75% 1ms\n 100 requests in 1.00s, 1MB read\n"
      "Requests/sec: 100.00\n",
      IMPORT_WRK, "one.txt:4: the percentiles do not rise" },
    { "more failures than requests",
      "Running 1s test @ http://h/\n 100 requests in 1.00s, 1MB read\n Non-2xx or 3xx responses: 101\nRequests/sec: "
      "100.00\n",
      IMPORT_WRK, "more replies" },
    { "h2load's sum",
      "starting benchmark...\nrequests: 10 total, 10 started, 10 done, 8 succeeded, 1 failed, 0 errored, 0 timeout\n",
      IMPORT_H2LOAD, "one.txt:2: 10 requests done" },
    { "percents leave one out", "Percentage served,Time in ms\n0,0.1\n2,0.2\n", IMPORT_AB_E, "one.txt:3" },
    { "a time that falls", "Percentage served,Time in ms\n0,0.2\n1,0.1\n", IMPORT_AB_E, "one.txt:3" },
    { "a total that is none", "starttime\tseconds\tctime\tdtime\tttime\twait\nMon\t1796063785\t1\t2\t9\t1\n",
      IMPORT_AB_G, "one.txt:2: the total" },
    { "a row cut off", "starttime\tseconds\tctime\tdtime\tttime\twait\nMon\t1796063785\t1\t2", IMPORT_AB_G,
      "one.txt:2: not a row" },
    { "hey's statuses are cut off",
      "Summary:\n  Total: 1.0000 secs\n  Slowest: 0.1 secs\n  Requests/sec: 400.0000\nStatus code distribution:\n"
      "  [200] 300 responses\n",
      IMPORT_HEY, "400 requests, but 300" },
    { "hey's row",
      "response-time,DNS+dialup,DNS,Request-write,Response-delay,Response-read,status-code,offset\n1,2,3\n",
      IMPORT_HEY_CSV, "one.txt:2: not a row" },
};

static void test_contradictions(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(WRONG) / sizeof(WRONG[0]); i++)
        import_refused(WRONG[i].why, WRONG[i].text, WRONG[i].format, WRONG[i].said);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_wrk),     cmocka_unit_test(test_wrk2),
        cmocka_unit_test(test_h2load),  cmocka_unit_test(test_h2load_columns),
        cmocka_unit_test(test_hey),     cmocka_unit_test(test_rows),
        cmocka_unit_test(test_cut_off), cmocka_unit_test(test_contradictions),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
