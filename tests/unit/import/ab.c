/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ab's report: all ten real ones, and what is wrong with cut and changed ones. */
#include "import/import.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "imports.h"

static const struct ab_case {
    const char *why, *file;
    uint64_t complete, failed, connections;
    double duration_s, rate, mean_s, p50_s, p99_s, max_s; /* p50_s 0: there is none */
    const char *url;
} REPORTS[] = {
    { "small files from disk", "ab/asset-small-file-serving-from-disk.txt", 1000, 0, 1, 16.223, 61.64, 0.016, 0.012,
      0.051, 0.091, NULL },
    { "white space collapsed, a log around it", "ab/gateway-load-echo.txt", 10000, 0, 100, 30.066, 332.60, 0.300, 0.301,
      0.435, 0.513, "http://gateway.example/performance/echo" },
    { "the other flow", "ab/gateway-load-rest.txt", 10000, 0, 100, 64.449, 155.16, 0.640, 0.603, 1.309, 1.907,
      "http://gateway.example/performance/rest" },
    { "one request only: no percentages", "ab/gateway-sample-echo.txt", 1, 0, 1, 0.024, 42.05, 0.024, 0.024, 0, 0.024,
      "http://gateway.example/performance/echo" },
    { "failures", "ab/asset-1MB-file-serving-from-s3-and-proxying-through-nginx-with-concurrency.txt", 1000, 209, 5,
      998.892, 1.00, 4.915, 1.741, 40.528, 54.705,
      "http://assets.example/media/5978bbe5759b7434d5000000/1MB.dat?stream_from_s3=true" },
};

static void test_reports(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(REPORTS) / sizeof(REPORTS[0]); i++) {
        const struct ab_case *c = &REPORTS[i];
        struct imported in;
        const struct result *r = import_one_file(&in, c->file, IMPORT_AB);

        print_message("%s\n", c->why);
        has_total(r, TOTAL_STARTED, c->complete);
        has_total(r, TOTAL_FAILED, c->failed);
        has_total(r, TOTAL_OK, c->complete - c->failed);
        has_no_total(r, TOTAL_UNFINISHED);
        has_no_total(r, TOTAL_CONNECTIONS_OPENED);
        assert_true(r->duration_s == c->duration_s && r->totals.requests_per_s == c->rate);
        has_metric(r, "latency_mean", c->mean_s, "s");
        has_metric(r, "latency_max", c->max_s, "s");
        has_metric(r, "latency_p50", c->p50_s, "s");
        if (c->p99_s > 0)
            has_metric(r, "latency_p99", c->p99_s, "s");
        else
            has_no_metric(r, "latency_p99");
        if (c->url != NULL)
            assert_string_equal(r->targets[0].url, c->url);
        assert_string_equal(r->started, "");
        imported_release(&in);
    }
}

/* Every one of the ten is read, whatever was done to its white space. */
static void test_all_ten(void **state)
{
    static const char *const FILES[] = {
        "asset-1MB-file-serving-from-disk",
        "asset-1MB-file-serving-from-s3",
        "asset-1MB-file-serving-from-s3-and-proxying-through-nginx",
        "asset-1MB-file-serving-from-s3-and-proxying-through-nginx-with-concurrency",
        "asset-small-file-serving-from-disk",
        "asset-small-file-serving-from-s3",
        "gateway-load-echo",
        "gateway-load-rest",
        "gateway-sample-echo",
        "gateway-sample-rest",
    };

    (void)state;
    for (size_t i = 0; i < sizeof(FILES) / sizeof(FILES[0]); i++) {
        char file[256];
        struct imported in;
        const struct result *r;

        snprintf(file, sizeof(file), "ab/%s.txt", FILES[i]);
        r = import_one_file(&in, file, IMPORT_AB);
        assert_string_equal(r->name, FILES[i]);
        has_config(r, "tool", "\"ab\"");
        has_config(r, "tool_version", "\"2.3\"");
        imported_release(&in);
    }
}

static void test_details(void **state)
{
    struct imported in;
    const struct result *r = import_one_file(
        &in, "ab/asset-1MB-file-serving-from-s3-and-proxying-through-nginx-with-concurrency.txt", IMPORT_AB);

    (void)state;
    has_seen(r, "ab failure Length", 209);
    has_seen(r, "ab failure Connect", 0);
    has_seen(r, "replies that are not 2xx", 133);
    has_total(r, TOTAL_BYTES_RECEIVED, 869846310);
    has_total(r, TOTAL_BODY_BYTES_RECEIVED, 869455196);
    has_no_total(r, TOTAL_BYTES_SENT);
    has_config(r, "connections", "5");
    has_config(r, "document_bytes", "1048576");
    has_config(r, "server", "\"nginx\"");
    has_metric(r, "time_per_request_across", 0.998892, "s");
    has_metric(r, "service_time_stddev", 8.2952, "s");
    has_metric(r, "wait_p50", 0.095, "s");
    has_metric(r, "connect_max", 0.019, "s");
    assert_int_equal(r->warnings.count, 1);
    assert_int_equal(hist_count(r->latency), 0);
    imported_release(&in);

    r = import_one_file(&in, "ab/gateway-load-echo.txt", IMPORT_AB);
    has_total(r, TOTAL_BYTES_SENT, 1920000);
    has_metric(r, "keep_alive_requests", 10000, "1");
    imported_release(&in);
}

static char *real_report(void)
{
    struct buf text;
    struct err err = { 0 };
    char *copy;

    buf_init(&text, 1 << 20);
    if (file_read(DATA_DIR "/ab/asset-small-file-serving-from-s3.txt", &text, &err) != 0)
        fail_msg("%s", err.what);
    copy = buf_detach(&text);
    buf_release(&text);
    return copy;
}

/* Whichever line it ends behind: either it is refused, or nothing is told that the report did not say. */
static void test_cut_off(void **state)
{
    char *report = real_report();
    unsigned taken = 0;

    (void)state;
    for (unsigned lines = 1; lines < 53; lines++) {
        char *cut = first_lines(report, lines);
        struct imported in = { 0 };
        struct err err = { 0 };

        if (import_text(&in, "cut", slice_str(cut), IMPORT_AB, NULL, &err) == 0) {
            taken++;
            has_metric(in.results[0], "latency_max", 0.417, "s");
            has_no_metric(in.results[0], "latency_p99");
        } else if (strstr(err.what, "cut off") == NULL) {
            fail_msg("%u lines: %s", lines, err.what);
        }
        imported_release(&in);
        free(cut);
    }
    assert_int_equal(taken, 2); /* before the percentages: what ab -d prints */
    free(report);
}

static char *replaced(const char *text, const char *what, const char *by)
{
    const char *at = strstr(text, what);
    struct buf out;
    char *copy;

    assert_non_null(at);
    buf_init(&out, 1 << 20);
    buf_append(&out, text, (size_t)(at - text));
    buf_add_str(&out, by);
    buf_add_str(&out, at + strlen(what));
    copy = buf_detach(&out);
    buf_release(&out);
    return copy;
}

static const struct wrong_case {
    const char *why, *what, *by, *said;
} WRONG[] = {
    { "the rate is not requests / time", "21.78 [#/sec]", "31.78 [#/sec]", "requests/s, but" },
    { "percentages fall", "  66%     41", "  66%     31", "do not rise" },
    { "the longest is not the maximum", " 100%    417", " 100%    517", "not the maximum" },
    { "a minimum above the maximum", "Waiting:       32", "Waiting:      932", "least is above" },
    { "a count that is none", "Complete requests:      1000", "Complete requests:      10x0",
      "one.txt:28: Complete requests" },
    { "more parts than failures", "Failed requests:        0",
      "Failed requests:        1\n   (Connect: 0, Receive: 0, Length: 2, Exceptions: 0)", "add up to more" },
    { "a time that is none", "45.915 seconds", "nan seconds", "not a number" },
    { "a negative time", "45.915 seconds", "-45.915 seconds", "not a number" },
};

static void test_contradictions(void **state)
{
    char *report = real_report();

    (void)state;
    for (size_t i = 0; i < sizeof(WRONG) / sizeof(WRONG[0]); i++) {
        char *wrong = replaced(report, WRONG[i].what, WRONG[i].by);

        import_refused(WRONG[i].why, wrong, IMPORT_AB, WRONG[i].said);
        free(wrong);
    }
    free(report);
}

/* Reports appended to one file are as many runs, each with an id of its own; a copy of the file has the same ids. */
static void test_several(void **state)
{
    char *report = real_report();
    struct imported in = { 0 };
    struct err err = { 0 };
    struct buf twice;

    (void)state;
    buf_init(&twice, 1 << 20);
    buf_add_str(&twice, report);
    buf_add_str(&twice, report);
    assert_int_equal(import_text(&in, "two", buf_slice(&twice), IMPORT_AUTO, NULL, &err), 0);
    assert_int_equal(in.count, 2);
    assert_string_not_equal(in.results[0]->id, in.results[1]->id);
    assert_int_equal(strlen(in.results[0]->id), 36);
    imported_release(&in);
    buf_release(&twice);
    free(report);
}

static void test_no_known_format(void **state)
{
    (void)state;
    import_refused("empty", "", IMPORT_AUTO, "of no known format");
    import_refused("prose", "Requests per second were many.\n", IMPORT_AUTO, "of no known format");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reports),         cmocka_unit_test(test_all_ten),        cmocka_unit_test(test_details),
        cmocka_unit_test(test_cut_off),         cmocka_unit_test(test_contradictions), cmocka_unit_test(test_several),
        cmocka_unit_test(test_no_known_format),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
