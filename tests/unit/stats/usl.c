/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The scaling law: found again where it was built in, honest about what it can not know, and the same as published for
 * rounds of pushes. */
#include "stats/usl.h"

#include <math.h>
#include <stdio.h>

#include "base/random.h"
#include "push.h"

static double law_s(double lambda, double sigma, double kappa, double n)
{
    return (1 + sigma * (n - 1) + kappa * n * (n - 1)) / lambda;
}

static void make_points(struct usl_point *points, const double *means, size_t count)
{
    for (size_t i = 0; i < count; i++)
        points[i] = (struct usl_point){ .n = PUSH_AT_ONCE[i], .mean_s = &means[i], .samples = 1 };
}

static const struct exact_case {
    const char *why;
    double lambda, sigma, kappa, peak;
} EXACT[] = {
    { "contention and crosstalk", 0.03, 0.02, 0.001, 31.305 },
    { "crosstalk alone", 2, 0, 0.0025, 20 },
    { "contention alone: never falls", 100, 0.1, 0, INFINITY },
    { "linear", 7, 0, 0, INFINITY },
    { "one lock for all: no gain from the second on", 1, 1, 0.01, 1 },
    { "strong crosstalk", 1, 0.3, 0.2, 1.871 },
    { "tiny durations", 5e6, 0.03, 0.0004, 49.244 },
};

static void test_exact_laws_are_found(void **state)
{
    for (size_t i = 0; i < sizeof(EXACT) / sizeof(EXACT[0]); i++) {
        const struct exact_case *t = &EXACT[i];
        struct usl_point points[PUSH_ROUNDS];
        double means[PUSH_ROUNDS];
        struct usl u;

        for (size_t k = 0; k < PUSH_ROUNDS; k++)
            means[k] = law_s(t->lambda, t->sigma, t->kappa, PUSH_AT_ONCE[k]);
        make_points(points, means, PUSH_ROUNDS);
        assert_int_equal(usl_fit(&u, points, PUSH_ROUNDS, NULL), 0);
        if (u.verdict != USL_FITS || u.rms > 1e-6 || u.has_intervals)
            fail_msg("%s: %s, rms %g", t->why, usl_verdict_text(u.verdict), u.rms);
        if (fabs(u.law.lambda / t->lambda - 1) > 1e-4 || fabs(u.law.sigma - t->sigma) > 1e-4 ||
            fabs(u.law.kappa - t->kappa) > 1e-5)
            fail_msg("%s: lambda %g, sigma %g, kappa %g", t->why, u.law.lambda, u.law.sigma, u.law.kappa);
        if (isinf(t->peak) ? !isinf(u.law.peak) : fabs(u.law.peak / t->peak - 1) > 0.01)
            fail_msg("%s: peak %g", t->why, u.law.peak);
        if (u.extrapolated != (isfinite(t->peak) && t->peak > 32))
            fail_msg("%s: extrapolated is wrong", t->why);
    }
    (void)state;
}

static const struct push_case {
    enum usl_verdict verdict;
    double peak; /* published, from a coarse search; docs/decisions/0076 */
} PUSHES[] = { { USL_FITS, 35.1 }, { USL_FITS, 39.1 }, { USL_FITS, 62.7 }, { USL_DOES_NOT_FIT, 0 } };

static void test_published_pushes(void **state)
{
    for (size_t i = 0; i < sizeof(PUSHES) / sizeof(PUSHES[0]); i++) {
        struct usl_point points[PUSH_ROUNDS];
        struct usl u;

        make_points(points, PUSH_PLATFORMS[i].mean_s, PUSH_ROUNDS);
        assert_int_equal(usl_fit(&u, points, PUSH_ROUNDS, NULL), 0);
        if (u.verdict != PUSHES[i].verdict)
            fail_msg("%s: %s, rms %g", PUSH_PLATFORMS[i].platform, usl_verdict_text(u.verdict), u.rms);
        if (u.verdict == USL_FITS && (fabs(u.law.peak - PUSHES[i].peak) > 1 || !u.extrapolated || u.is_faster))
            fail_msg("%s: peak %g", PUSH_PLATFORMS[i].platform, u.law.peak);
        if (u.verdict == USL_DOES_NOT_FIT) {
            assert_true(u.is_faster);
            assert_int_equal(u.faster, 4); /* 16 pushes at 27.2 s each, one alone 31.9 */
        }
    }
    (void)state;
}

static void test_too_few_points(void **state)
{
    const double means[] = { 1, 1.1, 1.3 };
    struct usl_point points[3];
    struct usl u;

    for (size_t count = 0; count <= 3; count++) {
        make_points(points, means, count);
        assert_int_equal(usl_fit(&u, points, count, NULL), 0);
        assert_int_equal(u.verdict, USL_TOO_FEW_POINTS);
        assert_true(isnan(u.law.peak));
    }
    (void)state;
}

/* The intervals hold what was built in, and are as wide as the noise makes them. */
static void test_intervals(void **state)
{
    enum { SAMPLES = 8 };
    double means[PUSH_ROUNDS][SAMPLES];
    struct usl_point points[PUSH_ROUNDS];
    struct rng rng;
    struct usl u, again;

    rng_init(&rng, 3);
    for (size_t i = 0; i < PUSH_ROUNDS; i++) {
        for (size_t k = 0; k < SAMPLES; k++)
            means[i][k] = law_s(0.03, 0.02, 0.001, PUSH_AT_ONCE[i]) * (1 + 0.04 * (rng_unit(&rng) - 0.5));
        points[i] = (struct usl_point){ PUSH_AT_ONCE[i], means[i], SAMPLES };
    }
    assert_int_equal(usl_fit(&u, points, PUSH_ROUNDS, NULL), 0);
    assert_true(u.has_intervals);
    assert_true(u.peak[0] < 31.3 && 31.3 < u.peak[1] && u.peak[0] > 20 && u.peak[1] < 60);
    assert_true(u.sigma[0] >= 0 && u.sigma[0] < 0.02 && 0.02 < u.sigma[1]);
    assert_true(u.kappa[0] < 0.001 && 0.001 < u.kappa[1]);
    assert_true(u.lambda[0] < 0.03 && 0.03 < u.lambda[1] && u.lambda[1] / u.lambda[0] < 1.05);
    assert_int_equal(usl_fit(&again, points, PUSH_ROUNDS, NULL), 0);
    assert_true(u.peak[0] == again.peak[0] && u.peak[1] == again.peak[1]); /* the same run says the same twice */
    points[2].samples = 1;
    assert_int_equal(usl_fit(&u, points, PUSH_ROUNDS, NULL), 0);
    assert_false(u.has_intervals);
    (void)state;
}

static void test_largest_within(void **state)
{
    const struct usl_law linear = { 1, 0, 0, INFINITY };

    for (size_t i = 0; i < sizeof(EXACT) / sizeof(EXACT[0]); i++) {
        const struct usl_law law = { EXACT[i].lambda, EXACT[i].sigma, EXACT[i].kappa, 0 };

        for (double n = 1; n <= 50 && (law.sigma > 0 || law.kappa > 0); n++) {
            const double limit = usl_duration_s(&law, n) * (1 + 1e-9);

            if (usl_largest_within(&law, limit) != n)
                fail_msg("%s: within T(%g) lie %g", EXACT[i].why, n, usl_largest_within(&law, limit));
        }
        assert_true(usl_largest_within(&law, 0.99 / law.lambda) == 0);
    }
    assert_true(isinf(usl_largest_within(&linear, 1.01)));
    (void)state;
}

/* No other law with sigma and kappa not below 0 is nearer to the points: a search around the answer finds none. */
static double distance(const double *means, double sigma, double kappa)
{
    double weights = 0, sum = 0, squares = 0;

    for (size_t i = 0; i < PUSH_ROUNDS; i++) {
        const double w = PUSH_AT_ONCE[i] / (PUSH_AT_ONCE[i] + USL_NOISE_RATIO);
        const double r = log(means[i] / law_s(1, sigma, kappa, PUSH_AT_ONCE[i]));

        weights += w;
        sum += w * r;
        squares += w * r * r;
    }
    return squares - sum * sum / weights;
}

static void test_it_is_the_optimum(void **state)
{
    struct rng rng;

    rng_init(&rng, 11);
    for (int k = 0; k < 100; k++) {
        double means[PUSH_ROUNDS];
        struct usl_point points[PUSH_ROUNDS];
        struct usl u;

        for (size_t i = 0; i < PUSH_ROUNDS; i++)
            means[i] = law_s(1, 0.02 * rng_unit(&rng), 0.002 * rng_unit(&rng), PUSH_AT_ONCE[i]) *
                       (0.8 + 0.4 * rng_unit(&rng));
        make_points(points, means, PUSH_ROUNDS);
        assert_int_equal(usl_fit(&u, points, PUSH_ROUNDS, NULL), 0);
        for (int j = 0; j < 500; j++) {
            const double scale = pow(10, -6 * rng_unit(&rng));
            const double sigma = fmax(0, u.law.sigma + scale * (rng_unit(&rng) - 0.5));
            const double kappa = fmax(0, u.law.kappa + scale * 0.1 * (rng_unit(&rng) - 0.5));

            if (distance(means, sigma, kappa) < distance(means, u.law.sigma, u.law.kappa) - 1e-8)
                fail_msg("case %d: sigma %g, kappa %g is nearer than %g, %g", k, sigma, kappa, u.law.sigma,
                         u.law.kappa);
        }
    }
    (void)state;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_exact_laws_are_found), cmocka_unit_test(test_published_pushes),
        cmocka_unit_test(test_too_few_points),       cmocka_unit_test(test_intervals),
        cmocka_unit_test(test_largest_within),       cmocka_unit_test(test_it_is_the_optimum),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
