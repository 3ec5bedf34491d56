/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The packed form: what a worker writes at the end of an interval. */
#include "stats/hist_codec.h"

#include "alloc_fail.h"
#include "base/random.h"
#include "edge.h"
#include "stats/varint.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static struct hist *make(void)
{
    struct hist *h;

    assert_int_equal(hist_new(&h, NULL), 0);
    return h;
}

static void varints_at_their_borders(void **state)
{
    static const struct {
        const char *why;
        uint64_t v;
        size_t bytes;
    } CASES[] = {
        { "zero", 0, 1 },
        { "largest of one byte", 127, 1 },
        { "smallest of two", 128, 2 },
        { "largest of two", 16383, 2 },
        { "smallest of three", 16384, 3 },
        { "largest of eight", (UINT64_C(1) << 56) - 1, 8 },
        { "smallest of nine", UINT64_C(1) << 56, 9 },
        { "largest: the ninth byte has eight bits", UINT64_MAX, 9 },
    };
    uint8_t bytes[VARINT_MAX];
    uint64_t got = 0;

    (void)state;
    for (size_t i = 0; i < sizeof(CASES) / sizeof(CASES[0]); i++) {
        const size_t n = (size_t)(varint_put(bytes, CASES[i].v) - bytes);
        if (n != CASES[i].bytes || varint_get(bytes, n, &got) != n || got != CASES[i].v)
            fail_msg("%s: %zu bytes, %" PRIu64, CASES[i].why, n, got);
        for (size_t less = 0; less < n; less++)
            assert_int_equal(varint_get(bytes, less, &got), 0);
    }
    for (int64_t n = -1000; n <= 1000; n++)
        assert_true(unzigzag(zigzag(n)) == n);
    assert_true(zigzag(0) == 0 && zigzag(-1) == 1 && zigzag(1) == 2);
    assert_true(unzigzag(zigzag(INT64_MIN)) == INT64_MIN && unzigzag(zigzag(INT64_MAX)) == INT64_MAX);
}

static void fill(struct hist *h, struct rng *r, unsigned kind)
{
    for (uint64_t n = rng_below(r, 3000); n > 0; n--)
        hist_record(h, kind == 0 ? rng_below(r, 3000) : rng_below(r, UINT64_C(1) << (kind * 7u % 43u)));
    if (kind % 3 == 0)
        hist_record_n(h, rng_below(r, 1000), rng_below(r, UINT64_C(1) << 40));
    if (kind % 5 == 0)
        hist_record(h, UINT64_MAX); /* overflow travels too */
}

static void pack_and_unpack(void **state)
{
    uint8_t *bytes = malloc(hist_pack_max());
    struct edge e = edge_new();
    struct rng r;

    (void)state;
    rng_init(&r, 31);
    for (unsigned kind = 0; kind < 60; kind++) {
        struct hist *h = make();
        struct hist *back = make();
        struct hist *twice = make();
        if (kind > 0) /* the first is empty */
            fill(h, &r, kind);
        const size_t len = hist_pack(h, bytes);
        assert_true(len <= hist_pack_max());
        const struct slice s = edge_put(&e, (const char *)bytes, len);
        assert_int_equal(hist_unpack_into(back, (const uint8_t *)s.ptr, len, NULL), 0);
        assert_true(hist_equal(h, back));
        /* adds to what is there */
        hist_merge(twice, h), hist_merge(twice, h);
        assert_int_equal(hist_unpack_into(back, (const uint8_t *)s.ptr, len, NULL), 0);
        assert_true(hist_equal(twice, back));
        hist_free(h);
        hist_free(back);
        hist_free(twice);
    }
    edge_free(&e);
    free(bytes);
}

static void packing_allocates_nothing(void **state)
{
    uint8_t *bytes = malloc(hist_pack_max());
    struct hist *h = make();

    (void)state;
    hist_record(h, 1);
    hist_record(h, HIST_MAX_NS);
    alloc_fail_at(1);
    const size_t len = hist_pack(h, bytes);
    assert_false(alloc_fail_end()); /* nothing was asked for, so nothing was refused */
    assert_true(len < 40);          /* 33 420 empty slots are one number */
    hist_free(h);
    free(bytes);
}

/* Every slot used, each with a count that needs all nine bytes. */
static void the_largest_fits_its_maximum(void **state)
{
    uint8_t *bytes = malloc(hist_pack_max());
    struct hist *h = make();
    struct hist *back = make();

    (void)state;
    for (uint64_t v = 0; v <= HIST_MAX_NS; v = hist_highest_equivalent(v) + 1)
        hist_record_n(h, v, (UINT64_C(1) << 56) + v);
    h->_count = 0; /* wrapped above: what matters here are the slots */
    for (uint32_t i = 0; i < HIST_SLOTS; i++)
        h->_count += h->_slots[i];
    const size_t len = hist_pack(h, bytes);
    assert_true(len <= hist_pack_max());
    assert_true(len > (size_t)9 * 33000);
    assert_int_equal(hist_unpack_into(back, bytes, len, NULL), -1); /* such counts do not add up in 64 bits */
    hist_free(h);
    hist_free(back);
    free(bytes);
}

static void bad_bytes_are_refused(void **state)
{
    static const struct {
        const char *why;
        uint8_t bytes[16];
        size_t len;
    } CASES[] = {
        { "nothing", { 0 }, 0 },
        { "only a count", { 1 }, 1 },
        { "figures missing", { 1, 0, 5 }, 3 },
        { "slots missing", { 1, 0, 5, 5, 5 }, 5 },
        { "bytes left over", { 1, 0, 5, 5, 5, 2, 2 }, 7 },
        { "bytes left over behind an empty one", { 0, 0, 0 }, 3 },
        { "count is not the slots'", { 2, 0, 5, 5, 5, 2 }, 6 },
        { "an empty slot as a count of zero", { 1, 0, 5, 5, 5, 0 }, 6 },
        { "minimum above maximum", { 1, 0, 5, 6, 5, 2 }, 6 },
        { "first slot empty", { 1, 0, 5, 5, 6, 1, 2 }, 7 },
        { "last slot empty", { 1, 0, 5, 5, 6, 2, 1 }, 7 },
        { "empty slots beyond the last", { 1, 0, 5, 5, 7, 2, 0x81, 0x01 }, 8 },
        { "maximum above an hour", { 1, 0, 5, 5, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 2 }, 14 },
        { "a number cut short", { 1, 0, 5, 5, 0x85 }, 5 },
        { "minus 2^63 empty slots", { 1, 0, 5, 5, 7, 2, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 2 }, 16 },
    };
    static const uint8_t GOOD[] = { 1, 0, 5, 5, 5, 2 };
    struct edge e = edge_new();
    struct hist *h = make();
    struct err err;

    (void)state;
    assert_int_equal(hist_unpack_into(h, GOOD, sizeof(GOOD), &err), 0); /* so that the others fail for their reason */
    for (size_t i = 0; i < sizeof(CASES) / sizeof(CASES[0]); i++) {
        const struct slice s = edge_put(&e, (const char *)CASES[i].bytes, CASES[i].len);
        struct hist *victim = make();
        if (hist_unpack_into(victim, (const uint8_t *)s.ptr, s.len, &err) != -1 || err.kind != ERR_PEER)
            fail_msg("%s", CASES[i].why);
        hist_free(victim);
    }
    edge_free(&e);
    hist_free(h);
}

static void every_cut_is_refused(void **state)
{
    uint8_t *bytes = malloc(hist_pack_max());
    struct edge e = edge_new();
    struct hist *h = make();
    struct rng r;

    (void)state;
    rng_init(&r, 8);
    for (int i = 0; i < 100; i++)
        hist_record(h, rng_below(&r, 1000000));
    const size_t len = hist_pack(h, bytes);
    for (size_t cut = 0; cut < len; cut++) {
        const struct slice s = edge_put(&e, (const char *)bytes, cut);
        struct hist *victim = make();
        assert_int_equal(hist_unpack_into(victim, (const uint8_t *)s.ptr, cut, NULL), -1);
        hist_free(victim);
    }
    edge_free(&e);
    hist_free(h);
    free(bytes);
}

static struct slice packed(const struct hist *h, uint8_t *room)
{
    return slice_from((const char *)room, hist_pack(h, room));
}

static void sums_are_those_of_the_histograms(void **state)
{
    uint8_t *a = malloc(hist_pack_max()), *b = malloc(hist_pack_max()), *sum = malloc(hist_pack_max());
    struct edge e = edge_new(), f = edge_new();
    struct rng r;

    (void)state;
    rng_init(&r, 47);
    for (unsigned kind = 0; kind < 60; kind++) {
        struct hist *x = make(), *y = make(), *both = make(), *back = make();

        if (kind % 7 != 0) /* some are empty, sometimes both */
            fill(x, &r, kind);
        if (kind % 4 != 0)
            fill(y, &r, kind * 11 % 60);
        hist_merge(both, x);
        hist_merge(both, y);
        const struct slice one = packed(x, a), other = packed(y, b);
        const size_t len = hist_pack_sum(sum, edge_put(&e, one.ptr, one.len), edge_put(&f, other.ptr, other.len));
        assert_int_equal(hist_unpack_into(back, sum, len, NULL), 0);
        assert_true(hist_equal(both, back));
        assert_int_equal(packed(both, a).len, len); /* the same bytes, whichever way they came about */
        assert_memory_equal(a, sum, len);
        hist_free(x);
        hist_free(y);
        hist_free(both);
        hist_free(back);
    }
    edge_free(&e);
    edge_free(&f);
    free(a);
    free(b);
    free(sum);
}

static void no_sum_of_what_is_cut(void **state)
{
    uint8_t *bytes = malloc(hist_pack_max()), *sum = malloc(hist_pack_max());
    struct edge e = edge_new();
    struct hist *h = make();
    struct rng r;

    (void)state;
    rng_init(&r, 9);
    for (int i = 0; i < 100; i++)
        hist_record(h, rng_below(&r, 1000000));
    const struct slice whole = packed(h, bytes);
    for (size_t cut = 0; cut < 5; cut++) /* of the figures in front */
        assert_int_equal(hist_pack_sum(sum, edge_put(&e, whole.ptr, cut), whole), 0);
    edge_free(&e);
    hist_free(h);
    free(bytes);
    free(sum);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(varints_at_their_borders),
        cmocka_unit_test(pack_and_unpack),
        cmocka_unit_test(packing_allocates_nothing),
        cmocka_unit_test(the_largest_fits_its_maximum),
        cmocka_unit_test(bad_bytes_are_refused),
        cmocka_unit_test(every_cut_is_refused),
        cmocka_unit_test(sums_are_those_of_the_histograms),
        cmocka_unit_test(no_sum_of_what_is_cut),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
