/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rounds: the figures of a round from its copies, the pattern of their ends, the document and back. */
#include "result/rounds.h"

#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "alloc_fail.h"
#include "result/result.h"

#define CLOSE 1e-9

static struct rounds_round *add_round(struct rounds_result *r, const double *durations, size_t count)
{
    struct rounds_round *round = rounds_result_add_round(r);

    assert_non_null(round);
    round->concurrency = (uint32_t)count;
    assert_true(rounds_result_set_copies(r, round, (uint32_t)count));
    for (size_t i = 0; i < count; i++) {
        round->copies[i].start_s = 0;
        round->copies[i].duration_s = durations[i];
        round->copies[i].exit = 0;
        round->copies[i].ok = true;
    }
    return round;
}

static struct rounds_result *new_rounds(void)
{
    struct rounds_result *r = NULL;

    assert_int_equal(rounds_result_new(&r, NULL), 0);
    assert_non_null(rounds_result_add_series(r, "a", "push app"));
    return r;
}

/* 30 of 32 succeeded in 55.4847 s on average over all 32: 55.4847 x 32 / 30 = 59.18 s for each success, and a copy that
 * failed fast does not make the mean of the successes look better. */
static void test_failures_never_make_it_look_better(void **state)
{
    (void)state;
    struct rounds_result *r = new_rounds();
    double durations[32];
    struct rounds_round *round;

    for (size_t i = 0; i < 32; i++)
        durations[i] = i < 30 ? 59.0 : (32 * 55.4847 - 30 * 59.0) / 2;
    round = add_round(r, durations, 32);
    round->copies[30].ok = round->copies[31].ok = false;
    assert_int_equal(rounds_round_sum(round, NULL), 0);
    assert_int_equal(round->ok, 30);
    assert_int_equal(round->failed, 2);
    assert_true(fabs(round->mean_s - 55.4847) < CLOSE);
    assert_true(fabs(round->mean_discounted_s - 55.4847 * 32 / 30) < CLOSE);
    assert_true(fabs(round->mean_ok_s - 59.0) < CLOSE);
    assert_true(fabs(round->min_s - 59.0) < CLOSE);
    rounds_result_free(r);
}

static void test_figures_of_a_round(void **state)
{
    (void)state;
    static const double DURATIONS[] = { 1, 2, 3, 6 };
    struct rounds_result *r = new_rounds();
    struct rounds_round *round = add_round(r, DURATIONS, 4);

    round->copies[3].start_s = 0.5;
    round->copies[0].user_s = 0.25;
    round->copies[1].user_s = 0.5;
    round->copies[2].max_rss_bytes = 4096;
    assert_int_equal(rounds_round_sum(round, NULL), 0);
    assert_true(fabs(round->mean_ok_s - 3) < CLOSE);
    assert_true(fabs(round->median_s - 2.5) < CLOSE);
    assert_true(fabs(round->stddev_s - sqrt(14.0 / 3)) < CLOSE);
    assert_true(fabs(round->makespan_s - 6.5) < CLOSE);
    assert_true(fabs(round->copies_per_s - 4 / 6.5) < CLOSE);
    assert_true(fabs(round->exec_spread_s - 0.5) < CLOSE);
    assert_true(fabs(round->user_s - 0.75) < CLOSE);
    assert_true(isnan(round->sys_s));
    assert_true(fabs(round->max_rss_bytes - 4096) < CLOSE);
    rounds_result_free(r);
}

static void test_nothing_ok_has_no_mean_of_the_ok(void **state)
{
    (void)state;
    static const double DURATIONS[] = { 1, NAN, 2 };
    struct rounds_result *r = new_rounds();
    struct rounds_round *round = add_round(r, DURATIONS, 3);

    round->copies[0].ok = round->copies[1].ok = round->copies[2].ok = false;
    round->copies[2].unfinished = true;
    assert_int_equal(rounds_round_sum(round, NULL), 0);
    assert_int_equal(round->ok, 0);
    assert_int_equal(round->failed, 2);
    assert_int_equal(round->unfinished, 1);
    assert_true(isnan(round->mean_ok_s) && isnan(round->mean_discounted_s) && isnan(round->stddev_s));
    assert_true(fabs(round->mean_s - 1) < CLOSE);
    rounds_result_free(r);
}

static void test_completion(void **state)
{
    (void)state;
    static const struct {
        const char *why;
        double ends[8];
        size_t count;
        double spread;
        enum completion want;
    } CASES[] = {
        { "one after another", { 0.33, 0.8, 1.3, 1.8, 2.3, 2.71 }, 6, (2.71 - 0.33) / 2.71, COMPLETION_EVEN },
        { "together", { 3.10, 2.95, 3.0 }, 3, 0.15 / 3.10, COMPLETION_TOGETHER },
        { "wide, but with a hole", { 1, 1.1, 2.9, 3 }, 4, 2.0 / 3, COMPLETION_MIXED },
        { "between the two", { 2, 2.5, 3 }, 3, 1.0 / 3, COMPLETION_MIXED },
        { "the limit of together", { 8.5, 10 }, 2, 0.15, COMPLETION_TOGETHER },
        { "the limit of evenly", { 0.5, 0.75, 1 }, 3, 0.5, COMPLETION_EVEN },
        { "no time passed", { 0, 0 }, 2, NAN, COMPLETION_UNKNOWN },
    };

    for (size_t i = 0; i < sizeof(CASES) / sizeof(CASES[0]); i++) {
        enum completion got;
        double ends[8], spread;

        memcpy(ends, CASES[i].ends, sizeof(ends));
        spread = rounds_completion(&got, ends, CASES[i].count);
        if (got != CASES[i].want || (isnan(spread) != isnan(CASES[i].spread)) || fabs(spread - CASES[i].spread) > CLOSE)
            fail_msg("%s: %s, %g", CASES[i].why, completion_text(got), spread);
    }
}

static struct result *sample(void)
{
    static const double DURATIONS[] = { 1.5, 2.25, 3 };
    struct strlist lines = STRLIST_INIT;
    struct result *result = NULL;
    struct rounds_result *r = NULL;
    struct rounds_round *round = NULL;
    struct rounds_series *series;

    assert_int_equal(result_new(&result, NULL), 0);
    assert_int_equal(result_make_rounds(result, NULL), 0);
    r = result->rounds;
    assert_true(rounds_result_add_phase(r, "upload", "transfers"));
    assert_true(rounds_result_add_phase(r, "stage", NULL));
    series = rounds_result_add_series(r, "a", "push app{i}");
    assert_non_null(series);
    series->scaling.verdict = SCALING_FITS;
    series->scaling.lambda = 0.031;
    series->scaling.peak_interval = (struct rounds_interval){ 30, 40.5 };
    round = add_round(r, DURATIONS, 3);
    round->sample = 2;
    round->at_s = 0.125;
    round->copies[0].phases[1] = 0.75;
    round->copies[1].ok = false;
    round->copies[1].exit = -1;
    round->copies[1].signal = SIGKILL;
    round->copies[1].timed_out = true;
    round->copies[1].failure = slice_dup(SLICE("timed out after 2 s"));
    assert_true(strlist_add(&round->copies[1].last_lines, SLICE("FAILED")));
    assert_true(strlist_add(&lines, SLICE("no such app")));
    assert_true(rounds_round_add_hook_failure(round, "setup", 3, "exit 1", &lines));
    assert_true(strlist_add(&round->left_behind, SLICE("copy 1: sleep 60 (pid 4711)")));
    assert_int_equal(rounds_round_sum(round, NULL), 0);
    assert_non_null(rounds_result_add_round(r)); /* with nothing known */
    return result;
}

static void test_document_and_back(void **state)
{
    (void)state;
    struct result *result = sample(), *back = NULL;
    struct err err = { 0 };
    struct buf first, second;

    buf_init(&first, 1u << 20);
    buf_init(&second, 1u << 20);
    assert_int_equal(result_to_json(result, &first, NULL), 0);
    if (result_from_json(&back, buf_slice(&first), &err) != 0)
        fail_msg("%s", err.what);
    assert_int_equal(result_to_json(back, &second, NULL), 0);
    assert_string_equal(first.data, second.data);
    assert_int_equal(back->rounds->rounds[0].copies[1].signal, SIGKILL);
    assert_true(fabs(back->rounds->rounds[0].copies[0].phases[1] - 0.75) < CLOSE);
    assert_true(isnan(back->rounds->rounds[0].copies[0].phases[0]));
    assert_true(isnan(back->rounds->rounds[1].mean_s));
    buf_release(&first);
    buf_release(&second);
    result_free(result);
    result_free(back);
}

static void test_strange_documents_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *why, *from, *to;
    } CASES[] = {
        { "a series that is not there", "\"series\": 0", "\"series\": 7" },
        { "an unknown pattern", "\"evenly spread\"", "\"backwards\"" },
        { "an unknown verdict", "\"fits\"", "\"shrinks\"" },
        { "a count below zero", "\"concurrency\": 3", "\"concurrency\": -3" },
        { "a count too large", "\"concurrency\": 3", "\"concurrency\": 4294967296" },
        { "a phase without a name", "\"name\": \"stage\"", "\"gname\": \"stage\"" },
        { "copies that are none", "\"copies\": [\n", "\"copies\": [ 1,\n" },
        { "a duration in words", "\"duration_s\": 1.5", "\"duration_s\": \"1.5\"" },
    };
    struct result *result = sample();
    struct buf json;

    result->rounds->rounds[0].completion = COMPLETION_EVEN;
    buf_init(&json, 1u << 20);
    assert_int_equal(result_to_json(result, &json, NULL), 0);
    for (size_t i = 0; i < sizeof(CASES) / sizeof(CASES[0]); i++) {
        const ptrdiff_t at = slice_find_slice(buf_slice(&json), slice_str(CASES[i].from));
        struct result *back = NULL;
        struct buf bad;

        if (at < 0)
            fail_msg("%s: %s is not in the document", CASES[i].why, CASES[i].from);
        buf_init(&bad, 1u << 20);
        buf_add_slice(&bad, slice_take(buf_slice(&json), (size_t)at));
        buf_add_str(&bad, CASES[i].to);
        buf_add_slice(&bad, slice_drop(buf_slice(&json), (size_t)at + strlen(CASES[i].from)));
        if (result_from_json(&back, buf_slice(&bad), NULL) == 0)
            fail_msg("%s: taken", CASES[i].why);
        assert_null(back);
        buf_release(&bad);
    }
    buf_release(&json);
    result_free(result);
}

static void test_reading_survives_every_refused_allocation(void **state)
{
    (void)state;
    struct result *result = sample();
    struct buf json;
    bool refused = true;

    buf_init(&json, 1u << 20);
    assert_int_equal(result_to_json(result, &json, NULL), 0);
    for (unsigned nth = 1; refused; nth++) {
        struct result *back = NULL;
        int rc;

        alloc_fail_at(nth);
        rc = result_from_json(&back, buf_slice(&json), NULL);
        refused = alloc_fail_end();
        if (rc == 0 && refused && back->rounds->rounds[0].copy_count != 3)
            fail_msg("allocation %u was refused and nobody said so", nth);
        assert_true((rc == 0) == (back != NULL));
        result_free(back);
    }
    buf_release(&json);
    result_free(result);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_failures_never_make_it_look_better),
        cmocka_unit_test(test_figures_of_a_round),
        cmocka_unit_test(test_nothing_ok_has_no_mean_of_the_ok),
        cmocka_unit_test(test_completion),
        cmocka_unit_test(test_document_and_back),
        cmocka_unit_test(test_strange_documents_are_refused),
        cmocka_unit_test(test_reading_survives_every_refused_allocation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
