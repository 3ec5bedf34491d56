/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The search for the highest level that keeps a promise, against targets that are a formula: of known capacity, noisy,
 * and contradictory. */
#include "stats/search.h"

#include <math.h>
#include <stdio.h>

#include "base/random.h"

static const struct found_case {
    const char *why;
    double from, to, precision;
    bool whole;
    double capacity;
    double kept_min, kept_max, broken_min, broken_max; /* of the answer */
} FOUND[] = {
    { "an everyday target", 100, 1e6, 0.02, false, 2000, 1960, 2000, 2001, 2041 },
    { "finer", 100, 1e6, 0.001, false, 2000, 1997, 2000, 2001, 2003 },
    { "found on the way down", 1000, 1e6, 0.02, false, 7, 6.8, 7, 7, 7.2 },
    { "the capacity is the first level", 100, 1e6, 0.02, false, 100, 98, 100, 101, 103 },
    { "more than is tried", 100, 5000, 0.02, false, 1e9, 5000, 5000, INFINITY, INFINITY },
    { "a fraction of a request a second", 1, 1000, 0.05, false, 0.5, 0.47, 0.5, 0.5, 0.53 },
    { "connections", 1, 10000, 0.05, true, 37, 36, 37, 38, 39 },
    { "one connection", 1, 10000, 0.05, true, 1, 1, 1, 2, 2 },
    { "a precision finer than whole numbers", 1, 100, 0.001, true, 7, 7, 7, 8, 8 },
    { "from is to", 50, 50, 0.05, true, 60, 50, 50, INFINITY, INFINITY },
};

static void test_found(void **state)
{
    for (size_t i = 0; i < sizeof(FOUND) / sizeof(FOUND[0]); i++) {
        const struct found_case *t = &FOUND[i];
        const struct search_config config = { t->from, t->to, t->precision, t->whole, 3 };
        struct search s;
        bool more = true;

        for (search_init(&s, &config); more; more = search_take(&s, s.level <= t->capacity))
            if (s.level > t->to || !(s.level > 0) || (t->whole && s.level != round(s.level)))
                fail_msg("%s: level %g is tried", t->why, s.level);
        if (s.kept < t->kept_min || s.kept > t->kept_max || s.broken < t->broken_min || s.broken > t->broken_max)
            fail_msg("%s: between %g and %g after %u trials", t->why, s.kept, s.broken, s.trials);
        if (!s.confirmed)
            fail_msg("%s: was not confirmed", t->why);
    }
    (void)state;
}

static void test_nothing_is_kept(void **state)
{
    const struct search_config config = { 100, 1e6, 0.02, false, 3 };
    struct search s;

    search_init(&s, &config);
    while (search_take(&s, false))
        assert_true(s.level >= 0.1);
    assert_true(s.kept == 0);
    assert_false(s.confirmed);
    assert_true(s.broken < 0.25); /* it looked down to a thousandth */
    (void)state;
}

static void test_one_connection_is_too_many(void **state)
{
    const struct search_config config = { 4, 100, 0.05, true, 3 };
    struct search s;

    search_init(&s, &config);
    while (search_take(&s, false))
        ;
    assert_true(s.kept == 0);
    assert_true(s.broken == 1);
    (void)state;
}

/* A hiccup anywhere: one break alone changes nothing. */
static void test_one_hiccup(void **state)
{
    const struct search_config config = { 100, 1e6, 0.02, false, 3 };

    for (unsigned hiccup = 0; hiccup < 20; hiccup++) {
        struct search s;
        bool more = true;

        for (search_init(&s, &config); more;)
            more = search_take(&s, s.level <= 2000 && s.trials != hiccup);
        if (s.kept < 1960 || s.kept > 2000 || !s.confirmed)
            fail_msg("a hiccup in trial %u: %g", hiccup, s.kept);
    }
    (void)state;
}

/* Each trial misjudges with 10 %: the answer still is within 10 % nearly always, and never above what was kept. */
static void test_noise(void **state)
{
    const struct search_config config = { 100, 1e6, 0.02, false, 3 };
    unsigned good = 0;

    for (uint64_t seed = 0; seed < 200; seed++) {
        struct rng rng;
        struct search s;
        bool more = true;

        rng_init(&rng, seed);
        for (search_init(&s, &config); more;) {
            const bool truth = s.level <= 2000, wrong = rng_below(&rng, 10) == 0;

            more = search_take(&s, truth != wrong);
        }
        assert_true(s.trials <= search_trials_max(&config));
        good += s.kept > 1800 && s.kept < 2200;
    }
    if (good < 180)
        fail_msg("%u of 200 searches came within 10 %%", good);
    (void)state;
}

/* Answers that contradict each other end too, and soon. */
static void test_any_answers_end(void **state)
{
    const struct search_config config = { 1, 1e6, 0.01, false, 2 };

    for (uint64_t seed = 0; seed < 2000; seed++) {
        struct rng rng;
        struct search s;
        const uint64_t odds = seed % 9 + 2;

        rng_init(&rng, seed);
        search_init(&s, &config);
        while (search_take(&s, rng_below(&rng, odds) == 0 ? seed % 2 == 0 : seed % 2 != 0)) {
            assert_true(s.level > 0 && s.level <= 1e6);
            assert_true(s.trials < search_trials_max(&config));
        }
        assert_true(s.kept <= 1e6);
    }
    (void)state;
}

/* The level found broke twice in its confirmation: the search goes on below it. */
static void test_does_not_stand(void **state)
{
    const struct search_config config = { 100, 1e6, 0.02, false, 3 };
    struct search s;
    bool more = true;
    double capacity = 2000;

    for (search_init(&s, &config); more;) {
        if (s.stage == SEARCH_CONFIRM)
            capacity = 1500; /* it had been a lucky hour */
        more = search_take(&s, s.level <= capacity);
    }
    if (s.kept < 1400 || s.kept > 1500 || !s.confirmed)
        fail_msg("%g", s.kept);
    (void)state;
}

/* Noise had hidden more than 10 %: the level above tells. */
static void test_reopens(void **state)
{
    const struct search_config config = { 100, 1e6, 0.02, false, 3 };
    struct search s;
    bool more = true;
    double capacity = 1000;

    for (search_init(&s, &config); more;) {
        if (s.stage == SEARCH_PROVE)
            capacity = 2000;
        more = search_take(&s, s.level <= capacity);
    }
    if (s.kept < 1960 || s.kept > 2000 || !s.confirmed)
        fail_msg("%g", s.kept);
    (void)state;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_found),
        cmocka_unit_test(test_nothing_is_kept),
        cmocka_unit_test(test_one_connection_is_too_many),
        cmocka_unit_test(test_one_hiccup),
        cmocka_unit_test(test_noise),
        cmocka_unit_test(test_any_answers_end),
        cmocka_unit_test(test_does_not_stand),
        cmocka_unit_test(test_reopens),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
