/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A history out of everything that is stored as unchanged code; and what a comparison is worth, on figures whose answer
 * is known. */
#include "result/side_alike.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "result/calibration.h"

static struct record *add(struct side *s, const char *id, const char *session, const char *connections, double value)
{
    struct record *r = side_add(s, id);

    assert_non_null(r);
    snprintf(r->id, sizeof(r->id), "%s", id);
    assert_true(session == NULL || record_set_session(r, session));
    assert_true(record_add_fact(r, FACT_HOST, "hostname", id) &&
                record_add_fact(r, FACT_WORKLOAD, "connections", connections) &&
                record_add_metric(r, "requests_per_s", value, true, false));
    return r;
}

static void ids(const struct side *s, char out[64])
{
    size_t n = 0;

    for (size_t i = 0; i < s->count && n + 1 < 64; i++)
        out[n++] = s->records[i].id[0];
    out[n] = '\0';
}

static void test_only_what_did_the_same_is_kept(void **state)
{
    struct side base = { 0 }, new = { 0 }, history = { 0 };
    char got[64];

    (void)state;
    add(&base, "b", NULL, "2", 1);
    add(&new, "n", NULL, "4", 1);
    add(&history, "h", "1", "2", 1);
    add(&history, "i", "1", "3", 1);
    add(&history, "j", "2", "4", 1);
    assert_true(record_add_fact(add(&history, "k", "2", "2", 1), FACT_CELL, "routes", "500"));
    assert_true(side_keep_alike(&history, &base, &new));
    ids(&history, got);
    assert_string_equal(got, "hj");
    side_release(&base);
    side_release(&new);
    side_release(&history);
}

static void test_sessions_of_a_side_are_no_history_of_it(void **state)
{
    struct side base = { 0 }, history = { 0 };
    char got[64];

    (void)state;
    add(&base, "b", NULL, "2", 1);
    add(&history, "a", "1", "2", 1);
    add(&history, "b", "2", "2", 1);
    add(&history, "c", "2", "2", 1);
    add(&history, "d", "3", "2", 1);
    side_drop_sessions_of(&history, &base);
    ids(&history, got);
    assert_string_equal(got, "ad");
    side_release(&base);
    side_release(&history);
}

static void test_a_side_of_several_sessions_gets_them(void **state)
{
    static const struct {
        const char *why, *side;
        bool takes;
    } CASES[] = {
        { "all of two sessions", "abc", true },
        { "all of one session", "bc", false },
        { "one is of none", "abx", false },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(CASES) / sizeof(CASES[0]); i++) {
        struct side side = { 0 }, history = { 0 };

        add(&history, "a", "1", "2", 1);
        add(&history, "b", "2", "2", 1);
        add(&history, "c", "2", "2", 1);
        for (const char *c = CASES[i].side; *c != '\0'; c++)
            add(&side, (const char[]){ *c, '\0' }, NULL, "2", 1);
        assert_true(side_take_sessions(&side, &history));
        for (size_t k = 0; k < side.count; k++)
            if ((side.records[k].session != NULL) != CASES[i].takes)
                fail_msg("%s: record %zu", CASES[i].why, k);
        side_release(&side);
        side_release(&history);
    }
}

/* Roughly normal, mean 0, deviation 1. */
static double noise(struct rng *rng)
{
    double sum = -6;

    for (int i = 0; i < 12; i++)
        sum += rng_unit(rng);
    return sum;
}

static void fill(struct side *s, unsigned sessions, unsigned each, double between, double within)
{
    struct rng rng;

    rng_init(&rng, 7);
    for (unsigned i = 0; i < sessions; i++) {
        const double day = 1 + between * noise(&rng);

        for (unsigned k = 0; k < each; k++) {
            char id[32], session[16];

            snprintf(id, sizeof(id), "%u-%u", i, k);
            snprintf(session, sizeof(session), "day %u", i);
            add(s, id, session, "2", 1000 * day * (1 + within * noise(&rng)));
        }
    }
}

static struct calibration_metric calibrated(unsigned sessions, unsigned each, double between, double within)
{
    const struct comparison_options options = { 0 };
    struct side runs = { 0 };
    struct calibration c;
    struct calibration_metric m;
    struct err err = { 0 };

    fill(&runs, sessions, each, between, within);
    if (calibration_make(&c, &runs, &options, &err) != 0)
        fail_msg("%s", err.what);
    assert_int_equal(c.sessions, sessions);
    assert_int_equal(c.metric_count, 1);
    m = c.metrics[0];
    m.name = NULL;
    calibration_release(&c);
    side_release(&runs);
    return m;
}

static void test_what_a_comparison_is_worth(void **state)
{
    struct calibration_metric quiet = calibrated(6, 5, 0.003, 0.002), noisy = calibrated(6, 5, 0.06, 0.002);
    struct calibration_metric few = calibrated(4, 5, 0.003, 0.002), one = calibrated(1, 12, 0, 0.01);

    (void)state;
    assert_int_equal(quiet.comparisons, 15);
    assert_true(quiet.alarms <= 2);
    assert_true(quiet.found_change >= 0.03 && quiet.found_change < 0.08);
    assert_true(isnan(noisy.found_change) || noisy.found_change > 2 * quiet.found_change);
    assert_int_equal(few.comparisons, 6); /* two others are no history: nothing can be called regressed */
    assert_int_equal(few.alarms, 0);
    assert_true(isnan(few.found_change));
    assert_int_equal(one.comparisons, CALIBRATION_DEALS);
    assert_true(one.alarms < CALIBRATION_DEALS / 10);
    assert_true(one.found_change >= 0.01 && one.found_change < 0.1);
}

static void test_too_few_runs(void **state)
{
    const struct comparison_options options = { 0 };
    struct side runs = { 0 };
    struct calibration c;
    struct err err = { 0 };

    (void)state;
    fill(&runs, 1, 3, 0, 0.01);
    assert_int_equal(calibration_make(&c, &runs, &options, &err), -1);
    assert_int_equal(err.kind, ERR_CONFIG);
    calibration_release(&c);
    side_release(&runs);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_only_what_did_the_same_is_kept),
        cmocka_unit_test(test_sessions_of_a_side_are_no_history_of_it),
        cmocka_unit_test(test_a_side_of_several_sessions_gets_them),
        cmocka_unit_test(test_what_a_comparison_is_worth),
        cmocka_unit_test(test_too_few_runs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
