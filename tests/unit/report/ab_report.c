/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/ab_report.h"

#include "alloc_fail.h"

#include <stdlib.h>
#include <string.h>

/* Total times in µs, with no connecting and no waiting. */
static struct ab_times total_of(const uint64_t *us, size_t count)
{
    struct ab_sample samples[16] = { 0 };
    struct ab_statistics s;

    for (size_t i = 0; i < count; i++)
        samples[i].total_us = us[i];
    assert_true(ab_statistics_of(&s, samples, count));
    return s.total;
}

static void rows_of_the_table(void **state)
{
    static const struct {
        const char *why;
        uint64_t us[8];
        size_t count;
        uint64_t min, mean, median, max;
        double sd; /* to 1 µs */
    } CASES[] = {
        { "nothing", { 0 }, 0, 0, 0, 0, 0, 0.0 },
        { "one", { 4600 }, 1, 5, 5, 5, 5, 0.0 },
        { "half up", { 500, 499 }, 2, 0, 0, 1, 1, 0.001 },
        { "two: the upper one is the median", { 1000, 9000 }, 2, 1, 5, 9, 9, 5.657 },
        { "three: the mean of the middle one and the next", { 9000, 1000, 4000 }, 3, 1, 5, 7, 9, 4.041 },
        { "unsorted four", { 4000, 1000, 3000, 2000 }, 4, 1, 3, 3, 4, 1.291 },
        { "five", { 0, 0, 3000, 5000, 7000 }, 5, 0, 3, 4, 7, 3.082 },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(CASES) / sizeof(CASES[0]); i++) {
        const struct ab_times t = total_of(CASES[i].us, CASES[i].count);
        if (t.min_ms != CASES[i].min || t.mean_ms != CASES[i].mean || t.median_ms != CASES[i].median ||
            t.max_ms != CASES[i].max || t.sd_ms > CASES[i].sd + 0.001 || t.sd_ms < CASES[i].sd - 0.001)
            fail_msg("%s: %d %d %f %d %d", CASES[i].why, (int)t.min_ms, (int)t.mean_ms, t.sd_ms, (int)t.median_ms,
                     (int)t.max_ms);
    }
}

static void ranks(void **state)
{
    static const struct {
        const char *why;
        size_t count;
        unsigned percent;
        size_t want;
    } CASES[] = {
        { "one value has all", 1, 50, 0 },
        { "the upper middle", 2, 50, 1 },
        { "floor", 5, 66, 3 },
        { "exact", 5, 80, 4 },
        { "99 of 100 is the last", 100, 99, 99 },
        { "100 %", 100, 100, 99 },
        { "many", 1000000, 50, 500000 },
        { "nothing", 0, 50, 0 },
        { "no overflow", 50000000, 99, 49500000 },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(CASES) / sizeof(CASES[0]); i++)
        if (ab_rank(CASES[i].count, CASES[i].percent) != CASES[i].want)
            fail_msg("%s: %zu", CASES[i].why, ab_rank(CASES[i].count, CASES[i].percent));
}

/* Values of all sizes, against a sort by comparing. */
static void sorting(void **state)
{
    enum { COUNT = 5000 };
    static struct ab_sample samples[COUNT];
    uint64_t x = 88172645463325252u;

    (void)state;
    for (size_t i = 0; i < COUNT; i++) {
        x ^= x << 13; /* xorshift */
        x ^= x >> 7;
        x ^= x << 17;
        samples[i] = (struct ab_sample){ .started_wall_us = i, .total_us = (x >> 32) >> (x % 33) };
    }
    assert_true(ab_sort_by_total(samples, COUNT));
    for (size_t i = 1; i < COUNT; i++) {
        if (samples[i - 1].total_us > samples[i].total_us)
            fail_msg("not sorted at %zu", i);
        if (samples[i - 1].total_us == samples[i].total_us &&
            samples[i - 1].started_wall_us > samples[i].started_wall_us)
            fail_msg("not stable at %zu", i);
    }
    struct ab_statistics s;
    assert_true(ab_statistics_of(&s, samples, COUNT));
    assert_int_equal(s.total.max_ms, ab_round_ms(samples[COUNT - 1].total_us));
    assert_int_equal(s.total.min_ms, ab_round_ms(samples[0].total_us));
    assert_int_equal(s.total.median_ms, ab_round_ms(samples[COUNT / 2].total_us));
    assert_true(ab_sort_by_total(NULL, 0));
}

static struct ab_sample four[4];

static struct ab_report plain(void)
{
    const struct ab_sample samples[4] = {
        { 1000000000000, 1000, 5000, 3000 }, /* 1970-01-12 13:46:40 UTC */
        { 1000000000000, 0, 2000, 1000 },
        { 1000001000000, 0, 3000, 1500 },
        { 1000002000000, 2000, 4400, 2200 },
    };

    memcpy(four, samples, sizeof(four));
    return (struct ab_report){
        .server_software = "nginx/1.22.1 (x)",
        .hostname = "h",
        .port = 8080,
        .path = "/a?b",
        .tls_cipher = "",
        .document_bytes = 1024,
        .concurrency = 2,
        .time_taken_s = 0.5,
        .bytes_received = 5120,
        .body_bytes_received = 4096,
        .bytes_sent = 1024,
        .table_attributes = "",
        .tr_attributes = "",
        .td_attributes = "bgcolor=white",
        .samples = four,
        .count = 4,
    };
}

static void check_text(struct ab_report *r, bool (*render)(struct ab_report *, struct buf *), const char *want)
{
    struct buf out;

    buf_init(&out, 100000);
    assert_true(render(r, &out));
    assert_string_equal(out.data, want);
    buf_release(&out);
}

static void the_plain_report(void **state)
{
    struct ab_report r = plain();

    (void)state;
    check_text(&r, ab_report_text,
               "\n\n"
               "Server Software:        nginx/1.22.1\n"
               "Server Hostname:        h\n"
               "Server Port:            8080\n"
               "\n"
               "Document Path:          /a?b\n"
               "Document Length:        1024 bytes\n"
               "\n"
               "Concurrency Level:      2\n"
               "Time taken for tests:   0.500 seconds\n"
               "Complete requests:      4\n"
               "Failed requests:        0\n"
               "Total transferred:      5120 bytes\n"
               "HTML transferred:       4096 bytes\n"
               "Requests per second:    8.00 [#/sec] (mean)\n"
               "Time per request:       250.000 [ms] (mean)\n"
               "Time per request:       125.000 [ms] (mean, across all concurrent requests)\n"
               "Transfer rate:          10.00 [Kbytes/sec] received\n"
               "\n"
               "Connection Times (ms)\n"
               "              min  mean[+/-sd] median   max\n"
               "Connect:        0    1   1.0      1       2\n"
               "Processing:     2    3   0.9      3       4\n"
               "Waiting:        1    2   0.9      2       3\n"
               "Total:          2    4   1.4      4       5\n"
               "\n"
               "Percentage of the requests served within a certain time (ms)\n"
               "  50%      4\n"
               "  66%      4\n"
               "  75%      5\n"
               "  80%      5\n"
               "  90%      5\n"
               "  95%      5\n"
               "  98%      5\n"
               "  99%      5\n"
               " 100%      5 (longest request)\n");
}

static void everything_else_in_the_report(void **state)
{
    struct ab_report r = plain();

    (void)state;
    r.tls_version = "TLSv1.3";
    r.tls_cipher = "TLS_AES_256_GCM_SHA384";
    r.tls_key_bits = 2048;
    r.tls_cipher_bits = 256;
    r.tls_temp_key = "X25519 253 bits";
    r.tls_sni = "a.test";
    r.variable_length = r.keep_alive = r.sends_body = r.no_confidence = r.no_percentiles = true;
    r.failed_connect = 1;
    r.failed_receive = 2;
    r.failed_length = 3;
    r.failed_exceptions = 4;
    r.write_errors = 5;
    r.non_2xx = 6;
    r.kept_alive = 7;
    check_text(&r, ab_report_text,
               "\n\n"
               "Server Software:        nginx/1.22.1\n"
               "Server Hostname:        h\n"
               "Server Port:            8080\n"
               "SSL/TLS Protocol:       TLSv1.3,TLS_AES_256_GCM_SHA384,2048,256\n"
               "Server Temp Key:        X25519 253 bits\n"
               "TLS Server Name:        a.test\n"
               "\n"
               "Document Path:          /a?b\n"
               "Document Length:        Variable\n"
               "\n"
               "Concurrency Level:      2\n"
               "Time taken for tests:   0.500 seconds\n"
               "Complete requests:      4\n"
               "Failed requests:        10\n"
               "   (Connect: 1, Receive: 2, Length: 3, Exceptions: 4)\n"
               "Write errors:           5\n"
               "Non-2xx responses:      6\n"
               "Keep-Alive requests:    7\n"
               "Total transferred:      5120 bytes\n"
               "Total body sent:        1024\n"
               "HTML transferred:       4096 bytes\n"
               "Requests per second:    8.00 [#/sec] (mean)\n"
               "Time per request:       250.000 [ms] (mean)\n"
               "Time per request:       125.000 [ms] (mean, across all concurrent requests)\n"
               "Transfer rate:          10.00 [Kbytes/sec] received\n"
               "                        2.00 kb/s sent\n"
               "                        12.00 kb/s total\n"
               "\n"
               "Connection Times (ms)\n"
               "              min   avg   max\n"
               "Connect:        0     1    2\n"
               "Processing:     2     3    4\n"
               "Waiting:        1     2    3\n"
               "Total:          2     4    5\n");
}

static void a_report_of_nothing(void **state)
{
    struct ab_report r = plain();
    struct buf out;

    (void)state;
    r.count = 0;
    r.time_taken_s = 0.0;
    r.server_software = "";
    buf_init(&out, 100000);
    assert_true(ab_report_text(&r, &out));
    assert_non_null(strstr(out.data, "Server Software:        \n"));
    assert_null(strstr(out.data, "per second"));
    assert_null(strstr(out.data, "nan"));
    buf_clear(&out);
    assert_true(ab_report_html(&r, &out));
    buf_clear(&out);
    ab_report_csv(&r, &out);
    assert_string_equal(out.data, "Percentage served,Time in ms\n");
    buf_release(&out);
}

/* Mean and median, both rounded to ms, in standard deviations apart. */
static void warnings_about_the_median(void **state)
{
    static const struct {
        const char *why;
        uint64_t us[4];
        const char *want;
    } CASES[] = {
        { "together", { 1000, 1000, 1000, 1000 }, NULL },
        { "rounding alone parts them",
          { 400, 400, 450, 800 },
          "ERROR: The median and mean for the total time are more than twice" },
        { "more than one deviation",
          { 400, 400, 499, 1600 },
          "WARNING: The median and mean for the total time are not within" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(CASES) / sizeof(CASES[0]); i++) {
        struct ab_report r = plain();
        struct buf out;
        for (size_t k = 0; k < 4; k++)
            four[k] = (struct ab_sample){ .total_us = CASES[i].us[k] };
        buf_init(&out, 100000);
        assert_true(ab_report_text(&r, &out));
        const bool any = strstr(out.data, "ERROR:") != NULL || strstr(out.data, "WARNING:") != NULL;
        if (any != (CASES[i].want != NULL) || (CASES[i].want != NULL && strstr(out.data, CASES[i].want) == NULL))
            fail_msg("%s:\n%s", CASES[i].why, out.data);
        r.no_confidence = true;
        buf_clear(&out);
        assert_true(ab_report_text(&r, &out));
        assert_null(strstr(out.data, "ERROR:"));
        buf_release(&out);
    }
}

static void the_html_report(void **state)
{
    struct ab_report r = plain();

    (void)state;
    r.server_software = "<b>&";
    r.table_attributes = "border=1";
    r.failed_length = 1;
    r.failed_receive = 2;
    check_text(
        &r, ab_report_html,
        "\n\n<table border=1>\n"
        "<tr ><th colspan=2 bgcolor=white>Server Software:</th><td colspan=2 bgcolor=white>&lt;b&gt;&amp;</td></tr>\n"
        "<tr ><th colspan=2 bgcolor=white>Server Hostname:</th><td colspan=2 bgcolor=white>h</td></tr>\n"
        "<tr ><th colspan=2 bgcolor=white>Server Port:</th><td colspan=2 bgcolor=white>8080</td></tr>\n"
        "<tr ><th colspan=2 bgcolor=white>Document Path:</th><td colspan=2 bgcolor=white>/a?b</td></tr>\n"
        "<tr ><th colspan=2 bgcolor=white>Document Length:</th><td colspan=2 bgcolor=white>1024 bytes</td></tr>\n"
        "<tr ><th colspan=2 bgcolor=white>Concurrency Level:</th><td colspan=2 bgcolor=white>2</td></tr>\n"
        "<tr ><th colspan=2 bgcolor=white>Time taken for tests:</th><td colspan=2 bgcolor=white>0.500 "
        "seconds</td></tr>\n"
        "<tr ><th colspan=2 bgcolor=white>Complete requests:</th><td colspan=2 bgcolor=white>4</td></tr>\n"
        "<tr ><th colspan=2 bgcolor=white>Failed requests:</th><td colspan=2 bgcolor=white>3</td></tr>\n"
        "<tr ><td colspan=4 bgcolor=white >   (Connect: 0, Length: 1, Exceptions: 2)</td></tr>\n"
        "<tr ><th colspan=2 bgcolor=white>Total transferred:</th><td colspan=2 bgcolor=white>5120 bytes</td></tr>\n"
        "<tr ><th colspan=2 bgcolor=white>HTML transferred:</th><td colspan=2 bgcolor=white>4096 bytes</td></tr>\n"
        "<tr ><th colspan=2 bgcolor=white>Requests per second:</th><td colspan=2 bgcolor=white>8.00</td></tr>\n"
        "<tr ><th colspan=2 bgcolor=white>Transfer rate:</th><td colspan=2 bgcolor=white>10.00 kb/s "
        "received</td></tr>\n"
        "<tr ><th bgcolor=white colspan=4>Connection Times (ms)</th></tr>\n"
        "<tr ><th bgcolor=white>&nbsp;</th> <th bgcolor=white>min</th>   <th bgcolor=white>avg</th>   <th "
        "bgcolor=white>max</th></tr>\n"
        "<tr ><th bgcolor=white>Connect:</th><td bgcolor=white>    0</td><td bgcolor=white>    1</td><td "
        "bgcolor=white>    2</td></tr>\n"
        "<tr ><th bgcolor=white>Processing:</th><td bgcolor=white>    2</td><td bgcolor=white>    3</td><td "
        "bgcolor=white>    3</td></tr>\n"
        "<tr ><th bgcolor=white>Total:</th><td bgcolor=white>    2</td><td bgcolor=white>    4</td><td bgcolor=white>  "
        "  5</td></tr>\n"
        "</table>\n");
}

static void the_csv_file(void **state)
{
    struct ab_report r = plain();
    struct buf out;

    (void)state;
    assert_true(ab_sort_by_total(r.samples, r.count));
    buf_init(&out, 100000);
    ab_report_csv(&r, &out);
    assert_true(slice_starts(buf_slice(&out), SLICE("Percentage served,Time in ms\n0,2.000\n1,2.000\n")));
    assert_non_null(strstr(out.data, "\n12,2.000\n13,3.000\n")); /* 0.5 + 4 * 13 % = 1.02 */
    assert_non_null(strstr(out.data, "\n62,4.400\n63,5.000\n"));
    assert_non_null(strstr(out.data, "\n99,5.000\n100,5.000\n"));
    buf_release(&out);
}

static void the_gnuplot_file(void **state)
{
    struct ab_report r = plain();
    struct buf out;

    (void)state;
    setenv("TZ", "UTC", 1);
    assert_true(ab_sort_by_total(r.samples, r.count));
    buf_init(&out, 100000);
    ab_report_gnuplot(&r, &out);
    assert_string_equal(out.data, "starttime\tseconds\tctime\tdtime\tttime\twait\n"
                                  "Mon Jan 12 13:46:40 1970\t1000000\t0\t2\t2\t1\n"
                                  "Mon Jan 12 13:46:41 1970\t1000001\t0\t3\t3\t2\n"
                                  "Mon Jan 12 13:46:42 1970\t1000002\t2\t2\t4\t2\n"
                                  "Mon Jan 12 13:46:40 1970\t1000000\t1\t4\t5\t3\n");
    buf_release(&out);
}

static void out_of_memory(void **state)
{
    bool (*const renderers[])(struct ab_report *, struct buf *) = { ab_report_text, ab_report_html };

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        bool refused = true;
        for (unsigned nth = 1; refused; nth++) {
            struct ab_report r = plain();
            struct buf out;
            buf_init(&out, 100000);
            alloc_fail_at(nth);
            const bool ok = renderers[i](&r, &out);
            refused = alloc_fail_end();
            assert_int_equal(ok, !refused);
            buf_release(&out);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_of_the_table),
        cmocka_unit_test(ranks),
        cmocka_unit_test(sorting),
        cmocka_unit_test(the_plain_report),
        cmocka_unit_test(everything_else_in_the_report),
        cmocka_unit_test(a_report_of_nothing),
        cmocka_unit_test(warnings_about_the_median),
        cmocka_unit_test(the_html_report),
        cmocka_unit_test(the_csv_file),
        cmocka_unit_test(the_gnuplot_file),
        cmocka_unit_test(out_of_memory),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
