/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How often does the comparison cry wolf, and how often does it find what is there? Simulated sessions, as a continuous
 * integration would make them: cells whose noise is log-uniform over 1 to 8 %, cell 0 at 3 %.
 * The seeds are fixed, so that the outcome is the same each time. */
#include "base/random.h"
#include "stats/compare.h"

#include <math.h>
#include <string.h>

enum { SEEDS = 2000, CELLS_MAX = 45, SAMPLES_MAX = 64, BASE = 0, NEW = 1, HISTORY = 2 };

struct session {
    struct compare_sample samples[3][CELLS_MAX][SAMPLES_MAX];
    struct compare_cell cells[CELLS_MAX];
    struct rng rng;
    double sigma[CELLS_MAX];
    size_t cell_count, n;
};

struct shares {
    double false_alarms, found;
};

static double normal(struct rng *r)
{
    return sqrt(-2 * log(1 - rng_unit(r))) * cos(2 * M_PI * rng_unit(r));
}

static void begin(struct session *s, uint64_t seed, size_t cells, size_t n)
{
    rng_init(&s->rng, rng_derive(1979, seed));
    s->cell_count = cells;
    s->n = n;
    for (size_t c = 0; c < cells; c++)
        s->sigma[c] = c == 0 ? 0.03 : 0.01 * exp(rng_unit(&s->rng) * log(8));
    memset(s->cells, 0, sizeof(s->cells));
}

/* n more samples of each cell: round i gets common[i], all of them the shift. */
static void measure(struct session *s, int side, uint32_t session, const double *common, double shift)
{
    for (size_t c = 0; c < s->cell_count; c++) {
        struct compare_samples *set = side == BASE  ? &s->cells[c].base
                                      : side == NEW ? &s->cells[c].new
                                                    : &s->cells[c].history;

        set->items = s->samples[side][c];
        for (size_t i = 0; i < s->n; i++)
            s->samples[side][c][set->count++] = (struct compare_sample){
                1000 * exp(shift + (common != NULL ? common[i] : 0) + s->sigma[c] * normal(&s->rng)), (uint32_t)i,
                session
            };
    }
}

static void change_cell_0(struct session *s, double factor)
{
    for (size_t i = 0; i < s->cells[0].new.count; i++)
        s->samples[NEW][0][i].value *= factor;
}

static void compare(struct compare_output *out, const struct session *s, enum compare_design design)
{
    const struct compare_input in = {
        .design = design, .higher_is_better = true, .cells = s->cells, .cell_count = s->cell_count
    };

    assert_int_equal(compare_run(out, &in, NULL), 0);
}

static bool is_alarm(const struct compare_result *r)
{
    return r->verdict == COMPARE_REGRESSED || r->verdict == COMPARE_IMPROVED;
}

static bool any_alarm(const struct session *s, enum compare_design design)
{
    struct compare_output out;
    bool any = false;

    compare(&out, s, design);
    for (size_t c = 0; c < out.cell_count; c++)
        any |= is_alarm(&out.cells[c]);
    compare_release(&out);
    return any;
}

static bool finds_cell_0(struct session *s, enum compare_design design)
{
    struct compare_output out;
    bool found;

    change_cell_0(s, 0.9);
    compare(&out, s, design);
    found = out.cells[0].verdict == COMPARE_REGRESSED;
    compare_release(&out);
    return found;
}

static void at_most(const char *what, size_t cells, size_t n, double share, double limit)
{
    print_message("%-28s %2zu cells, n %2zu: %5.2f %% (at most %g %%)\n", what, cells, n, 100 * share, 100 * limit);
    if (share > limit)
        fail_msg("%s, %zu cells, n = %zu: %.2f %% of %d sessions, at most %g %%", what, cells, n, 100 * share, SEEDS,
                 100 * limit);
}

static void at_least(const char *what, size_t cells, size_t n, double share, double limit)
{
    print_message("%-28s %2zu cells, n %2zu: %5.2f %% (at least %g %%)\n", what, cells, n, 100 * share, 100 * limit);
    if (share < limit)
        fail_msg("%s, %zu cells, n = %zu: %.2f %% of %d sessions, at least %g %%", what, cells, n, 100 * share, SEEDS,
                 100 * limit);
}

static struct shares one_session(size_t cells, size_t n, bool find)
{
    static struct session s;
    struct shares shares = { 0 };

    for (unsigned seed = 0; seed < SEEDS; seed++) {
        begin(&s, seed, cells, n);
        measure(&s, BASE, 0, NULL, 0);
        measure(&s, NEW, 0, NULL, 0);
        shares.false_alarms += any_alarm(&s, COMPARE_ONE_SESSION) / (double)SEEDS;
        if (find)
            shares.found += finds_cell_0(&s, COMPARE_ONE_SESSION) / (double)SEEDS;
    }
    return shares;
}

static const size_t SAMPLES[] = { 2, 3, 5, 10 };

static void of_45_cells_in_one_session(void **state)
{
    static const double FALSE_ALARMS[] = { 0.085, 0.075, 0.075, 0.075 }, FOUND[] = { 0.06, 0.30, 0.80, 0.99 };

    (void)state;
    for (size_t i = 0; i < 4; i++) {
        const struct shares shares = one_session(CELLS_MAX, SAMPLES[i], true);

        at_most("false alarms, one session", CELLS_MAX, SAMPLES[i], shares.false_alarms, FALSE_ALARMS[i]);
        at_least("-10 % found", CELLS_MAX, SAMPLES[i], shares.found, FOUND[i]);
    }
}

static const size_t FEW[] = { 1, 2, 3, 6, 12, 20 };

static void few_cells_in_one_session(void **state)
{
    (void)state;
    for (size_t k = 0; k < 6; k++)
        for (size_t i = 0; i < 4; i++)
            at_most("false alarms, few cells", FEW[k], SAMPLES[i], one_session(FEW[k], SAMPLES[i], false).false_alarms,
                    0.075);
}

/* Rounds of base and new in turn; what a round shares moves all cells of both by 3 %. */
static struct shares interleaved(size_t cells, size_t n)
{
    static struct session s;
    struct shares shares = { 0 };
    double common[SAMPLES_MAX];

    for (unsigned seed = 0; seed < SEEDS; seed++) {
        begin(&s, seed, cells, n);
        for (size_t i = 0; i < n; i++)
            common[i] = 0.03 * normal(&s.rng);
        measure(&s, BASE, 0, common, 0);
        measure(&s, NEW, 0, common, 0);
        shares.false_alarms += any_alarm(&s, COMPARE_INTERLEAVED) / (double)SEEDS;
        if (cells == CELLS_MAX)
            shares.found += finds_cell_0(&s, COMPARE_INTERLEAVED) / (double)SEEDS;
    }
    return shares;
}

static void rounds_in_turn(void **state)
{
    static const size_t CELLS[] = { 1, 2, 3, 6, 12, 20, 45 };

    (void)state;
    for (size_t k = 0; k < 7; k++)
        for (size_t i = 0; i < 4; i++)
            at_most("false alarms, interleaved", CELLS[k], SAMPLES[i], interleaved(CELLS[k], SAMPLES[i]).false_alarms,
                    0.075);
    at_least("-10 % found, interleaved", CELLS_MAX, 10, interleaved(CELLS_MAX, 10).found, 0.99);
}

/* Base one day, new another: each day moves all cells by 3 %. */
static double separate_sessions(size_t cells, uint32_t history, enum compare_design design)
{
    static struct session s;
    double alarms = 0;

    for (unsigned seed = 0; seed < SEEDS; seed++) {
        begin(&s, seed, cells, 3);
        measure(&s, BASE, 1, NULL, 0.03 * normal(&s.rng));
        measure(&s, NEW, 2, NULL, 0.03 * normal(&s.rng));
        for (uint32_t i = 0; i < history; i++)
            measure(&s, HISTORY, 3 + i, NULL, 0.03 * normal(&s.rng));
        alarms += any_alarm(&s, design) / (double)SEEDS;
    }
    return alarms;
}

static void days_apart(void **state)
{
    (void)state;
    for (size_t k = 0; k < 6; k++) {
        at_most("false alarms, 3 sessions", FEW[k], 3, separate_sessions(FEW[k], 3, COMPARE_SESSIONS), 0.075);
        at_most("false alarms, 10 sessions", FEW[k], 3, separate_sessions(FEW[k], 10, COMPARE_SESSIONS), 0.075);
    }
    at_most("false alarms, 3 sessions", CELLS_MAX, 3, separate_sessions(CELLS_MAX, 3, COMPARE_SESSIONS), 0.075);
    at_most("false alarms, 10 sessions", CELLS_MAX, 3, separate_sessions(CELLS_MAX, 10, COMPARE_SESSIONS), 0.075);
    for (uint32_t history = 0; history < 3; history++)
        if (separate_sessions(CELLS_MAX, history, COMPARE_SESSIONS) > 0)
            fail_msg("%u sessions of unchanged code are no history, and yet something regressed", history);
    /* What would happen if nobody had asked which sessions the samples are of. */
    at_least("taken for one session", CELLS_MAX, 3, separate_sessions(CELLS_MAX, 0, COMPARE_ONE_SESSION), 0.25);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(of_45_cells_in_one_session),
        cmocka_unit_test(few_cells_in_one_session),
        cmocka_unit_test(rounds_in_turn),
        cmocka_unit_test(days_apart),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
