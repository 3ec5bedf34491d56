/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "load/schedule.h"

#include <math.h>
#include <stdlib.h>

static const struct load_stage RATE_5 = { 5, 5, UINT64_MAX };

/* Part i of n, of one turn each. */
static void init_part(struct schedule *s, const struct load_schedule *plan, uint32_t i, uint32_t n, uint64_t seed)
{
    static const uint32_t TURNS[] = { 0, 1, 2, 3, 4, 5, 6 };

    assert_true(i < n && n <= sizeof(TURNS) / sizeof(*TURNS));
    schedule_init(s, plan, &(struct schedule_part){ &TURNS[i], 1, n }, seed, i);
}

static struct load_schedule constant(const struct load_stage *stage)
{
    return (struct load_schedule){ .stages = stage, .stage_count = 1 };
}

static void constant_rates_are_exact(void **state)
{
    static const struct {
        const char *why;
        double rate;
        uint64_t t_ns, want;
    } CASES[] = {
        { "5/s for a minute", 5, UINT64_C(60000000000), 300 }, { "0.5/s", 0.5, UINT64_C(10000000000), 5 },
        { "a third", 1.0 / 3, UINT64_C(9000000000), 3 },       { "the first is due at once", 1000, 1, 1 },
        { "1 M/s", 1e6, UINT64_C(5000000000), 5000000 },       { "nothing before the start", 1000, 0, 0 },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(CASES) / sizeof(*CASES); i++) {
        for (uint32_t shares = 1; shares <= 7; shares += 3) {
            const struct load_stage stage = { CASES[i].rate, CASES[i].rate, UINT64_MAX };
            const struct load_schedule plan = constant(&stage);
            uint64_t sum = 0;

            for (uint32_t s = 0; s < shares; s++) {
                struct schedule x;

                init_part(&x, &plan, s, shares, 1);
                sum += schedule_skip(&x, CASES[i].t_ns);
                assert_true(x.next_ns >= CASES[i].t_ns);
            }
            if (sum != CASES[i].want)
                fail_msg("%s with %u shares: %lu, want %lu", CASES[i].why, shares, (unsigned long)sum,
                         (unsigned long)CASES[i].want);
        }
    }
}

static void shares_interleave_evenly(void **state)
{
    const struct load_schedule plan = constant(&RATE_5);
    struct schedule a, b;

    (void)state;
    init_part(&a, &plan, 0, 2, 1);
    init_part(&b, &plan, 1, 2, 1);
    for (uint64_t k = 0; k < 1000; k++) {
        assert_int_equal(a.next_ns, 2 * k * 200000000);
        assert_int_equal(b.next_ns, (2 * k + 1) * 200000000);
        schedule_take(&a);
        schedule_take(&b);
    }
}

static void linear_stages_follow_their_integral(void **state)
{
    /* 0 to 100/s in 10 s: 500 requests; k due at sqrt(2 k / 10) s. Then 100/s for 1 s, then down to 0 in 2 s: 100 more
     * each. */
    static const struct load_stage STAGES[] = { { 0, 100, UINT64_C(10000000000) },
                                                { 100, 100, UINT64_C(1000000000) },
                                                { 100, 0, UINT64_C(2000000000) } };
    const struct load_schedule plan = { .stages = STAGES, .stage_count = 3 };
    struct schedule s;
    uint64_t count = 0, last = 0;

    (void)state;
    assert_true(fabs(schedule_expected(&plan, UINT64_C(10000000000)) - 500) < 1e-9);
    assert_true(fabs(schedule_expected(&plan, UINT64_C(13000000000)) - 700) < 1e-9);
    assert_int_equal(schedule_length_ns(&plan), UINT64_C(13000000000));
    init_part(&s, &plan, 0, 1, 1);
    for (; s.next_ns != UINT64_MAX; schedule_take(&s), count++) {
        assert_true(s.next_ns >= last);
        last = s.next_ns;
        if (count < 500)
            assert_true(fabs((double)s.next_ns / 1e9 - sqrt(2.0 * (double)count / 10)) < 1e-6);
    }
    assert_int_equal(count, 700);
    assert_true(last < UINT64_C(13000000000));
}

static void skipping_and_taking_agree(void **state)
{
    static const struct load_stage STAGES[] = { { 7, 131, UINT64_C(3000000000) }, { 131, 3, UINT64_C(2000000000) } };
    struct load_schedule plan = { .stages = STAGES, .stage_count = 2 };

    (void)state;
    for (int poisson = 0; poisson < 2; poisson++) {
        plan.arrivals = poisson ? LOAD_ARRIVALS_POISSON : LOAD_ARRIVALS_CONSTANT;
        for (uint64_t t = 1; t < UINT64_C(6000000000); t += 77777777) {
            struct schedule a, b;
            uint64_t by_taking = 0;

            init_part(&a, &plan, 1, 3, 42);
            init_part(&b, &plan, 1, 3, 42);
            for (; a.next_ns < t; schedule_take(&a))
                by_taking++;
            assert_int_equal(schedule_skip(&b, t), by_taking);
            assert_int_equal(a.next_ns, b.next_ns);
        }
    }
}

/* A part of three turns in a cycle of seven, taken and skipped from wherever it is. */
static void a_part_has_its_turns(void **state)
{
    static const uint32_t TURNS[] = { 1, 2, 6 };
    static const struct schedule_part PART = { TURNS, 3, 7 };
    const struct load_schedule plan = constant(&RATE_5);
    const uint64_t step = 200000000;

    (void)state;
    for (uint64_t taken = 0; taken < 8; taken++)
        for (uint64_t t = 0; t < 60 * step; t += step / 2) {
            struct schedule s;
            uint64_t due = 0;

            schedule_init(&s, &plan, &PART, 1, 0);
            for (uint64_t k = 0; k < taken; k++, schedule_take(&s)) {
                assert_int_equal(s.number, k / 3 * 7 + TURNS[k % 3]);
                assert_int_equal(s.next_ns, s.number * step);
            }
            for (uint64_t k = taken; (k / 3 * 7 + TURNS[k % 3]) * step < t; k++)
                due++;
            assert_int_equal(schedule_skip(&s, t), due);
            assert_int_equal(s.number, (taken + due) / 3 * 7 + TURNS[(taken + due) % 3]);
            assert_int_equal(s.next_ns, s.number * step);
        }
}

/* Poisson parts have a rate in proportion to their turns: 3 of 7 of 7000/s for 10 s, and the sum of all is the whole.
 */
static void poisson_parts_are_in_proportion(void **state)
{
    static const uint32_t TURNS[] = { 1, 2, 6, 0, 3, 4, 5 };
    const struct load_stage stage = { 7000, 7000, UINT64_MAX };
    struct load_schedule plan = constant(&stage);
    struct schedule three, four;

    (void)state;
    plan.arrivals = LOAD_ARRIVALS_POISSON;
    schedule_init(&three, &plan, &(struct schedule_part){ TURNS, 3, 7 }, 5, 0);
    schedule_init(&four, &plan, &(struct schedule_part){ TURNS + 3, 4, 7 }, 5, 1);
    assert_true(fabs((double)schedule_skip(&three, UINT64_C(10000000000)) - 30000) < 4.5 * sqrt(30000));
    assert_true(fabs((double)schedule_skip(&four, UINT64_C(10000000000)) - 40000) < 4.5 * sqrt(40000));
}

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return x < y ? -1 : x > y;
}

/* Kolmogorov and Smirnov's distance of the gaps from the exponential law; 1.63/sqrt(n) is the 1 % point. */
static void poisson_gaps_are_exponential(void **state)
{
    enum { N = 20000 };
    static double gaps[N];
    const struct load_stage stage = { 1000, 1000, UINT64_MAX };
    struct load_schedule plan = constant(&stage);

    (void)state;
    plan.arrivals = LOAD_ARRIVALS_POISSON;
    for (uint64_t seed = 1; seed <= 3; seed++) {
        struct schedule s;
        double worst = 0;
        uint64_t last = 0;

        init_part(&s, &plan, 0, 1, seed);
        for (int i = 0; i < N; i++, schedule_take(&s)) {
            gaps[i] = (double)(s.next_ns - last) / 1e9;
            last = s.next_ns;
        }
        qsort(gaps, N, sizeof(*gaps), by_value);
        for (int i = 0; i < N; i++) {
            const double f = 1 - exp(-1000 * gaps[i]);

            worst = fmax(worst, fmax(fabs(f - (double)i / N), fabs(f - (double)(i + 1) / N)));
        }
        if (worst > 1.63 / sqrt(N))
            fail_msg("seed %lu: distance %.4f", (unsigned long)seed, worst);
    }
}

static void bursts_come_together(void **state)
{
    const struct load_schedule plan = { .burst_size = 10, .burst_period_ns = 1000000000 };
    struct schedule s;

    (void)state;
    init_part(&s, &plan, 0, 1, 1);
    for (uint64_t k = 0; k < 35; k++, schedule_take(&s))
        assert_int_equal(s.next_ns, k / 10 * 1000000000);
    init_part(&s, &plan, 0, 1, 1);
    assert_int_equal(schedule_skip(&s, 2000000001), 30);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(constant_rates_are_exact),
        cmocka_unit_test(shares_interleave_evenly),
        cmocka_unit_test(linear_stages_follow_their_integral),
        cmocka_unit_test(skipping_and_taking_agree),
        cmocka_unit_test(a_part_has_its_turns),
        cmocka_unit_test(poisson_parts_are_in_proportion),
        cmocka_unit_test(poisson_gaps_are_exponential),
        cmocka_unit_test(bursts_come_together),
    };

    return cmocka_run_group_tests_name("load schedule", tests, NULL, NULL);
}
