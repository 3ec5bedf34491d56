/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Every form says what the result says and nothing else; what an importer reads comes back the same. */
#include "report/export.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "import/import.h"
#include "stats/hist_codec.h"

enum { TEXT_MAX_BYTES = 1 << 24, RANDOM_RESULTS = 60 };

/* One text of all results; the caller ends it with buf_release(). */
static void export_all(struct buf *out, enum export_format format, struct result *const *results, size_t count)
{
    struct err err = { 0 };
    struct exporting e;

    buf_init(out, TEXT_MAX_BYTES);
    export_begin(&e, format);
    for (size_t i = 0; i < count; i++)
        if (export_add(&e, results[i], (struct slice){ 0 }, "here", &err) != 0)
            fail_msg("%s", err.what);
    if (export_end(&e, out, &err) != 0)
        fail_msg("%s", err.what);
    buf_add_char(out, '\0');
    out->len--;
    export_release(&e);
}

static void to_json(const struct result *r, struct buf *out)
{
    struct err err = { 0 };

    buf_init(out, TEXT_MAX_BYTES);
    if (result_to_json(r, out, &err) != 0)
        fail_msg("%s", err.what);
}

static void assert_same(const struct result *a, const struct result *b)
{
    struct buf first, second;

    to_json(a, &first);
    to_json(b, &second);
    assert_string_equal(first.data, second.data);
    buf_release(&first);
    buf_release(&second);
}

static void set(bool ok)
{
    assert_true(ok);
}

/* A load result with everything that a form could get wrong. */
static struct result *loaded(struct rng *dice)
{
    struct result *r = NULL;
    struct err err = { 0 };
    const uint64_t ok = 1 + rng_below(dice, 200), failed = rng_below(dice, 5);

    assert_int_equal(result_new(&r, &err), 0);
    r->name = strdup("say \"hi\" | <b> & `x`: - #1");
    r->duration_s = 1 + rng_unit(dice);
    r->totals = (struct totals){ .started = ok + failed,
                                 .sent = ok + failed,
                                 .ok = ok,
                                 .failed = failed,
                                 .ok_in_window = ok,
                                 .requests_per_s = (double)ok / r->duration_s };
    for (uint64_t i = 0; i < ok; i++)
        (void)hist_record(r->latency, rng_below(dice, UINT64_C(1) << (10 + rng_below(dice, 25))));
    r->status[200] = ok;
    r->status[503] = failed;
    if (failed > 0) {
        r->errors = calloc(1, sizeof(*r->errors));
        assert_non_null(r->errors);
        r->errors[0] = (struct error_entry){ .kind = FAIL_STATUS, .detail = strdup("status 503"), .count = failed };
        r->error_count = 1;
    }
    set(result_add_config_string(r, "method", "GE\"T\\"));
    set(result_add_config(r, "connections", "50"));
    set(strlist_add(&r->labels, SLICE("branch=a, \"b\": [c]")));
    set(result_add_warning(r, "first line\nsecond: line - # \"quoted\""));
    return r;
}

/* A sample of a suite, or of somebody else's report. */
static struct result *sampled(struct rng *dice, const char *run)
{
    struct result *r = NULL;
    struct err err = { 0 };
    char text[32];

    assert_int_equal(result_new(&r, &err), 0);
    free(r->kind);
    r->kind = strdup("import");
    memset(&r->host, 0, sizeof(r->host));
    r->started[0] = '\0';
    r->totals.absent = TOTALS_ABSENT_ALL;
    r->run = strdup(run);
    r->name = strdup(run);
    r->has_sample = true;
    r->sample = (uint32_t)rng_below(dice, 9);
    snprintf(text, sizeof(text), "%u", (unsigned)rng_below(dice, 900));
    set(result_set_dimension(r, "test_type", "http") && result_set_dimension(r, "routes", text));
    set(result_set_dimension(r, "conn_per_targetroute", "20") && result_set_dimension(r, "keepalive", "0"));
    r->totals.requests_per_s = floor(rng_unit(dice) * 1e6) / 8;
    r->totals.absent &= ~(UINT32_C(1) << TOTAL_REQUESTS_PER_S);
    if (rng_below(dice, 2) == 0)
        set(result_set_metric(r, "latency_p95", (double)rng_below(dice, 1u << 30) / 1e9, "s", false));
    if (rng_below(dice, 2) == 0)
        set(result_set_metric(r, "latency_mean", (double)rng_below(dice, 1u << 30) / 1e9, "s", false));
    r->duration_s = 30;
    if (rng_below(dice, 2) == 0) {
        const uint64_t ok = rng_below(dice, 1u << 20), bad = rng_below(dice, 9), none = rng_below(dice, 9);

        r->status[200] = ok;
        r->status[503] = bad;
        set(result_add_seen(r, "no status", none));
        r->totals.started = ok + bad + none;
        r->totals.ok = ok;
        r->totals.failed = bad + none;
        if (ok + bad + none > 0)
            r->totals.absent &= ~(UINT32_C(1) << TOTAL_STARTED | UINT32_C(1) << TOTAL_OK | UINT32_C(1) << TOTAL_FAILED);
    }
    return r;
}

static void make(struct result **results, size_t count, uint64_t seed)
{
    struct rng dice;

    rng_init(&dice, seed);
    for (size_t i = 0; i < count; i++)
        results[i] = i % 2 == 0 ? loaded(&dice) : sampled(&dice, i % 4 == 1 ? "run-a" : "run-b");
}

static void drop(struct result **results, size_t count)
{
    for (size_t i = 0; i < count; i++)
        result_free(results[i]);
}

/* Whatever the results: out as JSON or YAML, and in again, and nothing has changed. */
static void test_documents_come_back(void **state)
{
    static const enum export_format FORMS[] = { EXPORT_JSON, EXPORT_YAML };
    struct result *results[RANDOM_RESULTS];

    (void)state;
    make(results, RANDOM_RESULTS, 5);
    for (size_t f = 0; f < 2; f++)
        for (size_t count = 1; count <= RANDOM_RESULTS; count += count < 3 ? 1 : 57) {
            struct imported in = { 0 };
            struct err err = { 0 };
            struct buf text;

            export_all(&text, FORMS[f], results, count);
            if (import_text(&in, "x", buf_slice(&text), IMPORT_AUTO, NULL, &err) != 0)
                fail_msg("%s: %s\n%.400s", export_format_name(FORMS[f]), err.what, text.data);
            assert_int_equal(in.format, IMPORT_PLIMSOLL);
            assert_int_equal(in.count, count);
            for (size_t i = 0; i < count; i++)
                assert_same(results[i], in.results[i]);
            imported_release(&in);
            buf_release(&text);
        }
    drop(results, RANDOM_RESULTS);
}

static double metric_of(const struct result *r, const char *name)
{
    const struct named_figure *m = result_metric(r, name);

    return m != NULL ? m->value : -1;
}

/* As router benchmarks index them: what such a document can say comes back. */
static void test_indexed_documents_come_back(void **state)
{
    struct result *results[RANDOM_RESULTS];
    struct imported in = { 0 };
    struct err err = { 0 };
    struct rng dice;
    struct buf text;

    (void)state;
    rng_init(&dice, 6);
    for (size_t i = 0; i < RANDOM_RESULTS; i++)
        results[i] = sampled(&dice, i % 2 == 0 ? "run-a" : "run-b");
    export_all(&text, EXPORT_ELASTICSEARCH, results, RANDOM_RESULTS);
    if (import_text(&in, "x", buf_slice(&text), IMPORT_ROUTER, NULL, &err) != 0)
        fail_msg("%s\n%.800s", err.what, text.data);
    assert_int_equal(in.count, RANDOM_RESULTS);
    for (size_t i = 0; i < RANDOM_RESULTS; i++) {
        const struct result *a = results[i], *b = in.results[i];

        assert_string_equal(a->run, b->run);
        assert_string_equal(a->name, b->name);
        assert_int_equal(a->cell_count, b->cell_count);
        for (size_t k = 0; k < a->cell_count; k++)
            assert_string_equal(a->cell[k].value, result_dimension(b, a->cell[k].name));
        assert_int_equal(a->sample, b->sample);
        assert_true(a->duration_s == b->duration_s && a->totals.requests_per_s == b->totals.requests_per_s);
        assert_true(fabs(metric_of(a, "latency_p95") - metric_of(b, "latency_p95")) < 1e-15);
        assert_true(fabs(metric_of(a, "latency_mean") - metric_of(b, "latency_mean")) < 1e-15);
        assert_int_equal(a->totals.absent, b->totals.absent);
        assert_int_equal(a->totals.started, b->totals.started);
        assert_int_equal(a->totals.failed, b->totals.failed);
        assert_memory_equal(a->status, b->status, sizeof(a->status));
    }
    imported_release(&in);
    buf_release(&text);
    drop(results, RANDOM_RESULTS);
}

static size_t lines_of(const struct buf *text)
{
    size_t n = 0;

    for (size_t i = 0; i < text->len; i++)
        n += text->data[i] == '\n';
    return n;
}

static unsigned columns_of(struct slice line)
{
    unsigned n = 1;
    bool quoted = false;

    for (size_t i = 0; i < line.len; i++) {
        quoted = line.ptr[i] == '"' ? !quoted : quoted;
        n += !quoted && line.ptr[i] == ',';
    }
    return n;
}

static void test_csv(void **state)
{
    struct result *results[10];
    struct buf text;
    struct slice rest, line;
    unsigned columns = 0;

    (void)state;
    make(results, 10, 7);
    export_all(&text, EXPORT_CSV, results, 10);
    assert_int_equal(lines_of(&text), 11);
    assert_true(slice_starts(buf_slice(&text), SLICE("run,id,name,kind,started,valid,duration_s,")));
    assert_non_null(strstr(text.data, ",latency_p99_s"));
    assert_null(strstr(text.data, "requests_per_s_s"));
    assert_non_null(strstr(text.data, "\"say \"\"hi\"\" | <b> & `x`: - #1\""));
    rest = buf_slice(&text);
    for (line = slice_split(&rest, '\n'); line.len > 0; line = slice_split(&rest, '\n')) {
        columns = columns == 0 ? columns_of(line) : columns;
        assert_int_equal(columns_of(line), columns);
    }
    buf_release(&text);
    drop(results, 10);
}

static void test_markup_is_escaped(void **state)
{
    struct result *results[2];
    struct buf text;

    (void)state;
    make(results, 2, 8);
    results[0]->valid = false;
    set(result_add_reason(results[0], "<reason> & \"more\""));
    export_all(&text, EXPORT_JUNIT, results, 2);
    assert_non_null(strstr(text.data, "tests=\"2\" failures=\"0\" errors=\"1\""));
    assert_non_null(strstr(text.data, "&lt;reason&gt; &amp; &quot;more&quot;"));
    assert_null(strstr(text.data, "<b>"));
    buf_release(&text);
    export_all(&text, EXPORT_MARKDOWN, results, 2);
    assert_non_null(strstr(text.data, "say \"hi\" \\| \\<b\\>"));
    assert_non_null(strstr(text.data, "**invalid**"));
    assert_non_null(strstr(text.data, "–")); /* the other one knows no percentile */
    buf_release(&text);
    drop(results, 2);
}

/* Each family once, its unit in its name, the end marked. */
static void test_openmetrics(void **state)
{
    struct result *results[6];
    struct buf text;
    const char *at, *next;

    (void)state;
    make(results, 6, 9);
    export_all(&text, EXPORT_OPENMETRICS, results, 6);
    assert_true(slice_ends(buf_slice(&text), SLICE("# EOF\n")));
    at = strstr(text.data, "# TYPE plimsoll_latency_p99_seconds gauge\n");
    assert_non_null(at);
    assert_null(strstr(at + 1, "# TYPE plimsoll_latency_p99_seconds gauge\n"));
    assert_non_null(strstr(text.data, "# UNIT plimsoll_latency_p99_seconds seconds\n"));
    assert_non_null(strstr(text.data, "plimsoll_requests_per_second{run=\"run-a\",name=\"run-a\",test_type=\"http\""));
    assert_non_null(strstr(text.data, "branch=\"a, \\\"b\\\": [c]\""));
    for (at = text.data; (next = strchr(at, '\n')) != NULL; at = next + 1)
        assert_true(at[0] == '#' || strncmp(at, "plimsoll_", 9) == 0);
    buf_release(&text);
    drop(results, 6);
}

static void test_histograms(void **state)
{
    struct result *r, *results[2];
    struct hist *h = NULL, *sum = NULL;
    struct err err = { 0 };
    struct exporting e;
    struct slice rest, line;
    struct buf text;

    (void)state;
    make(results, 2, 10);
    r = results[0];
    r->intervals = calloc(2, sizeof(*r->intervals));
    r->interval_count = 2;
    for (int i = 0; i < 2; i++) {
        r->intervals[i] = (struct interval){ .t_s = i, .length_s = 1 };
        assert_int_equal(interval_set_latency(&r->intervals[i], r->latency, &err), 0);
    }
    export_all(&text, EXPORT_HDR_LOG, results, 1);
    assert_int_equal(hist_new(&sum, &err), 0);
    rest = buf_slice(&text);
    for (line = slice_split(&rest, '\n'); line.len > 0; line = slice_split(&rest, '\n')) {
        if (line.ptr[0] == '#' || line.ptr[0] == '"')
            continue;
        for (int i = 0; i < 3; i++)
            (void)slice_split(&line, ',');
        assert_int_equal(hist_decode_v2(&h, line, &err), 0);
        hist_merge(sum, h);
        hist_free(h);
    }
    assert_int_equal(hist_count(sum), 2 * hist_count(r->latency));
    hist_free(sum);
    buf_release(&text);
    export_all(&text, EXPORT_HDR, results, 1);
    assert_non_null(strstr(text.data, "TotalCount"));
    buf_release(&text);

    /* Without a histogram there is nothing to write; and two are not one. */
    export_begin(&e, EXPORT_HDR);
    assert_int_equal(export_add(&e, results[1], (struct slice){ 0 }, "here", &err), -1);
    assert_non_null(strstr(err.what, "no histogram"));
    assert_int_equal(export_add(&e, results[0], (struct slice){ 0 }, "here", &err), 0);
    assert_int_equal(export_add(&e, results[0], (struct slice){ 0 }, "here", &err), -1);
    assert_non_null(strstr(err.what, "holds one run"));
    export_release(&e);
    drop(results, 2);
}

static void test_gnuplot(void **state)
{
    struct result *results[4];
    struct buf text;
    size_t blocks = 0;

    (void)state;
    make(results, 4, 11);
    export_all(&text, EXPORT_GNUPLOT, results, 4);
    for (const char *at = text.data; (at = strstr(at, "\n\n\n")) != NULL; at++)
        blocks++;
    assert_int_equal(blocks, 2); /* two of the four have a histogram */
    assert_non_null(strstr(text.data, "\"run-a\" \"http/"));
    assert_non_null(strstr(text.data, " ?"));
    assert_null(strstr(text.data, "nan"));
    buf_release(&text);
    drop(results, 4);
}

static void test_names(void **state)
{
    enum export_format f = EXPORT_JSON;

    (void)state;
    for (unsigned i = 0; i < EXPORT_FORMAT_COUNT; i++) {
        assert_int_equal(export_format_parse(&f, slice_str(export_format_name((enum export_format)i))), 0);
        assert_int_equal(f, i);
        assert_true(export_format_what(f)[0] != '\0');
    }
    assert_int_equal(export_format_parse(&f, SLICE("xls")), -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_documents_come_back),
        cmocka_unit_test(test_indexed_documents_come_back),
        cmocka_unit_test(test_csv),
        cmocka_unit_test(test_markup_is_escaped),
        cmocka_unit_test(test_openmetrics),
        cmocka_unit_test(test_histograms),
        cmocka_unit_test(test_gnuplot),
        cmocka_unit_test(test_names),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
