/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Pictures: what is drawn, how far, and that nothing from outside becomes markup. */
#include "report/svg.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "sample.h"

enum { SVG_MAX_BYTES = 1 << 24 };

static char *percentiles(const struct svg_run *runs, size_t count)
{
    struct buf out;

    buf_init(&out, SVG_MAX_BYTES);
    assert_int_equal(svg_percentiles(&out, runs, count, NULL), 0);
    return buf_detach(&out);
}

/* The n-th path of the class, from 0: its data; ends at the quote. */
static const char *path_of(const char *svg, const char *class, int n)
{
    char begin[64];

    snprintf(begin, sizeof(begin), "<path class=\"%s\" d=\"", class);
    for (svg = strstr(svg, begin); svg != NULL && n > 0; n--)
        svg = strstr(svg + 1, begin);
    assert_non_null(svg);
    return svg + strlen(begin);
}

/* x and y of the last point. */
static void last_point(const char *path, double *x, double *y)
{
    const char *end = strchr(path, '"'), *at = end;

    while (at > path && *at != 'L' && *at != 'M')
        at--;
    assert_int_equal(sscanf(at + 1, "%lf %lf", x, y), 2);
}

static size_t occurrences(const char *text, const char *what)
{
    size_t n = 0;

    for (text = strstr(text, what); text != NULL; text = strstr(text + 1, what))
        n++;
    return n;
}

static void a_curve_ends_where_its_count_does(void **state)
{
    struct result *many = sample_plain(), *few = sample_plain();
    double x_many, x_few, y;
    char *svg;

    (void)state;
    hist_free(few->latency);
    few->latency = sample_hist(1000000, 1000000, 10);
    hist_free(few->service_time);
    few->service_time = NULL;
    svg = percentiles((const struct svg_run[]){ { "many", many }, { "few", few } }, 2);
    last_point(path_of(svg, "s0", 0), &x_many, &y);
    last_point(path_of(svg, "s1", 0), &x_few, &y);
    /* From 76 to 840: 1000 values end at the right, 10 at a third. */
    assert_true(fabs(x_many - 840) < 1);
    assert_true(fabs(x_few - (76 + 764.0 / 3)) < 1);
    assert_non_null(strstr(svg, ">99.9 %<"));
    assert_null(strstr(svg, ">99.99 %<"));
    free(svg);
    result_free(many);
    result_free(few);
}

static void names_from_outside_are_text(void **state)
{
    struct result *r = sample_plain();
    char *svg = percentiles((const struct svg_run[]){ { "<script>alert(\"1\")</script>&\x1b", r } }, 1);

    (void)state;
    assert_null(strstr(svg, "<script"));
    assert_null(strchr(svg, '\x1b'));
    assert_non_null(strstr(svg, "&lt;script&gt;"));
    free(svg);
    result_free(r);
}

static void who_can_not_see_is_told(void **state)
{
    struct result *r = sample_plain();
    char *svg = percentiles((const struct svg_run[]){ { "one", r } }, 1);

    (void)state;
    assert_non_null(strstr(svg, "role=\"img\" aria-labelledby=\"plimsoll-title plimsoll-description\""));
    assert_non_null(strstr(svg, "<title id=\"plimsoll-title\">Latency by percentile</title>"));
    assert_non_null(strstr(svg, "one: 1,000 ok requests, p50 500 ms, p99 990 ms, at most 1.00 s."));
    assert_non_null(strstr(svg, "@media (prefers-color-scheme:dark)"));
    assert_null(strstr(svg, "href"));
    free(svg);
    result_free(r);
}

static void nothing_to_draw_is_an_error(void **state)
{
    struct result *r = sample_empty();
    const struct svg_run run = { "empty", r };
    struct side none = { 0 };
    struct err err = { 0 };
    struct buf out;

    (void)state;
    buf_init(&out, SVG_MAX_BYTES);
    assert_int_equal(svg_percentiles(&out, &run, 1, &err), -1);
    assert_int_equal(err.kind, ERR_CONFIG);
    assert_int_equal(svg_time(&out, &run, &err), -1);
    assert_int_equal(svg_rounds(&out, &run, &err), -1);
    assert_int_equal(svg_matrix(&out, &none, NULL, NULL, &err), -1);
    assert_non_null(strstr(err.what, "no sample"));
    assert_int_equal(out.len, 0);
    buf_release(&out);
    result_free(r);
}

/* 2,000 seconds, one of which is slow: among 400 points it is still there. */
static void a_spike_outlives_being_one_of_many(void **state)
{
    enum { SECONDS = 2000, SPIKE = 1234 };
    struct result *r = sample_plain();
    struct hist *quick = sample_hist(1000000, 0, 10), *slow = sample_hist(2000000000, 0, 1);
    double highest = 1e9, x = 0;
    struct buf out;
    char *svg;

    (void)state;
    for (size_t i = 0; i < r->interval_count; i++)
        free(r->intervals[i].latency);
    free(r->intervals);
    r->intervals = calloc(SECONDS, sizeof(*r->intervals));
    r->interval_count = SECONDS;
    for (size_t i = 0; i < SECONDS; i++) {
        r->intervals[i] = (struct interval){
            .t_s = (double)i, .length_s = 1, .started = 10, .ok = i == SPIKE ? 1 : 10
        };
        assert_int_equal(interval_set_latency(&r->intervals[i], i == SPIKE ? slow : quick, NULL), 0);
    }
    buf_init(&out, SVG_MAX_BYTES);
    assert_int_equal(svg_time(&out, &(struct svg_run){ "long", r }, NULL), 0);
    /* The maximum's line: the point that is highest on the picture is at the spike's time. */
    svg = buf_detach(&out);
    for (const char *at = path_of(svg, "s2", 0); *at != '"'; at++) {
        double px, py;

        if ((*at == 'M' || *at == 'L') && sscanf(at + 1, "%lf %lf", &px, &py) == 2 && py < highest) {
            highest = py;
            x = px;
        }
    }
    assert_true(fabs(x - (76 + 764.0 * SPIKE / SECONDS)) < 6);
    free(svg);
    hist_free(quick);
    hist_free(slow);
    result_free(r);
}

static void add(struct side *s, const char *termination, const char *routes, double value, bool valid)
{
    struct record *r = side_add(s, "x.json");

    assert_non_null(r);
    r->valid = valid;
    assert_true(record_add_fact(r, FACT_CELL, "termination", termination));
    assert_true(record_add_fact(r, FACT_CELL, "routes", routes));
    assert_true(record_add_metric(r, "requests_per_s", value, true, false));
}

static void a_matrix_is_rows_and_columns(void **state)
{
    struct side now = { 0 }, before = { 0 };
    struct buf out;
    char *svg;

    (void)state;
    assert_true(side_set_name(&now, "new") && side_set_name(&before, "old"));
    add(&now, "edge", "1", 400, true);
    add(&now, "edge", "1", 100, true); /* geometric mean 200 */
    add(&now, "edge", "500", 60, true);
    add(&now, "http", "1", 1000, true);
    add(&now, "http", "500", 7, false);
    add(&before, "edge", "1", 200, true);
    add(&before, "edge", "500", 100, true);
    add(&before, "http", "1", 500, true);
    buf_init(&out, SVG_MAX_BYTES);
    assert_int_equal(svg_matrix(&out, &now, NULL, NULL, NULL), 0);
    svg = buf_detach(&out);
    assert_non_null(strstr(svg, "edge, 1: 200.00. edge, 500: 60.00. http, 1: 1000.0. http, 500: -. "));
    assert_non_null(strstr(svg, ">termination / routes<"));
    assert_int_equal(occurrences(svg, "class=\"none\""), 1);
    free(svg);
    assert_int_equal(svg_matrix(&out, &now, &before, NULL, NULL), 0);
    svg = buf_detach(&out);
    assert_non_null(strstr(svg, ">Change of requests/s<"));
    assert_non_null(strstr(svg, ">new against old<"));
    assert_int_equal(occurrences(svg, "class=\"same\""), 1);
    assert_int_equal(occurrences(svg, "class=\"worse3\""), 1);
    assert_int_equal(occurrences(svg, "class=\"better3\""), 1);
    free(svg);
    side_release(&now);
    side_release(&before);
}

static void rounds_show_every_copy(void **state)
{
    struct result *r = sample_plain();
    struct buf out;
    char *svg;

    (void)state;
    assert_int_equal(result_make_rounds(r, NULL), 0);
    assert_non_null(rounds_result_add_series(r->rounds, "cf <push>", NULL));
    for (uint32_t n = 1; n <= 4; n *= 2) {
        struct rounds_round *round = rounds_result_add_round(r->rounds);

        assert_non_null(round);
        round->concurrency = n;
        assert_true(rounds_result_set_copies(r->rounds, round, n));
        for (uint32_t i = 0; i < n; i++) {
            round->copies[i].ok = n < 4 || i > 0;
            round->copies[i].duration_s = n + 0.1 * i;
            round->copies[i].start_s = 0;
        }
        assert_int_equal(rounds_round_sum(round, NULL), 0);
    }
    buf_init(&out, SVG_MAX_BYTES);
    assert_int_equal(svg_rounds(&out, &(struct svg_run){ "pushes", r }, NULL), 0);
    svg = buf_detach(&out);
    assert_int_equal(occurrences(svg, "class=\"f0 faint\""), 6);
    assert_int_equal(occurrences(svg, "class=\"badline\""), 1);
    assert_non_null(strstr(svg, "3 rounds of 1 to 4 copies at once, 1 copies failed."));
    assert_non_null(strstr(svg, "cf &lt;push&gt;"));
    free(svg);
    result_free(r);
}

static void plots_have_names(void **state)
{
    enum svg_plot plot;

    (void)state;
    for (unsigned i = 0; i < SVG_PLOT_COUNT; i++) {
        assert_true(svg_plot_parse(&plot, slice_str(svg_plot_name((enum svg_plot)i))));
        assert_int_equal(plot, i);
    }
    assert_false(svg_plot_parse(&plot, SLICE("percentile")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_curve_ends_where_its_count_does),
        cmocka_unit_test(names_from_outside_are_text),
        cmocka_unit_test(who_can_not_see_is_told),
        cmocka_unit_test(nothing_to_draw_is_an_error),
        cmocka_unit_test(a_spike_outlives_being_one_of_many),
        cmocka_unit_test(a_matrix_is_rows_and_columns),
        cmocka_unit_test(rounds_show_every_copy),
        cmocka_unit_test(plots_have_names),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
