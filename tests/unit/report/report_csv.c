/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The CSV: as kept in golden/, as many cells in every row, formulas disarmed, and the same figures as text and JSON. */
#include "report/csv.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "golden.h"
#include "report/text.h"
#include "sample.h"

#define MAX_BYTES (1u << 22)

static void render(struct buf *out, const struct result *r)
{
    buf_init(out, MAX_BYTES);
    report_csv(out, r);
    assert_true(buf_ok(out));
}

static void check_golden(const char *path, struct result *r)
{
    struct buf csv;

    result_judge(r, 0.1, false);
    render(&csv, r);
    golden_check(path, buf_slice(&csv));
    buf_release(&csv);
    result_free(r);
}

static void test_golden(void **state)
{
    (void)state;
    check_golden("full.csv", sample_full());
    check_golden("empty.csv", sample_empty());
}

/* Cells of a line without quoted ones. */
static size_t cells(struct slice line)
{
    size_t n = 1;

    for (size_t i = 0; i < line.len; i++)
        n += line.ptr[i] == ',';
    return n;
}

static void test_rows_have_the_same_cells(void **state)
{
    struct result *r = sample_many(30, 5);
    struct buf csv;
    struct slice rest;
    size_t wanted = 0, rows = 0;

    (void)state;
    render(&csv, r);
    rest = buf_slice(&csv);
    for (; rest.len > 0; rows++) {
        const struct slice line = slice_split(&rest, '\n');

        wanted = rows == 0 ? cells(line) : wanted;
        assert_int_equal(cells(line), wanted);
    }
    assert_int_equal(rows, 1 + 30 + 1);
    buf_release(&csv);
    result_free(r);
}

/* The cell of a column in the last row. */
static void total_cell(const struct buf *csv, const char *column, char *out, size_t size)
{
    struct slice rest = buf_slice(csv), names = slice_split(&rest, '\n'), row = { 0 };

    while (rest.len > 0)
        row = slice_split(&rest, '\n');
    while (names.len > 0) {
        const struct slice name = slice_split(&names, ','), cell = slice_split(&row, ',');

        if (slice_eq(name, slice_str(column))) {
            snprintf(out, size, "%.*s", SLICE_FMT(cell));
            return;
        }
    }
    fail_msg("no column %s", column);
}

/* C66: p99.95 asked for is the same value in JSON, CSV and text. */
static void test_asked_percentile_is_the_same_everywhere(void **state)
{
    struct result *r = sample_plain();
    struct buf csv, json, text;
    char cell[64], shown[UNITS_TEXT_MAX];
    json_t *document;
    double p9995 = 0;

    (void)state;
    r->percentiles = calloc(1, sizeof(double));
    assert_non_null(r->percentiles);
    r->percentiles[0] = 99.95;
    r->percentile_count = 1;
    for (int i = 0; i < 9000; i++)
        hist_record(r->latency, 123456789);
    buf_init(&json, MAX_BYTES);
    buf_init(&text, MAX_BYTES);
    assert_int_equal(result_to_json(r, &json, NULL), 0);
    document = json_loadb(json.data, json.len, 0, NULL);
    p9995 = json_number_value(json_object_get(json_object_get(document, "latency"), "p9995"));
    assert_true(p9995 > 0.994 && p9995 < 0.997); /* the 9995th of 10000: 995 ms */
    render(&csv, r);
    total_cell(&csv, "latency_p99.95_s", cell, sizeof(cell));
    assert_true(strtod(cell, NULL) == p9995);
    report_text(&text, r, NULL);
    assert_non_null(strstr(text.data, "p99.95"));
    assert_non_null(strstr(text.data, units_format_duration(shown, p9995 * NS_PER_S)));
    json_decref(document);
    buf_release(&csv);
    buf_release(&json);
    buf_release(&text);
    result_free(r);
}

static const struct text_case {
    const char *why, *url, *want;
} TEXTS[] = {
    { "plain", "http://a.test/", "http://a.test/,GET," },
    { "a comma is quoted", "http://a.test/a,b", "\"http://a.test/a,b\",GET," },
    { "a quote is doubled", "http://a.test/\"x\"", "\"http://a.test/\"\"x\"\"\",GET," },
    { "a formula is disarmed", "=HYPERLINK(\"x\")", "\"'=HYPERLINK(\"\"x\"\")\",GET," },
    { "also with a sign", "-1+2", "\"'-1+2\",GET," },
    { "a line break stays in its cell", "a\nb", "\"a\nb\",GET," },
    { "nothing", "", ",GET," },
};

static void test_texts(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(TEXTS) / sizeof(TEXTS[0]); i++) {
        struct result *r = sample_plain();
        struct buf csv;
        struct slice rest;

        free(r->targets[0].url);
        r->targets[0].url = sample_dup(TEXTS[i].url);
        render(&csv, r);
        rest = buf_slice(&csv);
        (void)slice_split(&rest, '\n');
        if (!slice_starts(rest, slice_str(TEXTS[i].want)))
            fail_msg("%s: %.40s", TEXTS[i].why, rest.ptr);
        buf_release(&csv);
        result_free(r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_golden),
        cmocka_unit_test(test_rows_have_the_same_cells),
        cmocka_unit_test(test_asked_percentile_is_the_same_everywhere),
        cmocka_unit_test(test_texts),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
