/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The HTML page's pieces: nothing from outside becomes markup, thinning keeps extremes, curves end where the count
 * does; and pages of several kinds of results, whole. */
#include "report/html.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/html_kinds.h"
#include "report/html_out.h"
#include "report/html_series.h"
#include "sample.h"

enum { TEXT_MAX_BYTES = 1 << 26 };

static char *text_of(struct buf *b)
{
    char *text = buf_detach(b);

    assert_non_null(text);
    return text;
}

/* ---- escaping ---- */

static const struct text_case {
    const char *why, *text, *want;
} TEXTS[] = {
    { "plain text stays", "p99 of /bytes/1", "p99 of /bytes/1" },
    { "no element begins", "<script>", "&lt;script&gt;" },
    { "no attribute ends", "a\" onload='x'", "a&quot; onload=&#39;x&#39;" },
    { "an entity of others is text", "&lt;", "&amp;lt;" },
    { "UTF-8 stays",
      "gr\xc3\xbc\xc3\x9f"
      "e",
      "gr\xc3\xbc\xc3\x9f"
      "e" },
    { "what is not UTF-8 is replaced", "\xff", "\xef\xbf\xbd" },
    { "an overlong < is not UTF-8", "\xc0\xbc", "\xef\xbf\xbd\xef\xbf\xbd" },
    { "control characters are replaced", "a\x1b[31m", "a\xef\xbf\xbd[31m" },
    { "a line is not turned around", "x\xe2\x80\xaey", "x[U+202E]y" },
    { "C1 controls are written out", "\xc2\x85", "[U+0085]" },
    { "lines of a reply stay lines", "a\r\nb", "a\nb" },
    { "nothing is empty", NULL, "" },
};

static void texts_are_escaped(void **state)
{
    for (size_t i = 0; i < sizeof(TEXTS) / sizeof(TEXTS[0]); i++) {
        struct buf out;
        char *got;

        buf_init(&out, TEXT_MAX_BYTES);
        buf_add_str(&out, "");
        html_text(&out, TEXTS[i].text);
        got = out.len > 0 ? text_of(&out) : strdup("");
        if (strcmp(got, TEXTS[i].want) != 0)
            fail_msg("%s: \"%s\"", TEXTS[i].why, got);
        free(got);
        buf_release(&out);
    }
}

/* A megabyte of it is in the document; the page has its beginning. */
static void long_texts_are_cut(void **state)
{
    enum { LENGTH = 1 << 20 };
    char *text = malloc(LENGTH + 1);
    struct buf out;

    assert_non_null(text);
    memset(text, 'x', LENGTH);
    text[LENGTH] = '\0';
    memcpy(text + HTML_TEXT_MAX - 1, "\xc3\xbc", 2); /* no character is halved */
    buf_init(&out, TEXT_MAX_BYTES);
    html_text(&out, text);
    assert_int_equal(slice_find(buf_slice(&out), ' '), HTML_TEXT_MAX - 1);
    assert_string_equal(out.data + HTML_TEXT_MAX - 1, " ... (1,048,576 bytes in all)");
    buf_clear(&out);
    html_json_string(&out, text);
    assert_string_equal(out.data + HTML_TEXT_MAX, " ... (1,048,576 bytes in all)\"");
    buf_release(&out);
    free(text);
}

static void names_for_the_script_are_seen(void **state)
{
    struct buf out;

    buf_init(&out, TEXT_MAX_BYTES);
    html_json_string(&out, "a\xe2\x80\xae\"<b\x01");
    assert_string_equal(out.data, "\"a[U+202E]\\\"<b\\u0001\"");
    buf_release(&out);
}

static const struct text_case EMBEDDED[] = {
    { "plain JSON stays", "{\"a\":1}", "{\"a\":1}" },      { "no script ends", "\"</script>\"", "\"\\u003c/script>\"" },
    { "no comment begins", "\"<!--\"", "\"\\u003c!--\"" }, { "one at the very end", "<", "\\u003c" },
    { "two in a row", "<<a", "\\u003c\\u003ca" },
};

static void json_ends_no_script(void **state)
{
    for (size_t i = 0; i < sizeof(EMBEDDED) / sizeof(EMBEDDED[0]); i++) {
        struct buf out;
        char *got;

        buf_init(&out, TEXT_MAX_BYTES);
        html_json_embed(&out, slice_str(EMBEDDED[i].text));
        got = text_of(&out);
        if (strcmp(got, EMBEDDED[i].want) != 0)
            fail_msg("%s: \"%s\"", EMBEDDED[i].why, got);
        free(got);
    }
}

static void names_of_columns_make_no_columns(void **state)
{
    struct buf columns;

    buf_init(&columns, TEXT_MAX_BYTES);
    html_column(&columns, false, "%s", "a|b");
    html_column(&columns, false, "%s", "#c");
    html_column(&columns, true, "%s", "d");
    assert_string_equal(columns.data, "a/b|/c|#d");
    buf_release(&columns);
}

/* ---- series and curves ---- */

static void thinning_keeps_extremes(void **state)
{
    enum { COUNT = 5000, POINTS = 100 };
    double *t = calloc(COUNT, sizeof(*t)), *v = calloc(COUNT, sizeof(*v));
    struct buf out;
    size_t points = 0;

    for (size_t i = 0; i < COUNT; i++) {
        t[i] = (double)i;
        v[i] = i % 7 == 0 ? NAN : 50;
    }
    v[1234] = 99.5;
    v[4321] = 0.25;
    buf_init(&out, TEXT_MAX_BYTES);
    series_json(&out, t, v, COUNT, POINTS);
    assert_non_null(strstr(out.data, "[1234,99.5]"));
    assert_non_null(strstr(out.data, "[4321,0.25]"));
    for (const char *at = out.data; *at != '\0'; at++)
        points += *at == '[';
    assert_in_range(points, POINTS / 2, POINTS + 1);
    buf_clear(&out);
    series_json(&out, t, v, 3, POINTS);
    assert_string_equal(out.data, "[[0,null],[1,50],[2,50]]");
    buf_release(&out);
    free(t);
    free(v);
}

static void a_curve_ends_where_its_count_does(void **state)
{
    struct hist *h = sample_hist(1000000, 1000000, 1000); /* 1 ... 1000 ms */
    struct buf out;

    buf_init(&out, TEXT_MAX_BYTES);
    curve_json(&out, h, 4);
    assert_non_null(strstr(out.data, "[1,0.001"));    /* the least */
    assert_non_null(strstr(out.data, ",[1000,0.99")); /* p99.9 of 1000 is the 999th */
    assert_null(strstr(out.data, "[1778"));
    hist_reset(h);
    buf_clear(&out);
    curve_json(&out, h, 4);
    assert_string_equal(out.data, "[]");
    buf_release(&out);
    hist_free(h);
}

static const struct {
    const char *why;
    double duration_s, starts[5], lengths[5];
    size_t count, whole;
} WINDOWS[] = {
    { "whole seconds", 3, { 0, 1, 2 }, { 1, 1, 1 }, 3, 3 },
    { "what the drain brought", 3, { 0, 1, 2, 3 }, { 1, 1, 1, 1 }, 4, 3 },
    { "the rest of a second", 2.2, { 0, 1, 2 }, { 1, 1, .2 }, 3, 2 },
    { "most of a second", 2.7, { 0, 1, 2 }, { 1, 1, .7 }, 3, 3 },
    { "less than a second in all", 0.1, { 0, 0.1 }, { .1, .05 }, 2, 1 },
    { "a length that is not known", 0, { 0, 1 }, { 1, 1 }, 2, 2 },
};

static void a_rest_of_a_second_is_no_fall(void **state)
{
    for (size_t i = 0; i < sizeof(WINDOWS) / sizeof(WINDOWS[0]); i++) {
        struct result *r = sample_empty();
        struct page_series s;

        r->duration_s = WINDOWS[i].duration_s;
        r->intervals = calloc(WINDOWS[i].count, sizeof(*r->intervals));
        assert_non_null(r->intervals);
        r->interval_count = WINDOWS[i].count;
        for (size_t k = 0; k < WINDOWS[i].count; k++)
            r->intervals[k] = (struct interval){ .t_s = WINDOWS[i].starts[k], .length_s = WINDOWS[i].lengths[k] };
        assert_int_equal(series_of(&s, r, NULL), 0);
        if (s.whole != WINDOWS[i].whole)
            fail_msg("%s: %zu", WINDOWS[i].why, s.whole);
        assert_true(s.end_s == WINDOWS[i].starts[s.whole - 1] + WINDOWS[i].lengths[s.whole - 1]);
        series_release(&s);
        result_free(r);
    }
}

/* Stacked, kinds give what failed: also where the kinds are not known, and when seconds are taken together. */
static void kinds_add_up_to_what_failed(void **state)
{
    enum { SECONDS = 30, POINTS = 7 };
    struct result *r = sample_empty();
    struct page_kinds kinds;
    struct page_series s;
    double drawn = 0, failed = 0;

    r->intervals = calloc(SECONDS, sizeof(*r->intervals));
    assert_non_null(r->intervals);
    r->interval_count = SECONDS;
    for (size_t i = 0; i < SECONDS; i++) {
        struct interval *v = &r->intervals[i];
        const uint64_t counts[FAIL_KINDS] = { [FAIL_RESET] = i % 3, [FAIL_STATUS] = i % 5 };

        *v = (struct interval){ .t_s = (double)i, .length_s = i + 1 == SECONDS ? 0.5 : 1 };
        assert_int_equal(interval_add_failed(v, i % 3 + i % 5, i % 7 == 0 ? NULL : counts, NULL), 0);
        failed += (double)v->failed;
    }
    assert_int_equal(series_of(&s, r, NULL), 0);
    assert_int_equal(kinds_of(&kinds, r, NULL), 0);
    for (size_t line = 0; line < KINDS_LINES; line++) {
        assert_true((kinds.per_s[line] != NULL) ==
                    (line == FAIL_RESET || line == FAIL_STATUS || line == KINDS_UNKNOWN));
        for (size_t b = 0; b < POINTS && kinds.per_s[line] != NULL; b++) {
            const size_t from = b * SECONDS / POINTS, to = (b + 1) * SECONDS / POINTS;

            for (size_t i = from; i < to; i++)
                drawn += series_mean(kinds.per_s[line], s.length_s, from, to) * s.length_s[i];
        }
    }
    assert_true(fabs(drawn - failed) < 1e-9 * failed);
    kinds_release(&kinds);
    series_release(&s);
    result_free(r);
}

/* ---- pages ---- */

static char *page_of(struct result **results, size_t count, bool one_run)
{
    struct collection c = { 0 };
    struct err err = { 0 };
    struct buf out;

    buf_init(&out, TEXT_MAX_BYTES);
    for (size_t i = 0; i < count; i++) {
        char source[32];

        if (i == 0 || !one_run)
            collection_begin(&c);
        snprintf(source, sizeof(source), "%zu.json", i);
        assert_int_equal(collection_add(&c, results[i], (struct slice){ 0 }, NULL, source, &err), 0);
    }
    assert_true(collection_tell_apart(&c));
    if (report_html(&out, &c, &(struct html_options){ 0 }, &err) != 0)
        fail_msg("%s", err.what);
    collection_release(&c);
    return text_of(&out);
}

static size_t occurrences(const char *text, const char *what)
{
    size_t n = 0;

    for (text = strstr(text, what); text != NULL; text = strstr(text + 1, what))
        n++;
    return n;
}

/* Up to the scripts, which name elements too. */
static void check_whole(const char *whole)
{
    static const char *const PAIRS[] = { "table", "tr", "section", "details", "figure", "ul", "main" };

    const char *scripts = strstr(whole, "<script type=\"application/json\" id=\"figures\">");
    char *page;

    assert_true(strncmp(whole, "<!DOCTYPE html>", 15) == 0);
    assert_non_null(strstr(whole, "</html>"));
    assert_non_null(scripts);
    page = slice_dup(slice_from(whole, (size_t)(scripts - whole)));
    assert_non_null(page);
    for (size_t i = 0; i < sizeof(PAIRS) / sizeof(PAIRS[0]); i++) {
        char open[32], spaced[32], close[32];

        snprintf(open, sizeof(open), "<%s>", PAIRS[i]);
        snprintf(spaced, sizeof(spaced), "<%s ", PAIRS[i]);
        snprintf(close, sizeof(close), "</%s>", PAIRS[i]);
        if (occurrences(page, open) + occurrences(page, spaced) != occurrences(page, close))
            fail_msg("%s elements are not all ended", PAIRS[i]);
    }
    free(page);
}

static void pages_of_every_sample_are_whole(void **state)
{
    struct result *samples[] = { sample_plain(), sample_full(), sample_many(40, 3), sample_empty() };
    const size_t count = sizeof(samples) / sizeof(samples[0]);
    char *page;

    for (size_t i = 0; i < count; i++) {
        page = page_of(&samples[i], 1, true);
        check_whole(page);
        free(page);
    }
    page = page_of(samples, count, false); /* side by side */
    check_whole(page);
    assert_non_null(strstr(page, "id=\"comparison\""));
    free(page);
    for (size_t i = 0; i < count; i++)
        result_free(samples[i]);
}

static void a_page_says_what_the_result_says(void **state)
{
    struct result *full = sample_full();
    char *page;

    free(full->name);
    full->name = sample_dup("</title><script>alert(1)</script>");
    assert_true(result_add_warning(full, "<b>mind</b>"));
    page = page_of(&full, 1, true);
    check_whole(page);
    assert_null(strstr(page, "<script>alert"));
    assert_non_null(strstr(page, "&lt;b&gt;mind&lt;/b&gt;"));
    for (const char *const *id =
             (const char *const[]){ "verdict", "headline", "percentiles", "phases", "errors", "statuses", "histogram",
                                    "client", "connections", "targets", "about", NULL };
         *id != NULL; id++) {
        char section[64];

        snprintf(section, sizeof(section), "<section id=\"%s\"", *id);
        if (strstr(page, section) == NULL)
            fail_msg("no section %s", *id);
    }
    free(page);
    result_free(full);
}

static const char LIMIT[] =
    "{\"format\":\"plimsoll-limit\",\"version\":1,\"url\":\"http://a.test/<b>\",\"promise\":\"p99<50ms\","
    "\"safe\":100,\"broken\":110,\"confirmed\":true,\"confirm_rounds\":3,\"step_s\":5,\"trials\":["
    "{\"level\":110,\"stage\":\"expand\",\"kept\":false,\"broke\":\"p99<50ms (</td>)\",\"p50\":0.1,"
    "\"p99\":0.2,\"started\":9,\"ok\":9},{\"level\":100,\"stage\":\"</script>\",\"kept\":true}]}";

/* Alone, two, and beside a run. */
static void pages_of_limits_are_whole(void **state)
{
    struct result *r = sample_plain();

    for (size_t limits = 1; limits < 3; limits++)
        for (size_t runs = 0; runs < 2; runs++) {
            struct collection c = { 0 };
            struct err err = { 0 };
            struct buf out;

            buf_init(&out, TEXT_MAX_BYTES);
            for (size_t i = 0; i < limits; i++)
                assert_int_equal(collection_add_limit(&c, slice_str(LIMIT), NULL, i == 0 ? "a.json" : "b.json", &err),
                                 0);
            collection_begin(&c);
            if (runs > 0)
                assert_int_equal(collection_add(&c, r, (struct slice){ 0 }, NULL, "r.json", &err), 0);
            assert_true(collection_tell_apart(&c));
            if (report_html(&out, &c, &(struct html_options){ 0 }, &err) != 0)
                fail_msg("%s", err.what);
            check_whole(out.data);
            assert_null(strstr(out.data, "a.test/<b>"));
            assert_non_null(strstr(out.data, "100.0/s; the limit lies between it and 110.0/s"));
            assert_non_null(strstr(out.data, "at 110.0/s: p99&lt;50ms (&lt;/td&gt;)"));
            assert_int_equal(strstr(out.data, "(2: b.json)") != NULL, limits == 2);
            assert_int_equal(strstr(out.data, "id=\"headline\"") != NULL, runs == 1);
            collection_release(&c);
            buf_release(&out);
        }
    result_free(r);
}

/* Samples of one run: cells, each with its own figures. */
static void samples_of_a_suite_are_a_matrix(void **state)
{
    struct result *samples[8];
    char *page;

    for (size_t i = 0; i < 8; i++) {
        samples[i] = sample_plain();
        snprintf(samples[i]->id, sizeof(samples[i]->id), "00000000-0000-4000-8000-%012zu", i);
        samples[i]->run = sample_dup("11111111-0000-4000-8000-000000000000");
        samples[i]->has_sample = true;
        samples[i]->sample = (uint32_t)(i / 4);
        assert_true(result_set_dimension(samples[i], "way", i % 2 == 0 ? "direct" : "gateway"));
        assert_true(result_set_dimension(samples[i], "users", i / 2 % 2 == 0 ? "1" : "100"));
    }
    page = page_of(samples, 8, true);
    check_whole(page);
    assert_int_equal(occurrences(page, "<details class=\"cell\""), 4);
    assert_non_null(strstr(page, "id=\"matrix\""));
    assert_non_null(strstr(page, "all 8 samples"));
    assert_null(strstr(page, "id=\"comparison\""));
    free(page);
    for (size_t i = 0; i < 8; i++)
        result_free(samples[i]);
}

static void sides_of_a_suite_are_two_runs(void **state)
{
    struct result *samples[4];
    char *page;

    for (size_t i = 0; i < 4; i++) {
        samples[i] = sample_plain();
        snprintf(samples[i]->id, sizeof(samples[i]->id), "00000000-0000-4000-8000-%012zu", i);
        samples[i]->run = sample_dup("11111111-0000-4000-8000-000000000000");
        samples[i]->has_sample = true;
        samples[i]->sample = (uint32_t)(i / 2);
        assert_true(strlist_add(&samples[i]->labels, i % 2 == 0 ? SLICE("side=a") : SLICE("side=b")));
    }
    page = page_of(samples, 4, true);
    check_whole(page);
    assert_non_null(strstr(page, "id=\"comparison\""));
    assert_int_equal(occurrences(page, "all 2 samples"), 2);
    free(page);
    for (size_t i = 0; i < 4; i++)
        result_free(samples[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts_are_escaped),
        cmocka_unit_test(long_texts_are_cut),
        cmocka_unit_test(names_for_the_script_are_seen),
        cmocka_unit_test(json_ends_no_script),
        cmocka_unit_test(names_of_columns_make_no_columns),
        cmocka_unit_test(thinning_keeps_extremes),
        cmocka_unit_test(a_curve_ends_where_its_count_does),
        cmocka_unit_test(pages_of_every_sample_are_whole),
        cmocka_unit_test(a_page_says_what_the_result_says),
        cmocka_unit_test(a_rest_of_a_second_is_no_fall),
        cmocka_unit_test(kinds_add_up_to_what_failed),
        cmocka_unit_test(pages_of_limits_are_whole),
        cmocka_unit_test(samples_of_a_suite_are_a_matrix),
        cmocka_unit_test(sides_of_a_suite_are_two_runs),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
