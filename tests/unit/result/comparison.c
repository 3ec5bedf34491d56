/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sides without documents: cells, differences, order in time, rules, and running out of memory. */
#include "result/comparison.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "alloc_fail.h"

#define COUNT(x) (sizeof(x) / sizeof((x)[0]))

static void add(struct side *s, const char *cell, double rate, const char *started, const char *session)
{
    struct record *r = side_add(s, "file");

    assert_non_null(r);
    snprintf(r->started, sizeof(r->started), "%s", started);
    assert_true(record_add_fact(r, FACT_CELL, "cell", cell));
    assert_true(record_add_metric(r, "requests_per_s", rate, true, false));
    assert_true(session == NULL || record_set_session(r, session));
}

static void make(struct comparison *c, const struct side *base, const struct side *new,
                 const struct comparison_options *options)
{
    struct err err = { 0 };

    if (comparison_make(c, base, new, NULL, options, &err) != 0)
        fail_msg("%s", err.what);
}

/* Starts of base and new, and what that means. */
static const struct order_case {
    const char *why;
    const char *base[4], *new[4];
    const char *session_base, *session_new;
    enum compare_design want;
} ORDERS[] = {
    { "in turn", { "01", "03", "05" }, { "02", "04", "06" }, NULL, NULL, COMPARE_INTERLEAVED },
    { "in turn, now this one first, now that",
      { "01", "04", "05" },
      { "02", "03", "06" },
      NULL,
      NULL,
      COMPARE_INTERLEAVED },
    { "one after the other", { "01", "02", "03" }, { "04", "05", "06" }, NULL, NULL, COMPARE_SESSIONS },
    { "one more on a side", { "01", "03", "05", "07" }, { "02", "04", "06" }, NULL, NULL, COMPARE_SESSIONS },
    { "once each is no turn", { "01" }, { "02" }, NULL, NULL, COMPARE_SESSIONS },
    { "a swapped pair", { "01", "02", "05" }, { "03", "04", "06" }, NULL, NULL, COMPARE_SESSIONS },
    { "no times", { "", "", "" }, { "", "", "" }, NULL, NULL, COMPARE_SESSIONS },
    { "one session", { "01", "02", "03" }, { "04", "05", "06" }, "s", "s", COMPARE_ONE_SESSION },
    { "one session in turn", { "01", "03" }, { "02", "04" }, "s", "s", COMPARE_INTERLEAVED },
    { "two sessions, whatever the times say", { "01", "03" }, { "02", "04" }, "s", "t", COMPARE_SESSIONS },
};

static void order_in_time(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(ORDERS); i++) {
        const struct order_case *o = &ORDERS[i];
        struct side base = { 0 }, new = { 0 };
        struct comparison c;

        for (size_t k = 4; k-- > 0;) {
            if (o->base[k] != NULL)
                add(&base, "x", 100, o->base[k], o->session_base);
            if (o->new[k] != NULL)
                add(&new, "x", 100, o->new[k], o->session_new);
        }
        make(&c, &base, &new, &(struct comparison_options){ 0 });
        if (c.design != o->want)
            fail_msg("%s: %d", o->why, (int)c.design);
        comparison_release(&c);
        side_release(&base);
        side_release(&new);
    }
}

static void same_session_is_a_vow(void **state)
{
    struct side base = { 0 }, new = { 0 };
    struct comparison c;

    (void)state;
    for (int i = 0; i < 3; i++) {
        add(&base, "x", 100 + i, "01", NULL);
        add(&new, "x", 50 + i, "02", NULL);
    }
    make(&c, &base, &new, &(struct comparison_options){ 0 });
    assert_int_equal(c.metrics[0].out.cells[0].verdict, COMPARE_SUSPECT);
    assert_int_equal(comparison_exit_code(&c, false), 0);
    comparison_release(&c);
    make(&c, &base, &new, &(struct comparison_options){ .same_session = true });
    assert_int_equal(c.metrics[0].out.cells[0].verdict, COMPARE_REGRESSED);
    assert_int_equal(comparison_exit_code(&c, false), 1);
    comparison_release(&c);
    side_release(&base);
    side_release(&new);
}

static void cells_are_in_the_order_of_their_numbers(void **state)
{
    static const char *const NAMES[] = { "edge/10", "edge/9", "http/1", "edge/100" };
    static const char *const WANT[] = { "edge/9", "edge/10", "edge/100", "http/1" };
    struct side base = { 0 }, new = { 0 };
    struct comparison c;

    (void)state;
    for (size_t i = 0; i < 4; i++) {
        add(&base, NAMES[i], 100, "", NULL);
        add(&new, NAMES[3 - i], 100, "", NULL);
    }
    make(&c, &base, &new, &(struct comparison_options){ 0 });
    assert_int_equal(c.cell_count, 4);
    for (size_t i = 0; i < 4; i++)
        assert_string_equal(c.cells[i].label, WANT[i]);
    comparison_release(&c);
    side_release(&base);
    side_release(&new);
}

static struct side side_with(enum fact_role role, const char *const *values, size_t n)
{
    struct side s = { 0 };

    for (size_t i = 0; i < n; i++) {
        struct record *r = side_add(&s, "file");

        assert_non_null(r);
        assert_true(values[i] == NULL || record_add_fact(r, role, "thing", values[i]));
        assert_true(record_add_metric(r, "requests_per_s", 100, true, false));
    }
    return s;
}

static void what_differs(void **state)
{
    static const struct {
        const char *why;
        enum fact_role role;
        const char *base[2], *new[2];
        size_t cells, differences;
        enum compare_verdict want;
    } CASES[] = {
        { "the same", FACT_WORKLOAD, { "1", "1" }, { "1", "1" }, 1, 0, COMPARE_INCONCLUSIVE },
        { "another workload", FACT_WORKLOAD, { "1", "1" }, { "2", "2" }, 1, 1, COMPARE_NOT_COMPARABLE },
        { "a workload that one side lacks", FACT_WORKLOAD, { "1", "1" }, { NULL, NULL }, 1, 1, COMPARE_NOT_COMPARABLE },
        { "two workloads are two cells", FACT_WORKLOAD, { "1", "2" }, { "1", "2" }, 2, 0, COMPARE_INCONCLUSIVE },
        { "another place", FACT_PLACE, { "a", "a" }, { "b", "b" }, 1, 1, COMPARE_INCONCLUSIVE },
        { "another label", FACT_LABEL, { "a", "a" }, { "b", "b" }, 1, 1, COMPARE_INCONCLUSIVE },
        { "another machine", FACT_HOST, { "a", "a" }, { "b", "b" }, 1, 1, COMPARE_INCONCLUSIVE },
        { "machines that vary make no cells", FACT_HOST, { "a", "b" }, { "a", "b" }, 1, 1, COMPARE_INCONCLUSIVE },
        { "other cells", FACT_CELL, { "a", "a" }, { "b", "b" }, 2, 0, COMPARE_MISSING },
    };

    (void)state;
    for (size_t i = 0; i < COUNT(CASES); i++) {
        struct side base = side_with(CASES[i].role, CASES[i].base, 2), new = side_with(CASES[i].role, CASES[i].new, 2);
        struct comparison c;

        make(&c, &base, &new, &(struct comparison_options){ 0 });
        if (c.cell_count != CASES[i].cells || c.differences.count != CASES[i].differences ||
            c.metrics[0].out.cells[0].verdict != CASES[i].want)
            fail_msg("%s: %zu cells, %zu differences, %s", CASES[i].why, c.cell_count, c.differences.count,
                     compare_verdict_text(c.metrics[0].out.cells[0].verdict));
        comparison_release(&c);
        side_release(&base);
        side_release(&new);
    }
}

static void an_empty_side_is_missing(void **state)
{
    struct side base = { 0 }, none = { 0 };
    struct comparison c;
    struct err err = { 0 };

    (void)state;
    add(&base, "x", 100, "", NULL);
    make(&c, &base, &none, &(struct comparison_options){ 0 });
    assert_int_equal(comparison_exit_code(&c, false), 3);
    comparison_release(&c);
    assert_int_equal(comparison_make(&c, &none, &none, NULL, &(struct comparison_options){ 0 }, &err), -1);
    assert_int_equal(err.kind, ERR_USAGE);
    comparison_release(&c);
    side_release(&base);
}

static void add_rule(struct tolerance_rules *rules, const char *path, double tolerancy)
{
    struct strlist parts = STRLIST_INIT;

    assert_true(tolerance_path_split(&parts, slice_str(path)));
    assert_int_equal(tolerance_rules_add(rules, &parts, tolerancy, 0, NULL), 0);
    strlist_release(&parts);
}

static void rules_are_checked(void **state)
{
    static const struct {
        const char *why, *path;
        double tolerancy, max_failures;
        bool good;
    } CASES[] = {
        { "names, values and a metric", "a/*/b/1/m", -10, 33.5, true },
        { "a metric alone", "m", 0, 0, true },
        { "a name without a value", "a/m", 0, 0, false },
        { "nothing", "", 0, 0, false },
        { "slashes alone", "///", 0, 0, false },
        { "no number", "m", NAN, 0, false },
        { "infinite", "m", INFINITY, 0, false },
        { "more than all may fail", "m", 0, 101, false },
        { "less than none may fail", "m", 0, -1, false },
    };

    (void)state;
    for (size_t i = 0; i < COUNT(CASES); i++) {
        struct tolerance_rules rules = { 0 };
        struct strlist parts = STRLIST_INIT;
        struct err err = { 0 };

        assert_true(tolerance_path_split(&parts, slice_str(CASES[i].path)));
        if ((tolerance_rules_add(&rules, &parts, CASES[i].tolerancy, CASES[i].max_failures, &err) == 0) !=
                CASES[i].good ||
            rules.count != CASES[i].good)
            fail_msg("%s: %s", CASES[i].why, err.what);
        strlist_release(&parts);
        tolerance_rules_release(&rules);
    }
}

static void rules_match(void **state)
{
    char *VALUES[] = { (char[]){ "edge" }, (char[]){ "500" } };
    char *NAMES[] = { (char[]){ "test_type" }, (char[]){ "routes" }, NULL };
    static const struct {
        const char *why, *path, *metric;
        bool want;
    } CASES[] = {
        { "all of it", "test_type/edge/routes/500/m", "m", true },
        { "any value", "test_type/*/routes/*/m", "m", true },
        { "a part of it", "routes/500/m", "m", true },
        { "another value", "test_type/http/m", "m", false },
        { "another metric", "test_type/edge/m", "n", false },
        { "any metric", "test_type/edge/*", "n", true },
        { "a dimension that is not there, with any value", "colour/*/m", "m", true },
        { "a dimension that is not there", "colour/red/m", "m", false },
        { "avg() around the metric", "test_type/edge/avg(m)", "m", true },
    };
    const struct strlist names = { NAMES, 2 };

    (void)state;
    for (size_t i = 0; i < COUNT(CASES); i++) {
        struct tolerance_rules rules = { 0 };

        add_rule(&rules, CASES[i].path, -1);
        if (tolerance_rule_matches(&rules.items[0], &names, VALUES, CASES[i].metric) != CASES[i].want)
            fail_msg("%s", CASES[i].why);
        tolerance_rules_release(&rules);
    }
}

static void what_is_missing_breaks_a_rule(void **state)
{
    struct side base = { 0 }, new = { 0 };
    struct tolerance_rules rules = { 0 };
    struct comparison c;

    (void)state;
    add(&base, "here", 100, "", NULL);
    add(&new, "here", 100, "", NULL);
    add(&base, "gone", 100, "", NULL);
    add_rule(&rules, "cell/*/requests_per_s", -50);
    make(&c, &base, &new, &(struct comparison_options){ .rules = &rules });
    assert_int_equal(rules.items[0].comparisons, 2);
    assert_int_equal(rules.items[0].failures, 1);
    assert_int_equal(comparison_exit_code(&c, false), 1);
    comparison_release(&c);
    tolerance_rules_release(&rules);
    side_release(&base);
    side_release(&new);
}

/* Everything once more for each allocation that may fail: an error, no crash, nothing lost. */
static void memory_runs_out(void **state)
{
    (void)state;
    for (unsigned nth = 1;; nth++) {
        struct side sides[2] = { { 0 } };
        struct comparison c = { 0 };
        struct err err = { 0 };
        bool ok = true, refused;
        int made = -1;

        alloc_fail_at(nth);
        for (int i = 0; i < 12 && ok; i++) {
            struct record *r = side_add(&sides[i % 2], "file");
            char value[8];

            snprintf(value, sizeof(value), "%d", i % 3);
            ok = r != NULL && record_add_fact(r, FACT_WORKLOAD, "connections", value) &&
                 record_add_fact(r, FACT_HOST, "cpu", value) && record_add_sighting(r, "status 2xx", 5) &&
                 record_add_metric(r, "requests_per_s", 100 + i, true, false) &&
                 record_add_metric(r, "error_share", 0.1, false, true) && record_set_reason(r, "a warning");
            if (ok) {
                r->requests = 10;
                r->failures = 1;
            }
        }
        if (ok)
            made = comparison_make(&c, &sides[0], &sides[1], NULL, &(struct comparison_options){ 0 }, &err);
        refused = alloc_fail_end();
        comparison_release(&c);
        side_release(&sides[0]);
        side_release(&sides[1]);
        if (!refused) {
            assert_int_equal(made, 0);
            break;
        }
        if (made == 0)
            fail_msg("allocation %u was refused and nobody said so", nth);
        assert_true(nth < 2000);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(order_in_time),
        cmocka_unit_test(same_session_is_a_vow),
        cmocka_unit_test(cells_are_in_the_order_of_their_numbers),
        cmocka_unit_test(what_differs),
        cmocka_unit_test(an_empty_side_is_missing),
        cmocka_unit_test(rules_are_checked),
        cmocka_unit_test(rules_match),
        cmocka_unit_test(what_is_missing_breaks_a_rule),
        cmocka_unit_test(memory_runs_out),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
