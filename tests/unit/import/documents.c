/* SPDX-License-Identifier: GPL-3.0-or-later */
/* JSON of oha, vegeta, k6, fortio, hyperfine, written by their documented formats. */
#include "import/import.h"

#include <string.h>

#include "imports.h"

static const char OHA[] =
    "{\"summary\": {\"successRate\": 0.98, \"total\": 2.5, \"slowest\": 0.1, \"fastest\": 0.001, \"average\": 0.01,\n"
    "  \"requestsPerSec\": 40, \"totalData\": 29400, \"sizePerRequest\": 300, \"sizePerSec\": 11760},\n"
    " \"responseTimeHistogram\": {\"0.001\": 1},\n"
    " \"latencyPercentiles\": {\"p10\": 0.002, \"p50\": 0.009, \"p99\": 0.08, \"p99.9\": 0.1, \"p99.99\": null},\n"
    " \"rps\": {\"mean\": 40}, \"details\": {\"DNSDialup\": {\"average\": 0.003, \"fastest\": 0.002, \"slowest\": "
    "0.004},\n"
    "  \"DNSLookup\": {\"average\": null, \"fastest\": null, \"slowest\": null}},\n"
    " \"statusCodeDistribution\": {\"200\": 90, \"503\": 8}, \n"
    " \"errorDistribution\": {\"connection closed\": 2, \"aborted due to deadline\": 5}}\n";

static void test_oha(void **state)
{
    struct imported in;
    const struct result *r = import_one(&in, OHA, IMPORT_OHA);

    (void)state;
    has_total(r, TOTAL_STARTED, 105);
    has_total(r, TOTAL_OK, 90);
    has_total(r, TOTAL_FAILED, 10);
    has_total(r, TOTAL_UNFINISHED, 5);
    has_metric(r, "latency_p999", 0.1, "s");
    has_no_metric(r, "latency_p9999");
    has_metric(r, "connect_mean", 0.003, "s");
    has_no_metric(r, "dns_mean");
    has_seen(r, "error: connection closed", 2);
    assert_int_equal(r->status[503], 8);
    assert_true(r->duration_s == 2.5 && r->totals.requests_per_s == 40);
    imported_release(&in);
}

static const char VEGETA[] =
    "{\"latencies\":{\"total\":237119463,\"mean\":2371194,\"50th\":2854306,\"90th\":3228223,\"95th\":3478629,\"99th\":"
    "3530000,"
    "\"max\":3660505,\"min\":1949582},\"buckets\":null,\"bytes_in\":{\"total\":606700,\"mean\":6067},"
    "\"bytes_out\":{\"total\":0,\"mean\":0},\"earliest\":\"2015-09-19T14:45:50.645818631+02:00\","
    "\"latest\":\"2015-09-19T14:45:51.635818575+02:00\",\"end\":\"2015-09-19T14:45:51.639325797+02:00\","
    "\"duration\":989999944,\"wait\":3507222,\"requests\":100,\"rate\":101.01010672380401,\"throughput\":95.2,"
    "\"success\":0.95,\"status_codes\":{\"0\":2,\"200\":95,\"500\":3},\"errors\":[\"500 Internal Server Error\"]}\n";

static void test_vegeta(void **state)
{
    struct imported in;
    const struct result *r = import_one(&in, VEGETA, IMPORT_VEGETA);

    (void)state;
    has_metric(r, "latency_mean", 0.002371194, "s");
    has_metric(r, "latency_p95", 0.003478629, "s");
    has_metric(r, "latency_min", 0.001949582, "s");
    has_total(r, TOTAL_STARTED, 100);
    has_total(r, TOTAL_OK, 95);
    has_total(r, TOTAL_FAILED, 5);
    has_seen(r, "no status", 2);
    assert_true(r->duration_s == 0.989999944 && r->totals.requests_per_s == 95.2);
    assert_string_equal(r->started, "2015-09-19T14:45:50.645818631+02:00");
    imported_release(&in);
}

static const char K6_EXPORT[] =
    "{\"metrics\": {\"http_req_duration\": {\"avg\": 187.5, \"min\": 24.25, \"med\": 156.75, \"max\": 1249.5, "
    "\"p(90)\": 358.5,\n"
    "   \"p(95)\": 487.25, \"p(99.9)\": 1200}, \"http_reqs\": {\"count\": 1000, \"rate\": 33.25},\n"
    "  \"http_req_failed\": {\"passes\": 10, \"fails\": 990, \"value\": 0.01},\n"
    "  \"http_req_waiting\": {\"avg\": 180}, \"data_received\": {\"count\": 123456, \"rate\": 4}, \n"
    "  \"vus_max\": {\"value\": 50, \"min\": 50, \"max\": 50}}, \"root_group\": {\"checks\": {}}}\n";
static const char K6_SUMMARY[] = "{\"state\": {\"testRunDurationMs\": 30075.5}, \"options\": {},\n"
                                 " \"metrics\": {\"http_req_duration\": {\"type\": \"trend\", \"contains\": \"time\", "
                                 "\"values\": {\"avg\": 187.5, \"med\": 100}},\n"
                                 "  \"http_reqs\": {\"type\": \"counter\", \"contains\": \"default\", \"values\": "
                                 "{\"count\": 7, \"rate\": 0.25}}}}\n";

static void test_k6(void **state)
{
    struct imported in;
    const struct result *r = import_one(&in, K6_EXPORT, IMPORT_K6);

    (void)state;
    has_total(r, TOTAL_STARTED, 1000);
    has_total(r, TOTAL_FAILED, 10); /* "passes" are the requests of which "failed" was true */
    has_total(r, TOTAL_OK, 990);
    has_total(r, TOTAL_BYTES_RECEIVED, 123456);
    has_metric(r, "service_time_mean", 0.1875, "s");
    has_metric(r, "service_time_p50", 0.15675, "s");
    has_metric(r, "service_time_p999", 1.2, "s");
    has_no_metric(r, "latency_mean");
    has_config(r, "connections", "50");
    assert_true(r->duration_s == 0 && r->totals.requests_per_s == 33.25);
    imported_release(&in);

    r = import_one(&in, K6_SUMMARY, IMPORT_K6);
    has_metric(r, "service_time_mean", 0.1875, "s");
    has_no_total(r, TOTAL_FAILED);
    assert_true(r->duration_s == 30.0755);
    imported_release(&in);
}

static const char FORTIO[] =
    "{\"RunType\": \"HTTP\", \"Labels\": \"\", \"StartTime\": \"2026-03-01T12:00:00.123456789Z\", \"RequestedQPS\": "
    "\"100\",\n"
    " \"RequestedDuration\": \"5s\", \"ActualQPS\": 99.5, \"ActualDuration\": 5025125628, \"NumThreads\": 4, "
    "\"Version\": \"1.60.3\",\n"
    " \"DurationHistogram\": {\"Count\": 500, \"Min\": 0.001, \"Max\": 0.02, \"Sum\": 1, \"Avg\": 0.002, \"StdDev\": "
    "0.0005,\n"
    "  \"Data\": [], \"Percentiles\": [{\"Percentile\": 50, \"Value\": 0.0018}, {\"Percentile\": 99.9, \"Value\": "
    "0.019}]},\n"
    " \"RetCodes\": {\"200\": 497, \"503\": 2, \"-1\": 1}, \"URL\": \"http://localhost:8080/\", \"SocketCount\": 5}\n";

static void test_fortio(void **state)
{
    struct imported in;
    const struct result *r = import_one(&in, FORTIO, IMPORT_FORTIO);

    (void)state;
    has_total(r, TOTAL_STARTED, 500);
    has_total(r, TOTAL_OK, 497);
    has_total(r, TOTAL_FAILED, 3);
    has_total(r, TOTAL_CONNECTIONS_OPENED, 5);
    has_metric(r, "latency_p999", 0.019, "s");
    has_metric(r, "latency_stddev", 0.0005, "s");
    has_config(r, "connections", "4");
    assert_true(r->duration_s == 5.025125628);
    assert_string_equal(r->targets[0].url, "http://localhost:8080/");
    imported_release(&in);
}

static const char HYPERFINE[] = "{\"results\": [{\"command\": \"sleep 0.1\", \"mean\": 0.1, \"stddev\": 0.01, "
                                "\"median\": 0.1, \"user\": 0, \"system\": 0,\n"
                                "  \"min\": 0.09, \"max\": 0.11, \"times\": [0.09, 0.1, 0.11], \"exit_codes\": [0, 0, "
                                "1], \"parameters\": {\"n\": \"1\"}},\n"
                                " {\"command\": \"true\", \"mean\": 0.5, \"stddev\": null, \"median\": 0.5, \"user\": "
                                "0, \"system\": 0, \"min\": 0.5, \"max\": 0.5}]}\n";

/* Every time is a sample: a comparison needs them, not their mean. */
static void test_hyperfine(void **state)
{
    struct imported in = { 0 };
    struct err err = { 0 };

    (void)state;
    if (import_text(&in, "h.json", slice_str(HYPERFINE), IMPORT_AUTO, NULL, &err) != 0)
        fail_msg("%s", err.what);
    assert_int_equal(in.format, IMPORT_HYPERFINE);
    assert_int_equal(in.count, 4);
    for (size_t i = 0; i < in.count; i++) {
        survives(in.results[i]);
        assert_string_equal(in.results[i]->run, in.results[0]->run);
    }
    has_metric(in.results[2], "duration_s", 0.11, "s");
    has_total(in.results[2], TOTAL_FAILED, 1);
    has_seen(in.results[2], "exit 1", 1);
    assert_int_equal(in.results[2]->sample, 2);
    assert_string_equal(result_dimension(in.results[2], "command"), "sleep 0.1");
    assert_string_equal(result_dimension(in.results[2], "n"), "1");
    has_metric(in.results[3], "duration_s", 0.5, "s");
    has_no_total(in.results[3], TOTAL_FAILED);
    imported_release(&in);
}

static const struct {
    const char *why, *text;
    enum import_format format;
    const char *said;
} WRONG[] = {
    { "cut off", "{\"summary\": {\"successRate\": 1,\n \"total\"", IMPORT_OHA, "one.txt:2: not JSON" },
    { "not oha", "{\"a\": 1}", IMPORT_OHA, "\"summary\" is missing" },
    { "a percentile that is none",
      "{\"summary\": {\"total\": 1}, \"latencyPercentiles\": {\"q50\": 1}, \"statusCodeDistribution\": {}}", IMPORT_OHA,
      "\"q50\" is not a percentile" },
    { "percentiles fall",
      "{\"summary\": {\"total\": 1}, \"latencyPercentiles\": {\"p50\": 2, \"p75\": 1}, \"statusCodeDistribution\": {}}",
      IMPORT_OHA, "do not rise" },
    { "a count that is a text", "{\"summary\": {\"total\": 1}, \"statusCodeDistribution\": {\"200\": \"many\"}}",
      IMPORT_OHA, "\"200\" must be a number" },
    { "vegeta's statuses",
      "{\"latencies\": {}, \"duration\": 1, \"throughput\": 1, \"requests\": 9, \"success\": 1, \"status_codes\": "
      "{\"200\": 8}}",
      IMPORT_VEGETA, "9 requests, but 8 statuses" },
    { "vegeta's success",
      "{\"latencies\": {}, \"duration\": 1, \"throughput\": 1, \"requests\": 8, \"success\": 0.5, \"status_codes\": "
      "{\"200\": 8}}",
      IMPORT_VEGETA, "the success of 0.5" },
    { "a negative time",
      "{\"latencies\": {\"mean\": -1}, \"duration\": 1, \"throughput\": 1, \"requests\": 0, \"success\": 0}",
      IMPORT_VEGETA, "can not be" },
    { "k6's failures",
      "{\"metrics\": {\"http_reqs\": {\"count\": 9, \"rate\": 1}, \"http_req_failed\": {\"passes\": 1, \"fails\": 9}}}",
      IMPORT_K6, "not of as many" },
    { "fortio's codes", "{\"ActualDuration\": 1, \"DurationHistogram\": {\"Count\": 3}, \"RetCodes\": {\"200\": 2}}",
      IMPORT_FORTIO, "3 calls, but 2 codes" },
    { "a time that is none", "{\"results\": [{\"command\": \"a\", \"mean\": 1, \"median\": 1, \"times\": [\"x\"]}]}",
      IMPORT_HYPERFINE, "must hold numbers" },
};

static void test_wrong(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(WRONG) / sizeof(WRONG[0]); i++)
        import_refused(WRONG[i].why, WRONG[i].text, WRONG[i].format, WRONG[i].said);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_oha),    cmocka_unit_test(test_vegeta),    cmocka_unit_test(test_k6),
        cmocka_unit_test(test_fortio), cmocka_unit_test(test_hyperfine), cmocka_unit_test(test_wrong),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
