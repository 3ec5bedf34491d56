/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/hist.h"

#include "alloc_fail.h"
#include "base/random.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct hist *make(void)
{
    struct hist *h;

    assert_int_equal(hist_new(&h, NULL), 0);
    return h;
}

/* ---- layout ---- */

static void layout_is_the_essays(void **state)
{
    static const struct {
        const char *why;
        uint64_t ns;
        uint32_t slot;
        uint64_t low, high;
    } CASES[] = {
        { "zero", 0, 0, 0, 0 },
        { "last value of width 1", 2047, 2047, 2047, 2047 },
        { "first value of width 2", 2048, 2048, 2048, 2049 },
        { "its neighbour shares the slot", 2049, 2048, 2048, 2049 },
        { "last of bucket 1", 4095, 3071, 4094, 4095 },
        { "first of bucket 2", 4096, 3072, 4096, 4099 },
        { "the worked example", 1000000, 11169, 999936, 1000447 },
        { "the example's maximum", 100000000, 17909, 99942400, 100007935 },
        { "an hour", HIST_MAX_NS, 33420, UINT64_C(3599182594048), UINT64_C(3601330077695) },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(CASES) / sizeof(CASES[0]); i++)
        if (hist_slot_of(CASES[i].ns) != CASES[i].slot || hist_lowest_equivalent(CASES[i].ns) != CASES[i].low ||
            hist_highest_equivalent(CASES[i].ns) != CASES[i].high)
            fail_msg("%s: slot %" PRIu32 ", %" PRIu64 " ... %" PRIu64, CASES[i].why, hist_slot_of(CASES[i].ns),
                     hist_lowest_equivalent(CASES[i].ns), hist_highest_equivalent(CASES[i].ns));
    assert_true(hist_slot_of(HIST_MAX_NS) < HIST_SLOTS);
}

/* From 0 to beyond an hour: each slot begins where the one before ended, and none is wider than 0.1 % of its values. */
static void slots_follow_each_other_and_are_narrow(void **state)
{
    uint64_t low = 0;

    (void)state;
    for (uint32_t slot = 0; low <= HIST_MAX_NS; slot++) {
        const uint64_t high = hist_highest_equivalent(low);
        if (hist_slot_of(low) != slot || hist_slot_of(high) != slot || hist_lowest_equivalent(high) != low)
            fail_msg("slot %" PRIu32 " is not %" PRIu64 " ... %" PRIu64, slot, low, high);
        if ((double)(high - low) > 0.001 * (double)low)
            fail_msg("slot %" PRIu32 " is too wide", slot);
        low = high + 1;
    }
}

/* ---- against the sorted values themselves ---- */

struct exact {
    uint64_t *values;
    size_t count;
};

static int by_size(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a;
    const uint64_t y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

static double gaussian(struct rng *r)
{
    return sqrt(-2.0 * log(1.0 - rng_unit(r))) * cos(6.283185307179586 * rng_unit(r));
}

static uint64_t draw(struct rng *r, unsigned kind)
{
    double v;

    switch (kind % 8u) {
    case 0:
        v = rng_unit(r) * 1e6; /* uniform */
        break;
    case 1:
        v = -log(1.0 - rng_unit(r)) * 5e5; /* exponential */
        break;
    case 2:
        v = exp(14 + 1.5 * gaussian(r)); /* log-normal, around a millisecond */
        break;
    case 3:
        v = 1e5 / pow(1.0 - rng_unit(r), 1.0 / 1.1); /* Pareto: a heavy tail */
        break;
    case 4:
        v = rng_below(r, 10) < 9 ? 2e5 + rng_unit(r) * 1e4 : 5e9 + rng_unit(r) * 1e9; /* two humps */
        break;
    case 5:
        v = 123456789; /* a constant */
        break;
    case 6:
        v = (double)rng_below(r, 3000); /* at the border of width 1 and 2 */
        break;
    default:
        v = (double)(UINT64_C(1) << rng_below(r, 42)) - (double)rng_below(r, 2); /* borders of buckets */
        break;
    }
    return v >= (double)HIST_MAX_NS ? HIST_MAX_NS : (uint64_t)v;
}

/* The definition itself: the smallest value with at least ceil(p/100 * n) values at or below it. p in thousandths. */
static uint64_t exact_value_at(const struct exact *e, uint64_t thousandths)
{
    const uint64_t rank = (thousandths * e->count + 99999u) / 100000u;

    return e->values[rank == 0 ? 0 : rank - 1];
}

static void compare_percentiles(const struct hist *h, const struct exact *e)
{
    uint64_t before = 0;

    for (uint64_t t = 0; t <= 100000; t += t < 90000 ? 500 : 10) {
        const uint64_t want = exact_value_at(e, t);
        const uint64_t got = hist_value_at(h, (double)t / 1000.0);
        if (got < want || (double)(got - want) > 0.001 * (double)want || hist_slot_of(got) != hist_slot_of(want))
            fail_msg("p%g of %zu is %" PRIu64 ", not %" PRIu64, (double)t / 1000.0, e->count, got, want);
        if (got < before || got < hist_min_ns(h) || got > hist_max_ns(h))
            fail_msg("p%g is not between its neighbours", (double)t / 1000.0);
        before = got;
    }
}

static void compare_figures(const struct hist *h, const struct exact *e)
{
    uint64_t sum = 0;
    long double squares = 0;

    for (size_t i = 0; i < e->count; i++)
        sum += e->values[i];
    const double mean = (double)sum / (double)e->count;
    for (size_t i = 0; i < e->count; i++)
        squares += ((long double)e->values[i] - mean) * ((long double)e->values[i] - mean);
    const double stddev = (double)sqrtl(squares / (long double)e->count);

    assert_true(hist_count(h) == e->count && hist_sum_ns(h) == sum);
    assert_true(hist_min_ns(h) == e->values[0] && hist_max_ns(h) == e->values[e->count - 1]);
    assert_true(hist_mean_ns(h) == mean);
    const double slack = 0.001 * (mean + stddev); /* each value moves by at most half a slot */
    if (fabs(hist_stddev_ns(h) - stddev) > slack)
        fail_msg("stddev is %g, not %g", hist_stddev_ns(h), stddev);
}

static void compare_counts(const struct hist *h, const struct exact *e)
{
    for (size_t i = 0; i < e->count; i += 1 + e->count / 50) {
        const uint64_t limit = hist_highest_equivalent(e->values[i]);
        size_t want = 0;
        while (want < e->count && e->values[want] <= limit)
            want++;
        assert_int_equal(hist_count_at_or_below(h, e->values[i]), want);
    }
    assert_int_equal(hist_count_at_or_below(h, UINT64_MAX), e->count);
    if (hist_lowest_equivalent(e->values[0]) > 0)
        assert_int_equal(hist_count_at_or_below(h, hist_lowest_equivalent(e->values[0]) - 1), 0);
}

static void compare_walk(const struct hist *h)
{
    struct hist_iter it;
    uint64_t total = 0;
    uint64_t last_high = 0;

    hist_iter_init(&it, h);
    while (hist_iter_next(&it)) {
        assert_true(it.count > 0 && it.low_ns <= it.high_ns);
        assert_true(total == 0 || it.low_ns > last_high);
        total += it.count;
        assert_true(it.cumulative == total);
        last_high = it.high_ns;
    }
    assert_true(total == hist_count(h));
    assert_false(hist_iter_next(&it)); /* the end stays the end */
}

static void agrees_with_sorted_values(void **state)
{
    static const size_t COUNTS[] = { 1, 2, 3, 7, 10, 100, 999, 1000, 1001, 20000 };
    struct rng r;

    (void)state;
    rng_init(&r, 2026);
    for (unsigned kind = 0; kind < 8; kind++) {
        for (size_t c = 0; c < sizeof(COUNTS) / sizeof(COUNTS[0]); c++) {
            struct exact e = { calloc(COUNTS[c], sizeof(uint64_t)), COUNTS[c] };
            struct hist *h = make();
            for (size_t i = 0; i < e.count; i++) {
                e.values[i] = draw(&r, kind);
                assert_true(hist_record(h, e.values[i]));
            }
            qsort(e.values, e.count, sizeof(*e.values), by_size);
            compare_percentiles(h, &e);
            compare_figures(h, &e);
            compare_counts(h, &e);
            compare_walk(h);
            hist_free(h);
            free(e.values);
        }
    }
}

/* Millions of values spread evenly on the logarithmic scale, each recorded alone: error below 0.1 % and never too low.
 */
static void one_value_is_shown_within_a_thousandth(void **state)
{
    struct hist *h = make();
    struct rng r;
    double worst = 0;

    (void)state;
    rng_init(&r, 11);
    for (int i = 0; i < 200000; i++) {
        const uint64_t v = (uint64_t)exp(rng_unit(&r) * log((double)HIST_MAX_NS));
        const double error = (double)(hist_highest_equivalent(v) - v) / (double)v;
        worst = error > worst ? error : worst;
    }
    assert_true(worst < 0.001);
    assert_true(worst > 0.0009); /* the bound is the true one */
    /* in the middle of two others, so that no clamping helps */
    hist_record(h, 1);
    hist_record(h, 1000000);
    hist_record(h, HIST_MAX_NS);
    assert_int_equal(hist_value_at(h, 50), 1000447);
    hist_free(h);
}

/* ---- ranks ---- */

static void ranks_are_exact(void **state)
{
    static const struct {
        const char *why;
        uint64_t n; /* the values 1 ... n, once each; below 2048 each has its slot */
        double percentile;
        uint64_t want;
    } CASES[] = {
        { "p99 of 100 values is the 99th", 100, 99, 99 },
        { "p99.9 of 1000 is the 999th though 99.9/100*1000 > 999 in doubles", 1000, 99.9, 999 },
        { "p99.99 of 1000 needs the last", 1000, 99.99, 1000 },
        { "p50 of an even number is the lower middle", 10, 50, 5 },
        { "p50 of an odd number is the middle", 11, 50, 6 },
        { "p29 of 100: 0.29 * 100 is 28.999...", 100, 29, 29 },
        { "p7 of 100: 0.07 * 100 is 7.000000000000001", 100, 7, 7 },
        { "p0 is the minimum", 100, 0, 1 },
        { "the smallest percentile above 0 has rank 1", 100, 1e-9, 1 },
        { "p100 is the maximum", 100, 100, 100 },
        { "above 100", 100, 1000, 100 },
        { "below 0", 100, -1, 1 },
        { "not a number", 100, NAN, 1 },
        { "infinite", 100, INFINITY, 100 },
        { "one value is every percentile", 1, 99.99, 1 },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(CASES) / sizeof(CASES[0]); i++) {
        struct hist *h = make();
        for (uint64_t v = 1; v <= CASES[i].n; v++)
            hist_record(h, v);
        const uint64_t got = hist_value_at(h, CASES[i].percentile);
        if (got != CASES[i].want)
            fail_msg("%s: %" PRIu64, CASES[i].why, got);
        hist_free(h);
    }
}

/* Every rank that a two-decimal percentile can have, against integer arithmetic. */
static void ranks_of_all_percentiles(void **state)
{
    static const uint64_t COUNTS[] = { 1, 3, 100, 1000, 1024, 2000 };

    (void)state;
    for (size_t c = 0; c < sizeof(COUNTS) / sizeof(COUNTS[0]); c++) {
        struct hist *h = make();
        for (uint64_t v = 1; v <= COUNTS[c]; v++)
            hist_record(h, v);
        for (uint64_t hundredths = 1; hundredths <= 10000; hundredths++)
            assert_int_equal(hist_value_at(h, (double)hundredths / 100.0), (hundredths * COUNTS[c] + 9999) / 10000);
        hist_free(h);
    }
}

/* Counts beyond 2^53, where a double no longer tells neighbours apart. */
static void ranks_of_huge_counts(void **state)
{
    struct hist *h = make();

    (void)state;
    hist_record_n(h, 1, UINT64_C(1) << 60);
    hist_record(h, 2);
    hist_record_n(h, 3, UINT64_C(1) << 60);
    assert_int_equal(hist_count(h), (UINT64_C(1) << 61) + 1);
    assert_int_equal(hist_value_at(h, 50), 2); /* rank 2^60 + 1 */
    hist_free(h);
}

/* ---- empty, NULL, overflow, reset ---- */

static void check_empty(const struct hist *h)
{
    struct hist_iter it;

    assert_int_equal(hist_count(h), 0);
    assert_int_equal(hist_sum_ns(h), 0);
    assert_int_equal(hist_min_ns(h), 0);
    assert_int_equal(hist_max_ns(h), 0);
    assert_int_equal(hist_overflow(h), 0);
    assert_true(hist_mean_ns(h) == 0.0 && hist_stddev_ns(h) == 0.0);
    assert_int_equal(hist_value_at(h, 99), 0);
    assert_int_equal(hist_count_at_or_below(h, UINT64_MAX), 0);
    hist_iter_init(&it, h);
    assert_false(hist_iter_next(&it));
}

static void empty_in_all_its_forms(void **state)
{
    struct hist zeroed = { 0 };
    struct hist *h = make();

    (void)state;
    check_empty(NULL);
    check_empty(&zeroed);
    check_empty(h);
    assert_true(hist_equal(NULL, h));
    assert_true(hist_equal(h, &zeroed));
    hist_merge(h, NULL);
    hist_merge(h, &zeroed);
    check_empty(h);
    hist_record_n(h, 5, 0); /* nothing, and no minimum of 5 either */
    check_empty(h);
    hist_release(&zeroed);
    hist_free(h);
    hist_free(NULL);
}

static void overflow_is_counted_apart(void **state)
{
    struct hist *a = make();
    struct hist *b = make();

    (void)state;
    assert_true(hist_record(a, HIST_MAX_NS));
    assert_false(hist_record(a, HIST_MAX_NS + 1));
    assert_false(hist_record(a, UINT64_MAX));
    hist_record_n(a, HIST_MAX_NS + 1, 10);
    assert_int_equal(hist_count(a), 1);
    assert_int_equal(hist_overflow(a), 12);
    assert_int_equal(hist_max_ns(a), HIST_MAX_NS);
    assert_int_equal(hist_value_at(a, 100), HIST_MAX_NS); /* never above, though its slot ends later */
    hist_record(b, HIST_MAX_NS);
    assert_false(hist_equal(a, b));
    hist_merge(b, a);
    assert_int_equal(hist_overflow(b), 12);
    assert_int_equal(hist_count(b), 2);
    hist_reset(a);
    check_empty(a);
    hist_free(a);
    hist_free(b);
}

static void record_n_is_n_records(void **state)
{
    struct hist *a = make();
    struct hist *b = make();

    (void)state;
    for (uint64_t v = 1; v < UINT64_C(1) << 41; v = v * 3 + 1) {
        hist_record_n(a, v, 5);
        for (int i = 0; i < 5; i++)
            hist_record(b, v);
    }
    assert_true(hist_equal(a, b));
    hist_free(a);
    hist_free(b);
}

static void reset_leaves_nothing_behind(void **state)
{
    struct hist *h = make();
    struct rng r;

    (void)state;
    rng_init(&r, 4);
    for (unsigned kind = 0; kind < 8; kind++) {
        for (int i = 0; i < 1000; i++)
            hist_record(h, draw(&r, kind));
        hist_reset(h);
        check_empty(h);
        for (uint32_t i = 0; i < HIST_SLOTS; i++)
            assert_int_equal(h->_slots[i], 0);
        hist_reset(h); /* of an empty one */
    }
    hist_record(h, 7);
    assert_int_equal(hist_min_ns(h), 7);
    hist_free(h);
}

static void differences_are_seen(void **state)
{
    struct hist *a = make();
    struct hist *b = make();
    struct hist *c = make();

    (void)state;
    hist_record(a, 10), hist_record(a, 20), hist_record(a, 30);
    hist_record(b, 10), hist_record(b, 20), hist_record(b, 30);
    assert_true(hist_equal(a, b));
    hist_record(c, 10), hist_record(c, 18), hist_record(c, 30);
    assert_false(hist_equal(a, c)); /* sum */
    hist_reset(c);
    hist_record_n(c, 10, 1), hist_record(c, 15), hist_record(c, 25), hist_record(c, 30);
    hist_record(a, 20);
    assert_false(hist_equal(a, c)); /* slots alone: count, sum, min and max agree */
    hist_free(a);
    hist_free(b);
    hist_free(c);
}

/* ---- merging ---- */

/* C70: two machines, one slow. The mean of their p95 would be 50.5 ms. */
static void two_machines_merge_to_the_truth(void **state)
{
    struct hist *a = make();
    struct hist *b = make();
    struct hist *both = make();

    (void)state;
    hist_record_n(a, 1000000, 900);
    hist_record_n(b, 100000000, 100);
    hist_record_n(both, 100000000, 100);
    hist_record_n(both, 1000000, 900);
    hist_merge(a, b);
    assert_true(hist_equal(a, both));
    assert_int_equal(hist_value_at(a, 90), 1000447);   /* 1 ms, within the resolution */
    assert_int_equal(hist_value_at(a, 95), 100000000); /* 100 ms */
    assert_int_equal(hist_count(a), 1000);
    assert_int_equal(hist_sum_ns(a), UINT64_C(10900000000));
    hist_free(a);
    hist_free(b);
    hist_free(both);
}

static struct hist *merged(const struct hist *a, const struct hist *b)
{
    struct hist *m;

    assert_int_equal(hist_copy(&m, a, NULL), 0);
    hist_merge(m, b);
    return m;
}

static void merging_is_associative_and_commutative(void **state)
{
    struct rng r;

    (void)state;
    rng_init(&r, 99);
    for (unsigned round = 0; round < 40; round++) {
        struct hist *part[3];
        struct hist *whole = make();
        for (unsigned p = 0; p < 3; p++) {
            part[p] = make();
            for (uint64_t n = rng_below(&r, 500); n > 0; n--) { /* sometimes empty */
                const uint64_t v = draw(&r, round + p);
                hist_record(part[p], v);
                hist_record(whole, v);
            }
        }
        struct hist *ab = merged(part[0], part[1]);
        struct hist *ab_c = merged(ab, part[2]);
        struct hist *bc = merged(part[1], part[2]);
        struct hist *a_bc = merged(part[0], bc);
        struct hist *cb = merged(part[2], part[1]);
        assert_true(hist_equal(ab_c, a_bc));
        assert_true(hist_equal(bc, cb));
        assert_true(hist_equal(ab_c, whole)); /* as if one process had seen it all */
        struct hist *all[] = { part[0], part[1], part[2], whole, ab, ab_c, bc, a_bc, cb };
        for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
            hist_free(all[i]);
    }
}

/* ---- exact figures restored ---- */

static void exact_figures_must_fit_the_slots(void **state)
{
    static const struct {
        const char *why;
        uint64_t sum, min, max;
        bool ok;
    } CASES[] = {
        { "the true ones", 6000100, 1000100, 3000000, true },
        { "the least sum", 5998080, 999936, 2998272, true },
        { "one less", 5998079, 999936, 2998272, false },
        { "others that the slots allow", 6001000, 1000000, 3000001, true },
        { "minimum below its slot", 6000100, 999935, 3000000, false },
        { "minimum above its slot", 6000100, 1000448, 3000000, false },
        { "maximum below its slot", 6000100, 1000100, 2998271, false },
        { "maximum above its slot", 6000100, 1000100, 3000320, false },
        { "minimum above maximum", 6000100, 3000000, 1000100, false },
        { "sum too small", 5900000, 1000100, 3000000, false },
        { "sum too large", 6100000, 1000100, 3000000, false },
        { "beyond an hour", 6000100, 1000100, UINT64_MAX, false },
    };
    struct hist *h = make();
    struct err err;

    (void)state;
    for (size_t i = 0; i < sizeof(CASES) / sizeof(CASES[0]); i++) {
        hist_reset(h);
        hist_record(h, 1000100);
        hist_record(h, 2000000);
        hist_record(h, 3000000);
        const int rc = hist_set_exact(h, CASES[i].sum, CASES[i].min, CASES[i].max, &err);
        if ((rc == 0) != CASES[i].ok)
            fail_msg("%s", CASES[i].why);
        if (rc == 0)
            assert_true(hist_sum_ns(h) == CASES[i].sum && hist_min_ns(h) == CASES[i].min &&
                        hist_max_ns(h) == CASES[i].max);
        else
            assert_true(err.kind == ERR_PEER && hist_sum_ns(h) == 6000100 && hist_min_ns(h) == 1000100);
    }
    hist_reset(h);
    hist_record(h, HIST_MAX_NS); /* whose slot ends above an hour: nothing recorded can be there */
    assert_int_equal(hist_set_exact(h, HIST_MAX_NS + 1, HIST_MAX_NS, HIST_MAX_NS + 1, NULL), -1);
    hist_reset(h);
    assert_int_equal(hist_set_exact(h, 0, 0, 0, NULL), 0);
    assert_int_equal(hist_set_exact(h, 1, 0, 0, NULL), -1);
    check_empty(h);
    hist_free(h);
}

static void equal_values_have_no_spread(void **state)
{
    struct hist *h = make();

    (void)state;
    hist_record_n(h, 1000003, 1000);
    assert_true(hist_stddev_ns(h) == 0.0);
    assert_true(hist_mean_ns(h) == 1000003.0);
    assert_int_equal(hist_value_at(h, 50), 1000003);
    hist_free(h);
}

/* ---- memory ---- */

static size_t resident_kib(void)
{
    unsigned long size;
    unsigned long resident;
    FILE *f = fopen("/proc/self/statm", "re");

    assert_non_null(f);
    assert_int_equal(fscanf(f, "%lu %lu", &size, &resident), 2);
    fclose(f);
    return resident * 4;
}

static size_t mappings(void)
{
    FILE *f = fopen("/proc/self/maps", "re");
    size_t lines = 0;

    assert_non_null(f);
    for (int c; (c = fgetc(f)) != EOF;)
        lines += c == '\n';
    fclose(f);
    return lines;
}

/* What a run against thousands of targets does: a pool, every histogram used between 0.1 and 1.5 ms. */
static void a_pool_holds_thousands(void **state)
{
    enum { N = 20000 };
    static struct hist hists[N];
    struct hist one_more;
    struct hist_pool pool;
    struct err err;

    (void)state;
    const size_t resident = resident_kib();
    const size_t maps = mappings();
    assert_int_equal(hist_pool_init(&pool, N, &err), 0);
    for (size_t i = 0; i < N; i++)
        assert_int_equal(hist_pool_take(&pool, &hists[i], &err), 0);
    assert_int_equal(hist_pool_take(&pool, &one_more, &err), -1);
    assert_int_equal(err.kind, ERR_LIMIT);
    check_empty(&one_more);
    for (size_t i = 0; i < N; i++)
        hist_record(&hists[i], 1000000 + i);
    assert_in_range(mappings(), maps, maps + 3);
#ifndef __SANITIZE_ADDRESS__
    assert_true(resident_kib() - resident < (size_t)N * 12); /* a page each, page tables, and hists[] itself */
#else
    (void)resident;
#endif
    for (size_t i = 0; i < N; i++) {
        if (hist_count(&hists[i]) != 1 || hist_max_ns(&hists[i]) != 1000000 + i ||
            hist_value_at(&hists[i], 50) != 1000000 + i)
            fail_msg("histogram %zu has another one's values", i);
        hist_release(&hists[i]);
    }
    hist_pool_release(&pool);
    hist_pool_release(&pool); /* zeroed by the first */
    assert_int_equal(hist_pool_init(&pool, SIZE_MAX, &err), -1);
    hist_pool_release(&pool);
}

/* Merging and resetting look at untouched pages but do not take memory for them. */
static void reset_and_merge_touch_no_new_pages(void **state)
{
    enum { N = 200 };
    static struct hist hists[N];
    struct hist_pool pool;

    (void)state;
    assert_int_equal(hist_pool_init(&pool, N, NULL), 0);
    for (size_t i = 0; i < N; i++) {
        assert_int_equal(hist_pool_take(&pool, &hists[i], NULL), 0);
        hist_record(&hists[i], 1);
        hist_record(&hists[i], HIST_MAX_NS); /* the used range is everything: 66 pages, of which 2 are touched */
    }
    const size_t before = resident_kib();
    for (size_t i = 1; i < N; i++) {
        hist_merge(&hists[0], &hists[i]);
        hist_reset(&hists[i]);
    }
    assert_true(resident_kib() - before < 1024); /* 50 MiB if every page of the range were written */
    assert_int_equal(hist_count(&hists[0]), 2 * N);
    hist_pool_release(&pool);
}

static void every_allocation_may_fail(void **state)
{
    struct hist *source = make();
    struct hist inline_one;
    struct hist_pool pool;
    struct err err;
    unsigned nth = 1;

    (void)state;
    hist_record(source, 5);
    for (bool refused = true; refused; nth++) {
        struct hist *h = source;
        alloc_fail_at(nth);
        const int rc = hist_copy(&h, source, &err);
        refused = alloc_fail_end();
        assert_int_equal(rc, refused ? -1 : 0);
        if (refused)
            assert_true(h == NULL && err.kind == ERR_SYSTEM);
        else
            assert_true(hist_equal(h, source));
        hist_free(h);
    }
    assert_int_equal(nth, 4); /* the struct and its counters */
    alloc_fail_at(1);
    assert_int_equal(hist_init(&inline_one, &err), -1);
    assert_true(alloc_fail_end());
    check_empty(&inline_one);
    hist_release(&inline_one);
    alloc_fail_at(1);
    assert_int_equal(hist_pool_init(&pool, 10, &err), -1);
    assert_true(alloc_fail_end());
    hist_pool_release(&pool);
    hist_free(source);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(layout_is_the_essays),
        cmocka_unit_test(slots_follow_each_other_and_are_narrow),
        cmocka_unit_test(agrees_with_sorted_values),
        cmocka_unit_test(one_value_is_shown_within_a_thousandth),
        cmocka_unit_test(ranks_are_exact),
        cmocka_unit_test(ranks_of_all_percentiles),
        cmocka_unit_test(ranks_of_huge_counts),
        cmocka_unit_test(empty_in_all_its_forms),
        cmocka_unit_test(overflow_is_counted_apart),
        cmocka_unit_test(record_n_is_n_records),
        cmocka_unit_test(reset_leaves_nothing_behind),
        cmocka_unit_test(differences_are_seen),
        cmocka_unit_test(two_machines_merge_to_the_truth),
        cmocka_unit_test(merging_is_associative_and_commutative),
        cmocka_unit_test(exact_figures_must_fit_the_slots),
        cmocka_unit_test(equal_values_have_no_spread),
        cmocka_unit_test(a_pool_holds_thousands),
        cmocka_unit_test(reset_and_merge_touch_no_new_pages),
        cmocka_unit_test(every_allocation_may_fail),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
