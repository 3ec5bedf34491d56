/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/random.h"

#include <math.h>
#include <string.h>

/* Worked out independently with the reference algorithms of the two papers (splitmix64 as seeder). */
static void golden_sequence(void **state)
{
    static const uint64_t WANT[] = { UINT64_C(0x15780b2e0c2ec716), UINT64_C(0x6104d9866d113a7e),
                                     UINT64_C(0xae17533239e499a1), UINT64_C(0xecb8ad4703b360a1) };
    struct rng r;

    (void)state;
    rng_init(&r, 42);
    for (size_t i = 0; i < sizeof(WANT) / sizeof(WANT[0]); i++)
        assert_int_equal(rng_next(&r), WANT[i]);
}

static void below_is_uniform(void **state)
{
    static const uint64_t SIDES[] = { 1, 2, 6, 10, 1000 };
    struct rng r;

    (void)state;
    rng_init(&r, 1);
    for (size_t s = 0; s < sizeof(SIDES) / sizeof(SIDES[0]); s++) {
        unsigned seen[1000] = { 0 };
        const unsigned per_side = 1000;
        for (uint64_t i = 0; i < per_side * SIDES[s]; i++) {
            const uint64_t v = rng_below(&r, SIDES[s]);
            assert_true(v < SIDES[s]);
            seen[v]++;
        }
        double chi2 = 0;
        for (uint64_t v = 0; v < SIDES[s]; v++)
            chi2 += pow((double)seen[v] - per_side, 2) / per_side;
        const double degrees = (double)(SIDES[s] - 1);
        if (fabs(chi2 - degrees) > 5 * sqrt(2 * degrees) + 1e-9)
            fail_msg("%llu sides: chi-squared %g", (unsigned long long)SIDES[s], chi2);
    }
}

/* With a plain modulo, values below a third of 3 * 2^62 would come up twice as often as the others. */
static void below_has_no_modulo_bias(void **state)
{
    const uint64_t n = UINT64_C(3) << 62;
    struct rng r;
    unsigned low = 0;

    (void)state;
    rng_init(&r, 7);
    for (int i = 0; i < 30000; i++)
        low += rng_below(&r, n) < UINT64_C(1) << 62;
    assert_in_range(low, 10000 - 500, 10000 + 500);
    for (int i = 0; i < 1000; i++)
        assert_true(rng_below(&r, UINT64_MAX) < UINT64_MAX);
}

static void unit_is_half_open(void **state)
{
    struct rng r;
    double sum = 0;

    (void)state;
    rng_init(&r, 3);
    for (int i = 0; i < 100000; i++) {
        const double u = rng_unit(&r);
        assert_true(u >= 0.0 && u < 1.0);
        sum += u;
    }
    assert_true(fabs(sum / 100000 - 0.5) < 0.005);
}

static void fill_writes_exactly_len(void **state)
{
    (void)state;
    for (size_t len = 0; len < 40; len++) {
        unsigned char a[48];
        unsigned char b[48];
        struct rng r;
        memset(a, 0xaa, sizeof(a));
        memset(b, 0xaa, sizeof(b));
        rng_init(&r, 9);
        rng_fill(&r, a, len);
        rng_init(&r, 9);
        rng_fill(&r, b, len);
        assert_memory_equal(a, b, sizeof(a)); /* reproducible */
        for (size_t i = len; i < sizeof(a); i++)
            assert_int_equal(a[i], 0xaa);
        if (len >= 16)
            assert_memory_not_equal(a, a + 8, 8);
    }
}

static void derived_seeds_differ(void **state)
{
    enum { N = 2000 };
    static uint64_t seeds[N];

    (void)state;
    for (uint64_t i = 0; i < N; i++) {
        seeds[i] = rng_derive(5, i);
        assert_int_not_equal(seeds[i], rng_derive(6, i));
        for (uint64_t j = 0; j < i; j++)
            assert_true(seeds[i] != seeds[j]);
    }
    assert_int_equal(rng_derive(5, 17), seeds[17]);
    assert_true(rng_seed_from_system() != rng_seed_from_system());
}

static void uuids_are_version_4(void **state)
{
    char first[UUID_TEXT_MAX];
    char u[UUID_TEXT_MAX];

    (void)state;
    uuid_make(first);
    for (int n = 0; n < 200; n++) {
        uuid_make(u);
        assert_int_equal(strlen(u), 36);
        for (size_t i = 0; i < 36; i++) {
            if (i == 8 || i == 13 || i == 18 || i == 23)
                assert_int_equal(u[i], '-');
            else
                assert_non_null(memchr("0123456789abcdef", u[i], 16));
        }
        assert_int_equal(u[14], '4');
        assert_non_null(memchr("89ab", u[19], 4));
        assert_string_not_equal(u, first);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(golden_sequence),          cmocka_unit_test(below_is_uniform),
        cmocka_unit_test(below_has_no_modulo_bias), cmocka_unit_test(unit_is_half_open),
        cmocka_unit_test(fill_writes_exactly_len),  cmocka_unit_test(derived_seeds_differ),
        cmocka_unit_test(uuids_are_version_4),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
