/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What rounds say together: sizes and their phases, the scaling law of the published pushes, promises. */
#include "result/rounds_scaling.h"

#include <math.h>
#include <string.h>

#include "alloc_fail.h"
#include "push.h"
#include "result/result.h"

static struct result *new_rounds(void)
{
    struct result *r = NULL;

    assert_int_equal(result_new(&r, NULL), 0);
    assert_int_equal(result_make_rounds(r, NULL), 0);
    return r;
}

static void add_average(struct rounds_result *r, uint32_t series, uint32_t n, double mean_s, uint32_t failed)
{
    struct rounds_round *round = rounds_result_add_round(r);

    assert_non_null(round);
    round->series = series;
    round->concurrency = n;
    round->mean_s = mean_s;
    round->ok = n - failed;
    round->failed = failed;
    round->mean_discounted_s = mean_s * n / (n - failed);
}

static void add_series(struct rounds_result *r, const char *name)
{
    assert_non_null(rounds_result_add_series(r, name, NULL));
}

/* A round of copies of which those named in failed did so. */
static struct rounds_round *add_copies(struct rounds_result *r, uint32_t n, const double *durations, unsigned failed)
{
    struct rounds_round *round = rounds_result_add_round(r);

    assert_non_null(round);
    round->concurrency = n;
    assert_true(rounds_result_set_copies(r, round, n));
    for (uint32_t i = 0; i < n; i++) {
        round->copies[i].ok = (failed >> i & 1u) == 0;
        round->copies[i].start_s = 0;
        round->copies[i].duration_s = durations[i];
    }
    assert_int_equal(rounds_round_sum(round, NULL), 0);
    return round;
}

static struct result *published(void)
{
    static const uint32_t FAILED[4][PUSH_ROUNDS] = { { 0 }, { 0, 0, 0, 0, 0, 1 }, { 0, 0, 0, 0, 0, 2 }, { 0 } };
    struct result *r = new_rounds();

    for (uint32_t i = 0; i < 4; i++) {
        add_series(r->rounds, PUSH_PLATFORMS[i].platform);
        for (size_t k = 0; k < PUSH_ROUNDS; k++)
            add_average(r->rounds, i, (uint32_t)PUSH_AT_ONCE[k], PUSH_PLATFORMS[i].mean_s[k], FAILED[i][k]);
    }
    assert_int_equal(rounds_scale(r->rounds, NULL), 0);
    return r;
}

static void test_published_platforms(void **state)
{
    static const double PEAKS[] = { 35.1, 39.1, 62.7 };
    struct result *r = published();
    const struct rounds_series *s = r->rounds->series;

    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(s[i].scaling.verdict, SCALING_FITS);
        assert_true(fabs(s[i].scaling.peak_concurrency - PEAKS[i]) <= 1 && s[i].scaling.extrapolated);
        assert_true(isnan(s[i].scaling.peak_interval.low)); /* one sample a point */
        assert_true(fabs(rounds_scaling_duration_s(&s[i].scaling, 16) / PUSH_PLATFORMS[i].mean_s[4] - 1) < 0.05);
    }
    assert_null(s[0].scaling.note);
    assert_non_null(strstr(s[2].scaling.note, "without them the peak is at 4"));
    assert_int_equal(s[3].scaling.verdict, SCALING_DOES_NOT_FIT);
    assert_true(isnan(s[3].scaling.lambda) && isnan(s[3].scaling.peak_concurrency));
    assert_string_equal(s[3].scaling.note,
                        "16 at once took 27.2 s each, less than one alone (31.9 s): the law has no room for that");
    result_free(r);
    (void)state;
}

static void test_too_few_sizes(void **state)
{
    struct result *r = new_rounds();

    add_series(r->rounds, "a");
    assert_int_equal(rounds_scale(r->rounds, NULL), 0);
    assert_int_equal(r->rounds->series[0].scaling.verdict, SCALING_TOO_FEW_POINTS);
    for (uint32_t n = 1; n <= 3; n++)
        add_average(r->rounds, 0, n, 1, 0);
    assert_int_equal(rounds_scale(r->rounds, NULL), 0);
    assert_int_equal(r->rounds->series[0].scaling.verdict, SCALING_TOO_FEW_POINTS);
    assert_string_equal(r->rounds->series[0].scaling.note, "3 sizes: the law needs 4 at least");
    result_free(r);
    (void)state;
}

/* A copy that failed fast is in no average that the law or a promise sees. */
static void test_failures_make_nothing_look_better(void **state)
{
    struct result *r = new_rounds();
    struct rounds_sizes sizes;
    const struct rounds_size *of;
    size_t count;

    add_series(r->rounds, "a");
    add_copies(r->rounds, 4, (const double[]){ 10, 10, 0.1, 10 }, 1u << 2);
    add_copies(r->rounds, 4, (const double[]){ 12, 12, 12, 12 }, 0);
    add_copies(r->rounds, 2, (const double[]){ 0.1, 0.1 }, 3);
    assert_int_equal(rounds_sizes_of(&sizes, r->rounds, NULL), 0);
    of = rounds_sizes_of_series(&sizes, 0, &count);
    assert_int_equal(count, 2);
    assert_int_equal(of[0].concurrency, 2);
    assert_true(isnan(of[0].duration_s) && of[0].mean_count == 0 && of[0].failed == 2);
    assert_true(of[1].duration_s == 11 && of[1].rounds == 2 && of[1].ok == 7 && !of[1].counts_failures);
    rounds_sizes_of_series(&sizes, 7, &count);
    assert_int_equal(count, 0);
    rounds_sizes_release(&sizes);
    result_free(r);
    (void)state;
}

static void test_phases_and_groups(void **state)
{
    const double both[] = { 20, 30 };
    struct result *r = new_rounds();
    struct rounds_part groups[4];
    struct rounds_sizes sizes;
    struct rounds_round *round;

    add_series(r->rounds, "a");
    assert_true(rounds_result_add_phase(r->rounds, "up", "transfers") &&
                rounds_result_add_phase(r->rounds, "stage", NULL) &&
                rounds_result_add_phase(r->rounds, "down", "transfers") &&
                rounds_result_add_phase(r->rounds, "start", "lonely"));
    round = add_copies(r->rounds, 2, both, 0);
    round->copies[0].phases[0] = 4;
    round->copies[0].phases[1] = 6;
    round->copies[1].phases[0] = 8;
    round->copies[1].phases[1] = 10;
    round->copies[1].phases[2] = 3;
    add_copies(r->rounds, 2, both, 0); /* printed nothing: no phases, and no part in their means */
    assert_int_equal(rounds_sizes_of(&sizes, r->rounds, NULL), 0);
    assert_int_equal(sizes.count, 1);
    assert_int_equal(sizes.items[0].followed, 2);
    assert_true(sizes.items[0].phases[0] == 6 && sizes.items[0].phases[1] == 8 && sizes.items[0].phases[2] == 1.5);
    assert_true(sizes.items[0].followed_s == 25 && sizes.items[0].other_s == 25 - 15.5);
    assert_int_equal(rounds_groups(r->rounds, groups, 4), 1); /* a group of one says nothing of its own */
    assert_string_equal(groups[0].name, "transfers");
    assert_true(rounds_part_s(r->rounds, &sizes.items[0], &groups[0]) == 7.5);
    assert_true(rounds_part_s(r->rounds, &sizes.items[0], &(struct rounds_part){ .phase = 1 }) == 8);
    rounds_sizes_release(&sizes);
    result_free(r);
    (void)state;
}

static const struct promise_case {
    const char *why, *slo;
    uint32_t series, largest, broken;
    double law_min, law_max; /* NAN: not known */
    bool kept;
} PROMISES[] = {
    { "the law reads between sizes", "mean<45s", 0, 8, 16, 14, 15, true },
    { "the second platform", "mean<45s", 1, 16, 32, 17, 20, true },
    { "without a law, only what was measured", "mean<45s", 3, 32, 0, NAN, NAN, true },
    { "sizes above one that breaks do not count", "mean<33s", 3, 2, 4, NAN, NAN, true },
    { "not even one alone", "mean<30s", 0, 0, 1, 0, 0, false },
    { "beyond what was measured", "mean<100s", 0, 32, 0, 39, 46, true },
    { "failures", "errors<1%", 1, 16, 32, NAN, NAN, true },
    { "an average that counts failures is taken without them", "mean<57s", 2, 16, 32, 28, 32, true },
    { "what is not known keeps no promise", "p90<100s", 0, 0, 1, NAN, NAN, false },
    { "two at once", "mean<45s,errors<1%", 1, 16, 32, NAN, NAN, true },
};

static void test_promises(void **state)
{
    for (size_t i = 0; i < sizeof(PROMISES) / sizeof(PROMISES[0]); i++) {
        const struct promise_case *t = &PROMISES[i];
        struct result *r = published();
        const struct rounds_promise *p = &r->rounds->series[t->series].promise;
        struct slo slo;

        assert_int_equal(slo_parse(&slo, slice_str(t->slo), NULL), 0);
        assert_int_equal(rounds_slo_check(&slo, NULL), 0);
        assert_int_equal(rounds_judge(r, &slo, NULL), 0);
        if (p->largest != t->largest || p->broken != t->broken)
            fail_msg("%s: up to %u, broken by %u", t->why, p->largest, p->broken);
        if (isnan(t->law_min) ? !isnan(p->by_law) : !(p->by_law >= t->law_min && p->by_law <= t->law_max))
            fail_msg("%s: by the law %g", t->why, p->by_law);
        if (!isnan(t->law_min) && p->extrapolated != (t->law_min > 32))
            fail_msg("%s: extrapolated", t->why);
        if (result_promises_kept(r) != t->kept)
            fail_msg("%s: kept is wrong", t->why);
        slo_release(&slo);
        result_free(r);
    }
    (void)state;
}

static void test_promises_over_copies(void **state)
{
    static const struct {
        const char *slo;
        bool kept;
    } CASES[] = { { "p50<=2s", true },     { "p50<2s", false },     { "p75<=3s", true },
                  { "max<=4s", true },     { "max<4s", false },     { "min<1s", false },
                  { "stddev<1.3s", true }, { "errors<=20%", true }, { "errors<20%", false } };

    for (size_t i = 0; i < sizeof(CASES) / sizeof(CASES[0]); i++) {
        struct result *r = new_rounds();
        struct slo slo;

        add_series(r->rounds, "a");
        add_copies(r->rounds, 5, (const double[]){ 4, 2, 0.1, 3, 1 }, 1u << 2);
        assert_int_equal(slo_parse(&slo, slice_str(CASES[i].slo), NULL), 0);
        assert_int_equal(rounds_judge(r, &slo, NULL), 0);
        if (result_promises_kept(r) != CASES[i].kept)
            fail_msg("%s is wrong: %g", CASES[i].slo, r->promises[0].observed);
        slo_release(&slo);
        result_free(r);
    }
    (void)state;
}

static void test_promises_of_requests_are_refused(void **state)
{
    static const char *const BAD[] = { "service_p99<1s", "connect_p50<1s", "requests_per_s>5", "p99@2xx<1s",
                                       "errors@1<1%" };

    for (size_t i = 0; i < sizeof(BAD) / sizeof(BAD[0]); i++) {
        struct err err = { 0 };
        struct slo slo;

        assert_int_equal(slo_parse(&slo, slice_str(BAD[i]), NULL), 0);
        if (rounds_slo_check(&slo, &err) == 0 || err.kind != ERR_USAGE || err.hint[0] == '\0')
            fail_msg("%s: taken", BAD[i]);
        slo_release(&slo);
    }
    (void)state;
}

static void test_the_document_keeps_it(void **state)
{
    struct result *r = published(), *back = NULL;
    struct slo slo;
    struct buf json;

    assert_int_equal(slo_parse(&slo, SLICE("mean<45s"), NULL), 0);
    assert_int_equal(rounds_judge(r, &slo, NULL), 0);
    buf_init(&json, 1u << 20);
    assert_int_equal(result_to_json(r, &json, NULL), 0);
    assert_int_equal(result_from_json(&back, buf_slice(&json), NULL), 0);
    assert_int_equal(back->rounds->series[1].promise.largest, 16);
    assert_int_equal(back->rounds->series[1].promise.broken, 32);
    assert_true(back->rounds->series[1].promise.by_law == r->rounds->series[1].promise.by_law);
    assert_string_equal(back->rounds->series[1].promise.clauses, "mean<45s");
    assert_true(isnan(back->rounds->series[3].promise.by_law));
    buf_release(&json);
    slo_release(&slo);
    result_free(back);
    result_free(r);
    (void)state;
}

static void test_published_uploads(void **state)
{
    enum completion pattern;
    double ends[16];

    memcpy(ends, UPLOADS_DIRECT_S, sizeof(ends));
    assert_true(fabs(rounds_completion(&pattern, ends, 16) - 0.88) < 0.005);
    assert_int_equal(pattern, COMPLETION_EVEN);
    memcpy(ends, UPLOADS_SERVICE_S, sizeof(ends));
    assert_true(fabs(rounds_completion(&pattern, ends, 16) - 0.05) < 0.005);
    assert_int_equal(pattern, COMPLETION_TOGETHER);
    memcpy(ends, (const double[]){ 0.85, 0.9, 1 }, 3 * sizeof(*ends));
    (void)rounds_completion(&pattern, ends, 3);
    assert_int_equal(pattern, COMPLETION_TOGETHER); /* 0.15, whatever its last digit is */
    (void)state;
}

static void test_every_refused_allocation_is_told(void **state)
{
    struct slo slo;
    bool refused = true;

    assert_int_equal(slo_parse(&slo, SLICE("mean<45s,errors<1%"), NULL), 0);
    for (unsigned nth = 1; refused; nth++) {
        struct result *r = published();
        int scaled, judged = 0;

        alloc_fail_at(nth);
        scaled = rounds_scale(r->rounds, NULL);
        if (scaled == 0)
            judged = rounds_judge(r, &slo, NULL);
        refused = alloc_fail_end();
        if (refused && scaled == 0 && judged == 0)
            fail_msg("allocation %u was refused and nobody said so", nth);
        result_free(r);
    }
    slo_release(&slo);
    (void)state;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_published_platforms),
        cmocka_unit_test(test_too_few_sizes),
        cmocka_unit_test(test_failures_make_nothing_look_better),
        cmocka_unit_test(test_phases_and_groups),
        cmocka_unit_test(test_promises),
        cmocka_unit_test(test_promises_over_copies),
        cmocka_unit_test(test_promises_of_requests_are_refused),
        cmocka_unit_test(test_the_document_keeps_it),
        cmocka_unit_test(test_published_uploads),
        cmocka_unit_test(test_every_refused_allocation_is_told),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
