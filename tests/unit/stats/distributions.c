/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Distributions, moderated variances and adjusted probabilities, against figures of R and limma. */
#include "stats/adjust.h"
#include "stats/fisher.h"
#include "stats/moderate.h"
#include "stats/special.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>

#include "statistics.h"

#define COUNT(x) (sizeof(x) / sizeof((x)[0]))

static void near(const char *what, double got, double want, double tolerance)
{
    const bool same = isnan(want)   ? isnan(got)
                      : isinf(want) ? got == want
                                    : fabs(got - want) <= tolerance * fabs(want) + (fabs(want) < 1e-15 ? 1e-15 : 0);

    if (!same)
        fail_msg("%s: got %.17g, R says %.17g", what, got, want);
}

static void student_t(void **state)
{
    char what[96];

    (void)state;
    for (size_t i = 0; i < COUNT(GOLDEN_T); i++) {
        snprintf(what, sizeof(what), "P(|T| > %g), df %g", GOLDEN_T[i].t, GOLDEN_T[i].df);
        near(what, special_t_two_sided(GOLDEN_T[i].t, GOLDEN_T[i].df), GOLDEN_T[i].two_sided, 1e-9);
    }
    for (size_t i = 0; i < COUNT(GOLDEN_T_QUANTILE); i++) {
        snprintf(what, sizeof(what), "t of p %g, df %g", GOLDEN_T_QUANTILE[i].p, GOLDEN_T_QUANTILE[i].df);
        near(what, special_t_quantile(GOLDEN_T_QUANTILE[i].p, GOLDEN_T_QUANTILE[i].df), GOLDEN_T_QUANTILE[i].t, 1e-9);
    }
}

static void gamma_functions(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(GOLDEN_GAMMA); i++) {
        near("digamma", special_digamma(GOLDEN_GAMMA[i].x), GOLDEN_GAMMA[i].digamma, 1e-12);
        near("trigamma", special_trigamma(GOLDEN_GAMMA[i].x), GOLDEN_GAMMA[i].trigamma, 1e-12);
    }
    for (size_t i = 0; i < COUNT(GOLDEN_TRIGAMMA_INVERSE); i++)
        near("inverse of trigamma", special_trigamma_inverse(GOLDEN_TRIGAMMA_INVERSE[i].y),
             GOLDEN_TRIGAMMA_INVERSE[i].x, 1e-8);
    for (double y = 1e-5; y < 1e6; y *= 1.7)
        near("there and back", special_trigamma(special_trigamma_inverse(y)), y, 1e-9);
}

static void outside_the_domain_is_nan(void **state)
{
    (void)state;
    assert_true(isnan(special_t_two_sided(1, 0)));
    assert_true(isnan(special_t_two_sided(1, -3)));
    assert_true(isnan(special_t_two_sided(NAN, 3)));
    assert_true(isnan(special_t_quantile(0, 3)));
    assert_true(isnan(special_t_quantile(1, 3)));
    assert_true(isnan(special_t_quantile(NAN, 3)));
    assert_true(isnan(special_digamma(0)));
    assert_true(isnan(special_trigamma(-1)));
    assert_true(isnan(special_trigamma_inverse(0)));
    assert_true(isnan(special_trigamma_inverse(INFINITY)));
    assert_true(isnan(special_ln_choose(3, 4)));
    assert_true(special_t_two_sided(INFINITY, 3) == 0);
    assert_true(isnan(fisher_exact(4, 3, 0, 3)));
}

static void holm_and_benjamini_hochberg(void **state)
{
    enum { N = COUNT(GOLDEN_P) };
    double out[N + 1], with_nan[N + 1], reversed[N];
    size_t order[N + 1];

    (void)state;
    adjust_holm(out, GOLDEN_P, N, order);
    for (size_t i = 0; i < N; i++)
        near("Holm", out[i], GOLDEN_HOLM[i], 1e-14);
    adjust_benjamini_hochberg(out, GOLDEN_P, N, order);
    for (size_t i = 0; i < N; i++)
        near("Benjamini-Hochberg", out[i], GOLDEN_BH[i], 1e-14);
    with_nan[0] = NAN;
    for (size_t i = 0; i < N; i++)
        with_nan[i + 1] = GOLDEN_P[i];
    adjust_holm(out, with_nan, N + 1, order);
    assert_true(isnan(out[0]));
    for (size_t i = 0; i < N; i++)
        near("what was not tested does not count", out[i + 1], GOLDEN_HOLM[i], 1e-14);
    for (size_t i = 0; i < N; i++)
        reversed[i] = GOLDEN_P[N - 1 - i];
    adjust_holm(out, reversed, N, order);
    for (size_t i = 0; i < N; i++)
        near("order does not matter", out[i], GOLDEN_HOLM[N - 1 - i], 1e-14);
}

static void fisher(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(GOLDEN_FISHER); i++)
        near("Fisher's exact test",
             fisher_exact((uint64_t)GOLDEN_FISHER[i].a, (uint64_t)GOLDEN_FISHER[i].n_a, (uint64_t)GOLDEN_FISHER[i].b,
                          (uint64_t)GOLDEN_FISHER[i].n_b),
             GOLDEN_FISHER[i].p, 1e-6);
    near("nothing failed of millions", fisher_exact(0, 5000000, 0, 5000000), 1, 0);
    assert_true(fisher_exact(0, 5000000, 5000, 5000000) < 1e-300);
    near("the sides may be swapped", fisher_exact(5, 1000, 15, 1000), fisher_exact(15, 1000, 5, 1000), 1e-12);
}

static void prior_is_as_limma_fits_it(void **state)
{
    const struct {
        const char *why;
        const double *s2, *df, *prior;
        size_t n;
    } CASES[] = {
        { "a zero, unequal df", UNEQUAL_S2, UNEQUAL_DF, UNEQUAL_PRIOR, COUNT(UNEQUAL_S2) },
        { "the worked example", EXAMPLE_S2, (const double[]){ 4, 4, 4, 4, 4 }, EXAMPLE_PRIOR, COUNT(EXAMPLE_S2) },
        { "cells that differ", MODERATED_MIXED_S2, (const double[]){ 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4 },
          MODERATED_MIXED_PRIOR, COUNT(MODERATED_MIXED_S2) },
        { "cells alike: the prior is certain", MODERATED_ALIKE_S2, (const double[]){ 6, 6, 6, 6, 6, 6, 6, 6, 6, 6 },
          MODERATED_ALIKE_PRIOR, COUNT(MODERATED_ALIKE_S2) },
    };
    double scratch[16];
    struct moderate_prior prior;

    (void)state;
    for (size_t i = 0; i < COUNT(CASES); i++) {
        assert_true(moderate_fit(&prior, CASES[i].s2, CASES[i].df, CASES[i].n, scratch));
        near(CASES[i].why, prior.df, CASES[i].prior[0], 1e-8);
        near(CASES[i].why, prior.variance, CASES[i].prior[1], 1e-8);
    }
    assert_true(moderate_fit(&prior, EXAMPLE_S2, (const double[]){ 4, 4, 4, 4, 4 }, 5, scratch));
    for (size_t i = 0; i < 5; i++)
        near("posterior", moderate_variance(&prior, EXAMPLE_S2[i], 4), EXAMPLE_POSTERIOR[i], 1e-8);
}

static void nothing_to_lend(void **state)
{
    double scratch[4];
    struct moderate_prior prior;

    (void)state;
    assert_false(moderate_fit(&prior, (const double[]){ 1 }, (const double[]){ 4 }, 1, scratch));
    assert_true(moderate_variance(&prior, 1, 4) == 1 && moderate_df(&prior, 4, 4) == 4);
    assert_false(moderate_fit(&prior, (const double[]){ 0, 0, 1 }, (const double[]){ 4, 4, 4 }, 3, scratch));
    assert_false(moderate_fit(&prior, (const double[]){ NAN, 2, INFINITY }, (const double[]){ 4, 4, 4 }, 3, scratch));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(student_t),
        cmocka_unit_test(gamma_functions),
        cmocka_unit_test(outside_the_domain_is_nan),
        cmocka_unit_test(holm_and_benjamini_hochberg),
        cmocka_unit_test(fisher),
        cmocka_unit_test(prior_is_as_limma_fits_it),
        cmocka_unit_test(nothing_to_lend),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
