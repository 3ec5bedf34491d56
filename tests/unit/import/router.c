/* SPDX-License-Identifier: GPL-3.0-or-later */
/* touchstone's comparisons in every form, which must all say the same, and documents of router benchmarks. */
#include "import/import.h"

#include <string.h>

#include "imports.h"

#define BASE "7112fc71-router-20220809"
#define NEW "2ba26d9d-router-20220810"

static void read_file(struct imported *in, const char *file)
{
    char path[4096];
    struct err err = { 0 };

    snprintf(path, sizeof(path), "%s/router/%s", DATA_DIR, file);
    *in = (struct imported){ 0 };
    if (import_file(in, path, IMPORT_AUTO, NULL, &err) != 0)
        fail_msg("%s", err.what);
    assert_int_equal(in->format, IMPORT_TOUCHSTONE);
}

static const struct result *find(const struct imported *in, const char *name, const char *type, const char *connections,
                                 const char *keepalive)
{
    for (size_t i = 0; i < in->count; i++) {
        const struct result *r = in->results[i];

        if (strcmp(r->name, name) == 0 && strcmp(result_dimension(r, "test_type"), type) == 0 &&
            strcmp(result_dimension(r, "conn_per_targetroute"), connections) == 0 &&
            strcmp(result_dimension(r, "keepalive"), keepalive) == 0)
            return r;
    }
    fail_msg("%s has no %s/%s/%s", name, type, connections, keepalive);
    return NULL;
}

static void test_tables(void **state)
{
    struct imported in, csv;

    (void)state;
    read_file(&in, "tables.txt");
    assert_int_equal(in.count, 60);
    assert_true(find(&in, "tables:base", "http", "1", "0")->totals.requests_per_s == 49891.0);
    assert_true(find(&in, "tables:new", "http", "1", "0")->totals.requests_per_s == 46461.5);
    assert_true(find(&in, "tables:new", "mix", "5", "50")->totals.requests_per_s == 66353.5);
    has_config(find(&in, "tables:base", "edge", "20", "50"), "uuid", "\"" BASE "\"");
    has_config(find(&in, "tables:new", "edge", "20", "50"), "uuid", "\"" NEW "\"");
    assert_string_equal(in.results[0]->run, in.results[29]->run);
    assert_string_equal(in.results[30]->run, in.results[59]->run);
    assert_string_not_equal(in.results[0]->run, in.results[30]->run);
    read_file(&csv, "deviation.csv");
    assert_int_equal(csv.count, 60);
    for (size_t i = 0; i < 60; i++) {
        survives(in.results[i]);
        assert_true(in.results[i]->totals.requests_per_s == csv.results[i]->totals.requests_per_s);
        has_no_total(in.results[i], TOTAL_STARTED);
    }
    imported_release(&in);
    imported_release(&csv);
}

/* The same two cells in every form that touchstone has. */
static const struct {
    const char *why, *text;
} FORMS[] = {
    { "CSV with tolerances, a heading for each test_type",
      "test_type,routes,conn_per_targetroute,keepalive,metric,result,deviation," BASE "," NEW "\n"
      "http,500,1,0,avg(requests_per_second),Pass,-6.87%,49891.0,46461.5\n"
      "http,500,1,0,avg(latency_95pctl),Pass,10.00%,2000,2200\n"
      "test_type,routes,conn_per_targetroute,keepalive,metric,result,deviation," BASE "," NEW "\n"
      "edge,500,1,0,avg(requests_per_second),Pass,-0.55%,119625.0,118971.0\n" },
    { "CSV without tolerances", "test_type, routes, conn_per_targetroute, keepalive, key, uuid, value\n"
                                "http, 500, 1, 0, avg(requests_per_second), " BASE ", 49891.0\n"
                                "http, 500, 1, 0, avg(requests_per_second), " NEW ", 46461.5\n"
                                "http, 500, 1, 0, avg(latency_95pctl), " BASE ", 2000.0\n"
                                "http, 500, 1, 0, avg(latency_95pctl), " NEW ", 2200.0\n"
                                "edge, 500, 1, 0, avg(requests_per_second), " BASE ", 119625.0\n"
                                "edge, 500, 1, 0, avg(requests_per_second), " NEW ", 118971.0\n" },
    { "JSON without tolerances",
      "{\"test_type\": {\"http\": {\"routes\": {\"500\": {\"conn_per_targetroute\": {\"1\": {\"keepalive\": {\"0\": {\n"
      " \"avg(requests_per_second)\": {\"" BASE "\": 49891.0, \"" NEW "\": 46461.5},\n"
      " \"avg(latency_95pctl)\": {\"" BASE "\": 2000, \"" NEW "\": 2200}}}}}}}},\n"
      " \"edge\": {\"routes\": {\"500\": {\"conn_per_targetroute\": {\"1\": {\"keepalive\": {\"0\": {\n"
      " \"avg(requests_per_second)\": {\"" BASE "\": 119625.0, \"" NEW "\": 118971.0}}}}}}}}}}\n" },
    { "JSON with tolerances, a document for each rule",
      "{\"tolerations\": {\"test_type\": {\"http\": {\"routes\": {\"500\": {\"conn_per_targetroute\": {\"1\": "
      "{\"keepalive\": {\"0\": {\n"
      " \"avg(requests_per_second)\": {\"Pass\": {\"-6.87%\": {\"" BASE "\": 49891.0, \"" NEW "\": 46461.5}}},\n"
      " \"avg(latency_95pctl)\": {\"Fail\": {\"10.00%\": {\"" BASE "\": 2000, \"" NEW "\": 2200}}}}}}}}}}}}}\n"
      "{\"tolerations\": {\"test_type\": {\"edge\": {\"routes\": {\"500\": {\"conn_per_targetroute\": {\"1\": "
      "{\"keepalive\": {\"0\": {\n"
      " \"avg(requests_per_second)\": {\"Pass\": {\"-0.55%\": {\"" BASE "\": 119625.0, \"" NEW
      "\": 118971.0}}}}}}}}}}}}}\n" },
    { "YAML, its keys sorted so that the new run stands first",
      "tolerations:\n test_type:\n  http:\n   routes:\n    '500':\n     conn_per_targetroute:\n      '1':\n       "
      "keepalive:\n"
      "        '0':\n         avg(latency_95pctl):\n          Pass:\n           10.00%:\n"
      "            " NEW ": 2200\n            " BASE ": 2000\n"
      "         avg(requests_per_second):\n          Pass:\n           -6.87%:\n"
      "            " NEW ": 46461.5\n            " BASE ": 49891.0\n"
      "\n"
      "tolerations:\n test_type:\n  edge:\n   routes:\n    500:\n     conn_per_targetroute:\n      1:\n       "
      "keepalive:\n"
      "        0:\n         avg(requests_per_second):\n          Pass:\n           -0.55%:\n"
      "            " NEW ": 118971.0\n            " BASE ": 119625.0\n" },
};

static void test_forms(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(FORMS) / sizeof(FORMS[0]); i++) {
        struct imported in = { 0 };
        struct err err = { 0 };

        print_message("%s\n", FORMS[i].why);
        if (import_text(&in, "d/t.out", slice_str(FORMS[i].text), IMPORT_AUTO, NULL, &err) != 0)
            fail_msg("%s: %s", FORMS[i].why, err.what);
        assert_int_equal(in.format, IMPORT_TOUCHSTONE);
        assert_int_equal(in.count, 4);
        assert_true(find(&in, "t:base", "http", "1", "0")->totals.requests_per_s == 49891.0);
        assert_true(find(&in, "t:new", "http", "1", "0")->totals.requests_per_s == 46461.5);
        has_metric(find(&in, "t:base", "http", "1", "0"), "latency_p95", 0.002, "s");
        has_metric(find(&in, "t:new", "http", "1", "0"), "latency_p95", 0.0022, "s");
        assert_true(find(&in, "t:new", "edge", "1", "0")->totals.requests_per_s == 118971.0);
        assert_int_equal(in.results[0]->warnings.count, strstr(FORMS[i].why, "without") != NULL);
        imported_release(&in);
    }
}

static const struct {
    const char *why, *text, *said;
} WRONG[] = {
    { "a deviation that is not that of the values",
      "test_type,metric,result,deviation,a,b\nhttp,avg(x),Pass,-6.87%,100,101\n", "one.txt:2: the deviation" },
    { "a value that is none", "test_type,metric,result,deviation,a,b\nhttp,avg(x),Pass,1.00%,100,many\n", "one.txt:2" },
    { "a row cut off", "test_type,metric,result,deviation,a,b\nhttp,avg(x),Pass,1.00%,100\n", "one.txt:2: 5 cells" },
    { "no columns", "test_type,metric,result,deviation\n", "one.txt:1" },
    { "a table cut within a row", "+---+\n| t | metric | a | b |\n+---+\n| http | avg(x)", "one.txt:4: cut off" },
    { "JSON cut off", "{\"test_type\": {\"http\": {\"avg(x)\": {\"a\": 1", "not JSON" },
    { "no metric", "{\"test_type\": {\"http\": 5}, \"avg(x)\": {}}", "expected names" },
    { "YAML that is none", "tolerations:\n  a: [\n", "one.txt:" },
};

static void test_wrong(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(WRONG) / sizeof(WRONG[0]); i++)
        import_refused(WRONG[i].why, WRONG[i].text, IMPORT_TOUCHSTONE, WRONG[i].said);
}

#define DOCUMENT                                                                                                    \
    "{\"test_type\": \"mix\", \"termination\": \"mix\", \"uuid\": \"babdc414\", \"cluster.name\": \"some\", "       \
    "\"requests_per_second\": 58529, \"avg_latency\": 477226, \"latency_95pctl\": 377226, \"latency_99pctl\": "     \
    "1198476, "                                                                                                     \
    "\"host_network\": \"true\", \"sample\": \"2\", \"runtime\": 30, \"routes\": 40, \"threads_per_target\": 200, " \
    "\"keepalive\": 10, \"tls_reuse\": false, \"200\": 1755889, \"0\": 17, \"number_of_routers\": 1, "              \
    "\"timestamp\": \"2022-08-09T10:11:12.131415\"}"

static const struct {
    const char *why, *text;
    size_t count;
} DOCUMENTS[] = {
    { "one", DOCUMENT "\n", 1 },
    { "over lines", "\n" DOCUMENT "\n\n" DOCUMENT "\n", 2 },
    { "a list", "[" DOCUMENT ", " DOCUMENT "]\n", 2 },
    { "a bulk", "{\"index\": {\"_index\": \"router\"}}\n" DOCUMENT "\n{\"create\": {}}\n" DOCUMENT "\n", 2 },
    { "a search",
      "{\"took\": 1, \"hits\": {\"total\": {\"value\": 1}, \"hits\": [{\"_id\": \"x\", \"_source\": " DOCUMENT "}]}}",
      1 },
};

static void test_documents(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(DOCUMENTS) / sizeof(DOCUMENTS[0]); i++) {
        struct imported in = { 0 };
        struct err err = { 0 };
        const struct result *r;

        if (import_text(&in, "d.json", slice_str(DOCUMENTS[i].text), IMPORT_AUTO, NULL, &err) != 0)
            fail_msg("%s: %s", DOCUMENTS[i].why, err.what);
        assert_int_equal(in.format, IMPORT_ROUTER);
        assert_int_equal(in.count, DOCUMENTS[i].count);
        r = in.results[in.count - 1];
        assert_string_equal(r->run, "babdc414");
        assert_string_equal(r->name, "babdc414");
        assert_string_equal(result_dimension(r, "conn_per_targetroute"), "200");
        assert_string_equal(result_dimension(r, "routes"), "40");
        assert_int_equal(r->sample, 2);
        assert_true(r->totals.requests_per_s == 58529 && r->duration_s == 30);
        has_metric(r, "latency_mean", 0.477226, "s");
        has_metric(r, "latency_p99", 1.198476, "s");
        has_total(r, TOTAL_STARTED, 1755906);
        has_total(r, TOTAL_OK, 1755889);
        has_total(r, TOTAL_FAILED, 17);
        has_seen(r, "no status", 17);
        has_config(r, "cluster.name", "\"some\"");
        has_config(r, "number_of_routers", "\"1\"");
        has_config(r, "tls_reuse", "\"false\"");
        survives(r);
        imported_release(&in);
    }
    import_refused("cut off", "{\"test_type\": \"mix\",\n \"requests_per_second\": 5", IMPORT_ROUTER,
                   "one.txt:2: not JSON");
    import_refused("another document", "{\"test_type\": \"mix\"}", IMPORT_ROUTER, "without \"requests_per_second\"");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tables),
        cmocka_unit_test(test_forms),
        cmocka_unit_test(test_wrong),
        cmocka_unit_test(test_documents),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
