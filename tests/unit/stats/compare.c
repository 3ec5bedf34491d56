/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The comparison: figures by hand and by limma, cases at the edge, laws. */
#include "stats/compare.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/random.h"

#include "statistics.h"

#define COUNT(x) (sizeof(x) / sizeof((x)[0]))
enum { CELLS_MAX = 64, PER_SIDE = 32 };

/* One metric under construction. */
struct scene {
    struct compare_sample samples[3][CELLS_MAX][PER_SIDE];
    struct compare_cell cells[CELLS_MAX];
    struct compare_input in;
    struct compare_output out;
};

static struct scene *scene_new(enum compare_design design, size_t cells)
{
    struct scene *s = calloc(1, sizeof(*s));

    assert_non_null(s);
    s->in = (struct compare_input){
        .design = design, .higher_is_better = true, .cells = s->cells, .cell_count = cells
    };
    return s;
}

static void scene_free(struct scene *s)
{
    compare_release(&s->out);
    free(s);
}

static void add(struct scene *s, size_t cell, int side, double value, uint32_t round, uint32_t session)
{
    struct compare_samples *set = side == 0   ? &s->cells[cell].base
                                  : side == 1 ? &s->cells[cell].new
                                              : &s->cells[cell].history;

    assert_true(set->count < PER_SIDE);
    set->items = s->samples[side][cell];
    s->samples[side][cell][set->count++] = (struct compare_sample){ value, round, session };
}

static void run(struct scene *s)
{
    struct err err = { 0 };

    compare_release(&s->out);
    if (compare_run(&s->out, &s->in, &err) != 0)
        fail_msg("%s", err.what);
}

static void near(const char *what, double got, double want, double tolerance)
{
    if (!(fabs(got - want) <= tolerance * fmax(1e-12, fabs(want))))
        fail_msg("%s: got %.17g, want %.17g", what, got, want);
}

static double normal(struct rng *r)
{
    return sqrt(-2 * log(1 - rng_unit(r))) * cos(2 * M_PI * rng_unit(r));
}

static void worked_example_of_the_header(void **state)
{
    static const double BASE[] = { 100, 102, 98 }, NEW[] = { 90, 91, 88 };
    struct scene *s = scene_new(COMPARE_ONE_SESSION, 1);
    const struct compare_result *r;

    (void)state;
    for (uint32_t i = 0; i < 3; i++) {
        add(s, 0, 0, BASE[i], i, 0);
        add(s, 0, 1, NEW[i], i, 0);
    }
    run(s);
    r = &s->out.cells[0];
    near("change", r->change, -0.10330081406729329, 1e-12);
    near("p", r->p, 0.0019940, 1e-3);
    near("lower end", r->interval[0], -0.14032489, 1e-6);
    near("upper end", r->interval[1], -0.06468219, 1e-6);
    near("base is the geometric mean", r->base, exp(4.605036825980979), 1e-12);
    assert_int_equal(r->verdict, COMPARE_REGRESSED);
    near("one cell is all cells", s->out.overall.change, r->change, 1e-12);
    near("and its own test", s->out.overall.p, r->p, 1e-9);
    assert_int_equal(compare_exit_code(s->out.counts, false, false), 1);
    scene_free(s);
}

/* 12 cells of 4 degrees of freedom each are too few to moderate: effect and variance are those of limma's lmFit. */
static void without_moderation_it_is_the_plain_t_of_limma(void **state)
{
    struct scene *s = scene_new(COMPARE_ONE_SESSION, MODERATED_MIXED_CELLS);
    const double *y = MODERATED_MIXED_Y;

    (void)state;
    for (size_t c = 0; c < MODERATED_MIXED_CELLS; c++)
        for (uint32_t i = 0; i < 2 * MODERATED_MIXED_N; i++)
            add(s, c, i >= MODERATED_MIXED_N, exp(*y++), 0, 0);
    run(s);
    assert_false(s->out.moderated);
    for (size_t c = 0; c < MODERATED_MIXED_CELLS; c++) {
        const struct compare_result *r = &s->out.cells[c];
        const double t95 = 2.7764451051977987, error = sqrt(MODERATED_MIXED_S2[c] * 2 / MODERATED_MIXED_N);

        near("effect", log1p(r->change), MODERATED_MIXED_EFFECT[c], 1e-9);
        near("half of the interval", log1p(r->interval[1]) - log1p(r->change), t95 * error, 1e-8);
    }
    scene_free(s);
}

/* limma's eBayes on 30 cells, where both moderate. */
static void moderated_p_is_that_of_ebayes(void **state)
{
    struct scene *s = scene_new(COMPARE_ONE_SESSION, MODERATED_MANY_CELLS);
    const double *y = MODERATED_MANY_Y;

    (void)state;
    for (size_t c = 0; c < MODERATED_MANY_CELLS; c++)
        for (uint32_t i = 0; i < 2 * MODERATED_MANY_N; i++)
            add(s, c, i >= MODERATED_MANY_N, exp(*y++), 0, 0);
    run(s);
    assert_true(s->out.moderated);
    for (size_t c = 0; c < MODERATED_MANY_CELLS; c++) {
        near("effect", log1p(s->out.cells[c].change), MODERATED_MANY_EFFECT[c], 1e-9);
        near("p", s->out.cells[c].p, MODERATED_MANY_P[c], 1e-7);
    }
    scene_free(s);
}

static const struct edge_case {
    const char *why;
    double base[4], new[4]; /* up to the first zero; -1 stands for a zero */
    enum compare_verdict want;
    enum compare_reason reason;
} EDGES[] = {
    { "one sample a side", { 100 }, { 50 }, COMPARE_INCONCLUSIVE, COMPARE_WHY_ONE_SAMPLE },
    { "one sample on one side", { 100, 101, 99 }, { 50 }, COMPARE_INCONCLUSIVE, COMPARE_WHY_ONE_SAMPLE },
    { "all equal", { 100, 100, 100 }, { 100, 100, 100 }, COMPARE_UNCHANGED, COMPARE_WHY_PLAIN },
    { "two equal samples a side are no proof", { 100, 100 }, { 90, 90 }, COMPARE_INCONCLUSIVE, COMPARE_WHY_NO_SPREAD },
    { "four equal samples a side are",
      { 100, 100, 100, 100 },
      { 90, 90, 90, 90 },
      COMPARE_REGRESSED,
      COMPARE_WHY_PLAIN },
    { "no base", { 0 }, { 1, 2 }, COMPARE_MISSING, COMPARE_WHY_NO_BASE },
    { "no new", { 1, 2 }, { 0 }, COMPARE_MISSING, COMPARE_WHY_NO_NEW },
    { "neither", { 0 }, { 0 }, COMPARE_MISSING, COMPARE_WHY_NO_BASE },
    { "not a number", { 1, NAN }, { 1, 2 }, COMPARE_INVALID, COMPARE_WHY_BAD_VALUE },
    { "infinite", { 1, 2 }, { INFINITY, 2 }, COMPARE_INVALID, COMPARE_WHY_BAD_VALUE },
    { "zero", { 1, 2 }, { -1, 2 }, COMPARE_INVALID, COMPARE_WHY_BAD_VALUE },
    { "zero baseline", { -1, -1 }, { 1, 2 }, COMPARE_INVALID, COMPARE_WHY_BAD_VALUE },
    { "noise alone, n = 2 (C78)", { 100, 108 }, { 97, 103 }, COMPARE_INCONCLUSIVE, COMPARE_WHY_NOISE },
    { "a large drop in large noise", { 100, 150 }, { 80, 120 }, COMPARE_INCONCLUSIVE, COMPARE_WHY_NOISE },
    { "certain but too small to matter",
      { 1000, 1001, 999, 1000 },
      { 980, 981, 979, 980 },
      COMPARE_UNCHANGED,
      COMPARE_WHY_PLAIN },
    { "quiet and better", { 1000, 1001, 999 }, { 1100, 1101, 1102 }, COMPARE_IMPROVED, COMPARE_WHY_PLAIN },
};

static void cases_at_the_edge(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(EDGES); i++) {
        struct scene *s = scene_new(COMPARE_ONE_SESSION, 1);

        for (size_t k = 0; k < 4 && EDGES[i].base[k] != 0; k++)
            add(s, 0, 0, EDGES[i].base[k] == -1 ? 0 : EDGES[i].base[k], (uint32_t)k, 0);
        for (size_t k = 0; k < 4 && EDGES[i].new[k] != 0; k++)
            add(s, 0, 1, EDGES[i].new[k] == -1 ? 0 : EDGES[i].new[k], (uint32_t)k, 0);
        run(s);
        if (s->out.cells[0].verdict != EDGES[i].want || s->out.cells[0].reason != EDGES[i].reason)
            fail_msg("%s: %s (%s)", EDGES[i].why, compare_verdict_text(s->out.cells[0].verdict),
                     compare_reason_text(s->out.cells[0].reason));
        assert_int_equal(s->out.counts[EDGES[i].want], 1);
        scene_free(s);
    }
}

static void what_the_caller_says_is_never_a_pass(void **state)
{
    struct scene *s = scene_new(COMPARE_ONE_SESSION, 2);

    (void)state;
    for (size_t c = 0; c < 2; c++)
        for (uint32_t i = 0; i < 4; i++) {
            add(s, c, 0, 100, i, 0);
            add(s, c, 1, 100, i, 0);
        }
    s->cells[0].invalid = true;
    s->cells[1].not_comparable = true;
    run(s);
    assert_int_equal(s->out.cells[0].verdict, COMPARE_INVALID);
    assert_int_equal(s->out.cells[1].verdict, COMPARE_NOT_COMPARABLE);
    assert_int_equal(s->out.overall.cells, 0);
    assert_int_equal(compare_exit_code(s->out.counts, false, false), 3);
    scene_free(s);
}

static void bad_input_is_refused(void **state)
{
    static const double BAD[] = { 1, 1.5, -0.1, NAN };
    struct scene *s = scene_new(COMPARE_ONE_SESSION, 0);

    (void)state;
    run(s); /* no cells at all */
    assert_int_equal(compare_exit_code(s->out.counts, false, true), 0);
    compare_release(&s->out);
    for (size_t i = 0; i < COUNT(BAD); i++) {
        struct err err = { 0 };

        s->in.min_change = BAD[i];
        assert_int_equal(compare_run(&s->out, &s->in, &err), -1);
        assert_int_equal(err.kind, ERR_USAGE);
        compare_release(&s->out);
    }
    scene_free(s);
}

static void exit_codes(void **state)
{
    static const struct {
        const char *why;
        size_t regressed, missing, inconclusive, suspect;
        bool tolerance, strict;
        int want;
    } CASES[] = {
        { "all well", 0, 0, 0, 0, false, true, 0 },
        { "regressed", 1, 0, 0, 0, false, false, 1 },
        { "a tolerance is broken", 0, 0, 0, 0, true, false, 1 },
        { "missing", 0, 1, 0, 0, false, false, 3 },
        { "1 before 3", 1, 1, 0, 0, false, false, 1 },
        { "3 before 4", 0, 1, 1, 0, false, true, 3 },
        { "inconclusive passes", 0, 0, 5, 0, false, false, 0 },
        { "but not when strict", 0, 0, 5, 0, false, true, 4 },
        { "suspect passes", 0, 0, 0, 5, false, false, 0 },
        { "but not when strict", 0, 0, 0, 5, false, true, 4 },
    };

    (void)state;
    for (size_t i = 0; i < COUNT(CASES); i++) {
        size_t counts[COMPARE_VERDICT_COUNT] = { 0 };

        counts[COMPARE_REGRESSED] = CASES[i].regressed;
        counts[COMPARE_MISSING] = CASES[i].missing;
        counts[COMPARE_INCONCLUSIVE] = CASES[i].inconclusive;
        counts[COMPARE_SUSPECT] = CASES[i].suspect;
        if (compare_exit_code(counts, CASES[i].tolerance, CASES[i].strict) != CASES[i].want)
            fail_msg("%s", CASES[i].why);
    }
}

/* C79: the machine slows by 10 % during the session, A = B, measured in turn. */
static void drift_does_not_go_to_b(void **state)
{
    struct scene *s = scene_new(COMPARE_INTERLEAVED, 3);
    struct rng r;

    (void)state;
    rng_init(&r, 79);
    for (uint32_t i = 0; i < 20; i++)
        for (int side = 0; side < 2; side++)
            for (size_t c = 0; c < 3; c++)
                add(s, c, side, 1000 * (1 - 0.1 * (2 * i + (unsigned)side) / 40) * exp(0.002 * normal(&r)), i, 0);
    run(s);
    for (size_t c = 0; c < 3; c++) {
        if (!(fabs(s->out.cells[c].change) < 0.01))
            fail_msg("cell %zu: %g", c, s->out.cells[c].change);
        assert_int_equal(s->out.cells[c].verdict, COMPARE_UNCHANGED);
    }
    scene_free(s);
}

/* An effect as large as the round's noise, found because it is the same in each round; also with holes. */
static void rounds_fall_out(void **state)
{
    struct scene *s = scene_new(COMPARE_INTERLEAVED, 20);
    struct rng r;

    (void)state;
    rng_init(&r, 80);
    for (uint32_t round = 0; round < 10; round++) {
        const double common = 0.2 * normal(&r);

        for (size_t c = 0; c < 20; c++)
            for (int side = 0; side < 2; side++)
                if ((round * 20 + c * 2 + (unsigned)side) % 7 != 3) /* one of seven is missing */
                    add(s, c, side, 500 * exp(common + 0.01 * normal(&r) - (side == 1 && c == 4 ? 0.08 : 0)),
                        round * 3 + 11, 0);
    }
    run(s);
    assert_true(s->out.moderated);
    for (size_t c = 0; c < 20; c++) {
        if (fabs(log1p(s->out.cells[c].change) - (c == 4 ? -0.08 : 0)) > 0.02)
            fail_msg("cell %zu: %g: a missing sample lets the round in", c, s->out.cells[c].change);
        assert_int_equal(s->out.cells[c].verdict, c == 4 ? COMPARE_REGRESSED : COMPARE_UNCHANGED);
    }
    scene_free(s);
}

static void days_apart_are_suspect_at_most(void **state)
{
    struct scene *s = scene_new(COMPARE_SESSIONS, 1);
    static const double DAYS[] = { 1, 1.01, 0.995, 1.002, 0.99, 1.005 };

    (void)state;
    for (uint32_t i = 0; i < 5; i++) {
        add(s, 0, 0, 1000 + i, i, 1);
        add(s, 0, 1, 800 + i, i, 2);
    }
    run(s);
    assert_true(s->out.capped);
    assert_int_equal(s->out.cells[0].verdict, COMPARE_SUSPECT);
    assert_int_equal(s->out.cells[0].reason, COMPARE_WHY_NO_HISTORY);
    assert_true(isnan(s->out.overall.p));
    for (uint32_t day = 0; day < COUNT(DAYS); day++)
        for (uint32_t i = 0; i < 5; i++)
            add(s, 0, 2, (1000 + i) * DAYS[day], i, 10 + day);
    run(s);
    assert_false(s->out.capped);
    assert_int_equal(s->out.sessions, COUNT(DAYS));
    assert_int_equal(s->out.cells[0].verdict, COMPARE_REGRESSED);
    s->cells[0].new.count = 0;
    for (uint32_t i = 0; i < 5; i++)
        add(s, 0, 1, 1001 + i, i, 2);
    run(s);
    assert_int_equal(s->out.cells[0].verdict, COMPARE_UNCHANGED);
    scene_free(s);
}

/* The history may hold the very sessions that are compared: they must not vouch for themselves. */
static void own_sessions_in_the_history_do_not_count(void **state)
{
    struct scene *s = scene_new(COMPARE_SESSIONS, 1);

    (void)state;
    for (uint32_t i = 0; i < 5; i++) {
        add(s, 0, 0, 1000 + i, i, 1);
        add(s, 0, 1, 800 + i, i, 2);
        add(s, 0, 2, 1000 + i, i, 1);
        add(s, 0, 2, 800 + i, i, 2);
        add(s, 0, 2, 1001 + i, i, 3);
    }
    run(s);
    assert_true(s->out.capped);
    scene_free(s);
}

/* Three sessions on each side and no other history: they are their own. */
static void sessions_of_the_sides_are_a_history(void **state)
{
    struct scene *s = scene_new(COMPARE_SESSIONS, 2);

    (void)state;
    for (size_t c = 0; c < 2; c++)
        for (uint32_t day = 0; day < 4; day++)
            for (uint32_t i = 0; i < 2; i++) {
                add(s, c, 0, 1000 + 3 * day + i, i, day);
                add(s, c, 1, 700 + 2 * day + i, i, 10 + day);
            }
    run(s);
    assert_false(s->out.capped);
    assert_int_equal(s->out.cells[0].verdict, COMPARE_REGRESSED);
    scene_free(s);
}

static void shares_of_errors(void **state)
{
    static const struct {
        const char *why;
        double base[4], new[4];
        enum compare_verdict want;
    } CASES[] = {
        { "no errors at all", { 0, 0, 0, 0 }, { 0, 0, 0, 0 }, COMPARE_UNCHANGED },
        { "errors have come", { 0, 0, 0, 0 }, { 0.01, 0.012, 0.009, 0.011 }, COMPARE_REGRESSED },
        { "errors have gone", { 0.02, 0.03, 0.025, 0.02 }, { 0, 0, 0, 0 }, COMPARE_IMPROVED },
        { "everything fails", { 0.5, 0.5, 0.5, 0.51 }, { 1, 1, 1, 1 }, COMPARE_REGRESSED },
        { "below a tenth of a percent nothing matters",
          { 0.0001, 0.0002, 0.0001, 0 },
          { 0.0003, 0.0003, 0.0002, 0.0003 },
          COMPARE_UNCHANGED },
        { "no share", { 0.1, 0.1, 1.2, 0.1 }, { 0.1, 0.1, 0.1, 0.1 }, COMPARE_INVALID },
    };

    (void)state;
    for (size_t i = 0; i < COUNT(CASES); i++) {
        struct scene *s = scene_new(COMPARE_ONE_SESSION, 1);

        s->in.scale = COMPARE_SHARE;
        s->in.higher_is_better = false;
        for (uint32_t k = 0; k < 4; k++) {
            add(s, 0, 0, CASES[i].base[k], k, 0);
            add(s, 0, 1, CASES[i].new[k], k, 0);
        }
        run(s);
        if (s->out.cells[0].verdict != CASES[i].want)
            fail_msg("%s: %s, change %g", CASES[i].why, compare_verdict_text(s->out.cells[0].verdict),
                     s->out.cells[0].change);
        scene_free(s);
    }
}

static void samples_needed_would_settle_it(void **state)
{
    struct scene *s = scene_new(COMPARE_ONE_SESSION, 1);
    static const double NOISE[] = { -0.06, 0.06, 0.02, -0.02 };
    size_t needed;

    (void)state;
    for (uint32_t i = 0; i < 4; i++) {
        add(s, 0, 0, 100 * exp(NOISE[i]), i, 0);
        add(s, 0, 1, 95 * exp(NOISE[i]), i, 0);
    }
    run(s);
    needed = s->out.cells[0].samples_needed;
    assert_int_equal(s->out.cells[0].verdict, COMPARE_INCONCLUSIVE);
    if (needed <= 4 || needed > PER_SIDE)
        fail_msg("%zu samples needed", needed);
    for (uint32_t i = 4; i < (needed + 3) / 4 * 4; i++) {
        add(s, 0, 0, 100 * exp(NOISE[i % 4]), i, 0);
        add(s, 0, 1, 95 * exp(NOISE[i % 4]), i, 0);
    }
    run(s);
    assert_int_equal(s->out.cells[0].verdict, COMPARE_REGRESSED);
    scene_free(s);
}

static struct scene *random_scene(uint64_t seed, enum compare_design design)
{
    struct rng r;
    struct scene *s = scene_new(design, 0);

    rng_init(&r, seed);
    s->in.cell_count = 1 + rng_below(&r, 40);
    for (size_t c = 0; c < s->in.cell_count; c++) {
        const size_t n = rng_below(&r, 12), gap = rng_below(&r, 4);

        for (uint32_t i = 0; i < n; i++)
            for (int side = 0; side < 3; side++)
                if (rng_below(&r, 10) >= gap)
                    add(s, c, side, exp(7 + 0.05 * normal(&r) - (side == 1) * 0.05 * (double)rng_below(&r, 3)), i,
                        (uint32_t)side * 100 + i % 4);
    }
    return s;
}

static bool same(double a, double b)
{
    return (isnan(a) && isnan(b)) || fabs(a - b) <= 1e-9 * fmax(1, fmax(fabs(a), fabs(b)));
}

static enum compare_verdict mirrored(enum compare_verdict v)
{
    return v == COMPARE_REGRESSED ? COMPARE_IMPROVED : v == COMPARE_IMPROVED ? COMPARE_REGRESSED : v;
}

static void swapping_sides_mirrors(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 300; seed++) {
        struct scene *a = random_scene(seed, (enum compare_design)(seed % 3));
        struct scene *b = random_scene(seed, (enum compare_design)(seed % 3));

        for (size_t c = 0; c < b->in.cell_count; c++) {
            const struct compare_samples base = b->cells[c].base;

            b->cells[c].base = b->cells[c].new;
            b->cells[c].new = base;
        }
        run(a);
        run(b);
        for (size_t c = 0; c < a->in.cell_count; c++) {
            const struct compare_result *x = &a->out.cells[c], *y = &b->out.cells[c];

            if (x->verdict != mirrored(y->verdict) || !same(1 + x->change, 1 / (1 + y->change)) ||
                !same(1 + x->interval[0], 1 / (1 + y->interval[1])) || !same(x->p_adjusted, y->p_adjusted) ||
                x->samples_needed != y->samples_needed)
                fail_msg("seed %u cell %zu: %s %g p %g and %s %g p %g", (unsigned)seed, c,
                         compare_verdict_text(x->verdict), x->change, x->p, compare_verdict_text(y->verdict), y->change,
                         y->p);
        }
        assert_true(same(a->out.overall.p, b->out.overall.p));
        scene_free(a);
        scene_free(b);
    }
}

static void reverse(struct compare_sample *x, size_t n)
{
    for (size_t i = 0; i < n / 2; i++) {
        const struct compare_sample t = x[i];

        x[i] = x[n - 1 - i];
        x[n - 1 - i] = t;
    }
}

static void order_does_not_matter(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 300; seed++) {
        struct scene *a = random_scene(seed, (enum compare_design)(seed % 3));
        struct scene *b = random_scene(seed, (enum compare_design)(seed % 3));
        const size_t n = b->in.cell_count;

        for (size_t c = 0; c < n; c++) {
            reverse(b->samples[0][c], b->cells[c].base.count);
            reverse(b->samples[1][c], b->cells[c].new.count);
            reverse(b->samples[2][c], b->cells[c].history.count);
        }
        for (size_t c = 0; c < n / 2; c++) {
            const struct compare_cell t = b->cells[c];

            b->cells[c] = b->cells[n - 1 - c];
            b->cells[n - 1 - c] = t;
        }
        run(a);
        run(b);
        for (size_t c = 0; c < n; c++)
            if (a->out.cells[c].verdict != b->out.cells[n - 1 - c].verdict ||
                !same(a->out.cells[c].change, b->out.cells[n - 1 - c].change) ||
                !same(a->out.cells[c].p_adjusted, b->out.cells[n - 1 - c].p_adjusted))
                fail_msg("seed %u cell %zu", (unsigned)seed, c);
        scene_free(a);
        scene_free(b);
    }
}

/* Published figures of 30 cells of one software, measured twice: one number a side. */
static const double PUBLISHED[][2] = {
    { 49891.0, 46461.5 },   { 11783.5, 12906.5 },   { 54539.0, 58022.5 },   { 86976.0, 84292.5 },
    { 22313.5, 20943.0 },   { 83683.5, 79965.0 },   { 119625.0, 118971.0 }, { 3711.5, 3722.0 },
    { 98786.5, 99759.5 },   { 58950.5, 60889.0 },   { 3599.5, 3600.0 },     { 53534.5, 55297.0 },
    { 136808.0, 136920.5 }, { 3714.0, 3726.5 },     { 109858.0, 110773.5 }, { 142737.5, 144544.0 },
    { 3587.0, 3606.5 },     { 102508.0, 104091.5 }, { 122159.0, 127332.0 }, { 3738.5, 3753.0 },
    { 92213.0, 95030.5 },   { 16137.5, 16473.5 },   { 3618.0, 3642.0 },     { 15873.0, 16269.0 },
    { 164314.5, 174642.0 }, { 26342.0, 27006.5 },   { 141775.0, 150033.0 }, { 65049.5, 67484.5 },
    { 25241.0, 26139.0 },   { 63860.0, 66353.5 },
};

static void one_number_a_side_cannot_tell(void **state)
{
    static const enum compare_design DESIGNS[] = { COMPARE_ONE_SESSION, COMPARE_INTERLEAVED, COMPARE_SESSIONS };

    (void)state;
    assert_int_equal(COUNT(PUBLISHED), 30);
    for (size_t k = 0; k < COUNT(DESIGNS); k++) {
        struct scene *s = scene_new(DESIGNS[k], COUNT(PUBLISHED));

        for (size_t c = 0; c < COUNT(PUBLISHED); c++) {
            add(s, c, 0, PUBLISHED[c][0], 0, 0);
            add(s, c, 1, PUBLISHED[c][1], 0, 1);
        }
        run(s);
        assert_int_equal(s->out.counts[COMPARE_INCONCLUSIVE], COUNT(PUBLISHED));
        for (size_t c = 0; c < COUNT(PUBLISHED); c++)
            assert_string_equal(compare_reason_text(s->out.cells[c].reason), "one sample: cannot tell");
        if (fabs(s->out.overall.change - 0.015) > 0.0005)
            fail_msg("overall %g", s->out.overall.change);
        assert_true(isnan(s->out.overall.p));
        scene_free(s);
    }
}

static void two_thousand_cells_are_quick(void **state)
{
    enum { CELLS = 2000, N = 10, METRICS = 5 };
    struct compare_cell *cells = calloc(CELLS, sizeof(*cells));
    struct compare_sample(*samples)[2][N] = calloc(CELLS, sizeof(*samples));
    struct rng r;

    (void)state;
    assert_true(cells != NULL && samples != NULL);
    rng_init(&r, 2000);
    for (size_t c = 0; c < CELLS; c++) {
        for (size_t side = 0; side < 2; side++)
            for (uint32_t i = 0; i < N; i++)
                samples[c][side][i] = (struct compare_sample){ exp(7 + 0.03 * normal(&r)), i, 0 };
        cells[c] = (struct compare_cell){ { samples[c][0], N }, { samples[c][1], N }, { NULL, 0 }, false, false };
    }
    for (int design = COMPARE_ONE_SESSION; design <= COMPARE_INTERLEAVED; design++) {
        const uint64_t begin = clock_thread_cpu_ns();
        double seconds;

        for (int metric = 0; metric < METRICS; metric++) {
            const struct compare_input in = { .design = (enum compare_design)design,
                                              .cells = cells,
                                              .cell_count = CELLS };
            struct compare_output out;

            assert_int_equal(compare_run(&out, &in, NULL), 0);
            compare_release(&out);
        }
        seconds = (double)(clock_thread_cpu_ns() - begin) / 1e9;
        print_message("design %d: %.3f s of CPU\n", design, seconds);
#if defined(__SANITIZE_ADDRESS__)
        if (seconds > 5)
#else
        if (seconds > 0.5)
#endif
            fail_msg("%.3f s for 2 000 cells, 10 samples a side and 5 metrics", seconds);
    }
    free(samples);
    free(cells);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(worked_example_of_the_header),
        cmocka_unit_test(without_moderation_it_is_the_plain_t_of_limma),
        cmocka_unit_test(moderated_p_is_that_of_ebayes),
        cmocka_unit_test(cases_at_the_edge),
        cmocka_unit_test(what_the_caller_says_is_never_a_pass),
        cmocka_unit_test(bad_input_is_refused),
        cmocka_unit_test(exit_codes),
        cmocka_unit_test(drift_does_not_go_to_b),
        cmocka_unit_test(rounds_fall_out),
        cmocka_unit_test(days_apart_are_suspect_at_most),
        cmocka_unit_test(own_sessions_in_the_history_do_not_count),
        cmocka_unit_test(sessions_of_the_sides_are_a_history),
        cmocka_unit_test(shares_of_errors),
        cmocka_unit_test(samples_needed_would_settle_it),
        cmocka_unit_test(swapping_sides_mirrors),
        cmocka_unit_test(order_does_not_matter),
        cmocka_unit_test(one_number_a_side_cannot_tell),
        cmocka_unit_test(two_thousand_cells_are_quick),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
