/* SPDX-License-Identifier: GPL-3.0-or-later */
/* HdrHistogram's V2 encoding: our own round trip, and whatever else may come. */
#include "stats/hist_codec.h"

#include "alloc_fail.h"
#include "base/random.h"
#include "edge.h"
#include "stats/hist_v2.h"
#include "stats/varint.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

static struct hist *make(void)
{
    struct hist *h;

    assert_int_equal(hist_new(&h, NULL), 0);
    return h;
}

/* ---- an encoder of our own, able to lie ---- */

struct v2 {
    uint32_t outer_cookie, inner_cookie, offset, digits;
    uint64_t lowest, highest, ratio;
    int64_t length_off, payload_off; /* added to the true lengths */
    uint8_t payload[256];
    size_t payload_len;
    size_t zeros; /* zero bytes behind the payload, part of it */
    size_t junk;  /* bytes behind zlib's stream, in the outer length */
    size_t cut;   /* bytes missing at its end */
};

static struct v2 honest(void)
{
    return (struct v2){ .outer_cookie = 0x1c849314,
                        .inner_cookie = 0x1c849313,
                        .digits = 3,
                        .lowest = 1,
                        .highest = HIST_MAX_NS,
                        .ratio = V2_RATIO_ONE };
}

static void add(struct v2 *v, int64_t n)
{
    v->payload_len = (size_t)(varint_put(v->payload + v->payload_len, zigzag(n)) - v->payload);
}

static void put_be(uint8_t *out, uint64_t v, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++)
        out[i] = (uint8_t)(v >> (8 * (bytes - 1 - i)));
}

static void base64(struct buf *out, const uint8_t *p, size_t len)
{
    static const char LETTERS[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

    for (size_t bit = 0; bit < len * 8; bit += 6) {
        unsigned v = 0;
        for (size_t b = bit; b < bit + 6; b++)
            v = v << 1 | (b < len * 8 ? p[b / 8] >> (7 - b % 8) & 1u : 0u);
        buf_add_char(out, LETTERS[v]);
    }
    while (out->len % 4 != 0)
        buf_add_char(out, '=');
}

static void encode(struct buf *out, const struct v2 *v)
{
    const size_t plain_len = 40 + v->payload_len + v->zeros;
    uint8_t *plain = calloc(1, plain_len);
    uLongf size = compressBound((uLong)plain_len);
    uint8_t *packed = calloc(1, 8 + size + v->junk);

    put_be(plain, v->inner_cookie, 4);
    put_be(plain + 4, (uint64_t)((int64_t)(v->payload_len + v->zeros) + v->payload_off), 4);
    put_be(plain + 8, v->offset, 4);
    put_be(plain + 12, v->digits, 4);
    put_be(plain + 16, v->lowest, 8);
    put_be(plain + 24, v->highest, 8);
    put_be(plain + 32, v->ratio, 8);
    memcpy(plain + 40, v->payload, v->payload_len);
    assert_int_equal(compress(packed + 8, &size, plain, (uLong)plain_len), Z_OK);
    size = size + v->junk - v->cut;
    put_be(packed, v->outer_cookie, 4);
    put_be(packed + 4, (uint64_t)((int64_t)size + v->length_off), 4);
    base64(out, packed, 8 + size);
    free(packed);
    free(plain);
}

static int decode(struct hist **out, const struct v2 *v, struct err *err)
{
    struct buf text;

    buf_init(&text, 1 << 20);
    encode(&text, v);
    const int rc = hist_decode_v2(out, buf_slice(&text), err);
    buf_release(&text);
    return rc;
}

/* ---- tests ---- */

/* The least and the largest sum that values of its slots can have, and one beyond either: both say the same of them. */
static void same_sums_are_possible(const struct hist *h, struct hist *read)
{
    const uint64_t min = hist_min_ns(h), max = hist_max_ns(h);
    unsigned __int128 least = 0, most = 0;
    struct hist *slots;
    struct hist_iter it;

    assert_int_equal(hist_copy(&slots, h, NULL), 0);
    for (hist_iter_init(&it, h); hist_iter_next(&it);) {
        least += (unsigned __int128)(it.low_ns < min ? min : it.low_ns) * it.count;
        most += (unsigned __int128)(it.high_ns > max ? max : it.high_ns) * it.count;
    }
    if (most < UINT64_MAX && least > 0) {
        const uint64_t sums[] = { (uint64_t)least - 1, (uint64_t)least, (uint64_t)most, (uint64_t)most + 1 };

        for (size_t i = 0; i < 4; i++) {
            const int want = i == 0 || i == 3 ? -1 : 0;

            assert_int_equal(hist_set_exact(slots, sums[i], min, max, NULL), want);
            assert_int_equal(hist_set_exact(read, sums[i], min, max, NULL), want);
        }
    }
    hist_free(slots);
    assert_int_equal(hist_set_exact(read, hist_sum_ns(h), min, max, NULL), 0);
}

/* What was read stays packed: whoever looks at it sees no difference, nor does a merge, into either. */
static void reads_the_same(struct hist *h, struct hist *read)
{
    static const double QS[] = { 0, 0.1, 50, 90, 99, 99.99, 100 };
    uint64_t values[sizeof(QS) / sizeof(QS[0])];
    struct hist *twice;

    same_sums_are_possible(h, read);
    hist_values_at(read, QS, sizeof(QS) / sizeof(QS[0]), values);
    for (size_t i = 0; i < sizeof(QS) / sizeof(QS[0]); i++) {
        assert_int_equal(hist_value_at(h, QS[i]), values[i]);
        assert_int_equal(hist_value_at(h, QS[i]), hist_value_at(read, QS[i]));
        assert_int_equal(hist_count_at_or_below(h, values[i]), hist_count_at_or_below(read, values[i]));
    }
    assert_true(hist_stddev_ns(h) == hist_stddev_ns(read));
    assert_int_equal(hist_copy(&twice, read, NULL), 0);
    hist_merge(twice, h);
    hist_merge(read, h);
    assert_true(hist_equal(twice, read));
    assert_int_equal(hist_count(read), 2 * hist_count(h));
    hist_free(twice);
}

static void round_trip(void **state)
{
    struct rng r;

    (void)state;
    rng_init(&r, 77);
    for (unsigned kind = 0; kind < 43; kind++) {
        struct hist *h = make();
        struct hist *back;
        struct buf text;
        for (uint64_t n = kind == 0 ? 0 : rng_below(&r, 5000); n > 0; n--)
            hist_record(h, rng_below(&r, UINT64_C(1) << kind) % (HIST_MAX_NS + 1));
        if (kind % 4 == 1)
            hist_record_n(h, 1000, UINT64_C(1) << 40);
        buf_init(&text, 1 << 20);
        buf_add_str(&text, "=");
        assert_int_equal(hist_encode_v2(h, &text, NULL), 0);
        assert_int_equal(text.data[0], '='); /* appended */
        assert_int_equal(hist_decode_v2(&back, slice_drop(buf_slice(&text), 1), NULL), 0);
        if (hist_count(h) > 0) {
            assert_true(hist_slot_of(hist_min_ns(back)) == hist_slot_of(hist_min_ns(h)));
            assert_true(hist_slot_of(hist_max_ns(back)) == hist_slot_of(hist_max_ns(h)));
            assert_true(hist_max_ns(back) <= HIST_MAX_NS);
        }
        assert_int_equal(hist_set_exact(back, hist_sum_ns(h), hist_min_ns(h), hist_max_ns(h), NULL), 0);
        assert_true(hist_equal(h, back)); /* nothing else was lost */
        reads_the_same(h, back);
        hist_free(h);
        hist_free(back);
        buf_release(&text);
    }
}

/* The slot of an hour ends, and has its middle, above an hour. Found against hdr-histogram-js. */
static void an_hour_comes_back(void **state)
{
    struct hist *h = make();
    struct hist *back;
    struct buf text;

    (void)state;
    hist_record(h, HIST_MAX_NS);
    buf_init(&text, 1 << 20);
    assert_int_equal(hist_encode_v2(h, &text, NULL), 0);
    assert_int_equal(hist_decode_v2(&back, buf_slice(&text), NULL), 0);
    assert_int_equal(hist_max_ns(back), HIST_MAX_NS);
    assert_int_equal(hist_set_exact(back, HIST_MAX_NS, HIST_MAX_NS, HIST_MAX_NS, NULL), 0);
    assert_true(hist_equal(h, back));
    buf_release(&text);
    hist_free(h);
    hist_free(back);
}

static void golden_text(void **state)
{
    /* Written by HdrHistogram's JavaScript version 3.0.1: 3 digits, the values 1000, 2000000 (twice) and 3500000000. */
    static const char TEXT[] = "HISTFAAAADF4nJNpmSzMwMDAzcDAwMjAwMDMAAGMDAzMbgY7FjDA+Of5md6vY2Q5vJqRCQCE7wcc";
    struct hist *h;

    (void)state;
    assert_int_equal(hist_decode_v2(&h, slice_str(TEXT), NULL), 0);
    assert_int_equal(hist_count(h), 4);
    assert_int_equal(hist_min_ns(h), 1000);
    assert_int_equal(hist_value_at(h, 50), 2000895); /* as it says there too: 2000895 */
    assert_int_equal(hist_max_ns(h), hist_highest_equivalent(3500000000u));
    hist_free(h);
}

static void other_layouts_are_read(void **state)
{
    static const struct {
        const char *why;
        uint32_t digits;
        uint64_t lowest;
        int64_t empty;      /* slots before the only count */
        uint64_t low, high; /* where the value must be found */
    } CASES[] = {
        { "3 digits, as ours", 3, 1, 11169, 999936, 1000447 },
        { "5 digits: finer than ours", 5, 1, 10 * 131072 / 4 + 1000, 0, HIST_MAX_NS },
        { "2 digits: 256 sub-buckets; 300 lies in bucket 1 at 128 + 300/2", 2, 1, 128 + 150, 300, 301 },
        { "1 digit: 32 sub-buckets", 1, 1, 31, 31, 31 },
        { "0 digits: 2 sub-buckets", 0, 1, 3, 4, 7 },
        { "microseconds: units of 512 ns", 3, 1000, 10, 5120, 5631 },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(CASES) / sizeof(CASES[0]); i++) {
        struct v2 v = honest();
        struct hist *h;
        v.digits = CASES[i].digits;
        v.lowest = CASES[i].lowest;
        add(&v, -CASES[i].empty);
        add(&v, 9);
        if (decode(&h, &v, NULL) != 0)
            fail_msg("%s: refused", CASES[i].why);
        if (hist_count(h) != 9 || hist_value_at(h, 50) < CASES[i].low || hist_min_ns(h) > CASES[i].high)
            fail_msg("%s: found at %llu ... %llu", CASES[i].why, (unsigned long long)hist_min_ns(h),
                     (unsigned long long)hist_max_ns(h));
        if (hist_is_coarse(h) != (CASES[i].digits < 3 || CASES[i].lowest > 1))
            fail_msg("%s: coarse %d", CASES[i].why, hist_is_coarse(h));
        hist_free(h);
    }
}

static void dialects_are_read(void **state)
{
    struct hist *h;

    (void)state;
    for (unsigned dialect = 0; dialect < 5; dialect++) {
        struct v2 v = honest();
        add(&v, 4);
        switch (dialect) {
        case 0: /* cookies without word size */
            v.outer_cookie = V2_OUTER_COOKIE;
            v.inner_cookie = V2_INNER_COOKIE;
            break;
        case 1: /* the JavaScript version writes 1 for the offset and an integer 1 for the ratio */
            v.offset = 1;
            v.ratio = 1;
            break;
        case 2:
            v.ratio = 0;
            break;
        case 3: /* limits of a histogram that grows by itself */
            v.highest = 2;
            break;
        default: /* room for more than an hour, unused */
            v.highest = INT64_MAX;
            add(&v, -30000);
            break;
        }
        if (decode(&h, &v, NULL) != 0)
            fail_msg("dialect %u was refused", dialect);
        assert_int_equal(hist_count(h), 4);
        hist_free(h);
    }
}

static void refuse(const char *why, const struct v2 *v)
{
    struct hist *h = (struct hist *)(uintptr_t)8;
    struct err err = { 0 };

    if (decode(&h, v, &err) != -1 || h != NULL || err.kind != ERR_PEER)
        fail_msg("%s", why);
}

static void lies_are_refused(void **state)
{
    struct v2 v;

    (void)state;
#define LIE(why, ...)    \
    do {                 \
        v = honest();    \
        add(&v, 4);      \
        __VA_ARGS__;     \
        refuse(why, &v); \
    } while (0)
    LIE("V0's cookie", v.outer_cookie = 0x1c849309);
    LIE("V1 inside", v.inner_cookie = 0x1c849301);
    LIE("outer length too small", v.length_off = -1);
    LIE("outer length too large", v.length_off = 1);
    LIE("payload shorter than said", v.payload_off = 1);
    LIE("payload longer than said", v.payload_off = -1);
    LIE("bytes behind zlib's stream", v.junk = 2);
    LIE("many bytes behind zlib's stream", v.junk = 9000);
    LIE("zlib's checksum is missing", v.cut = 4);
    LIE("one byte of zlib's checksum is missing", v.cut = 1);
    LIE("a payload of 4 GiB", v.payload_off = 0xfffffff0);
    LIE("6 digits", v.digits = 6);
    LIE("2^32 - 1 digits", v.digits = UINT32_MAX);
    LIE("lowest value 0", v.lowest = 0);
    LIE("lowest value above an hour", v.lowest = HIST_MAX_NS + 1; v.highest = INT64_MAX);
    LIE("highest below twice the lowest", v.highest = 1);
    LIE("highest negative", v.highest = UINT64_MAX);
    LIE("values are fractions", v.ratio = UINT64_C(0x3fe0000000000000));
    LIE("more slots than the limits say", v.highest = 2; add(&v, -2047); add(&v, 1));
    LIE("empty slots beyond the end", add(&v, -40000));
    LIE("2^63 empty slots", add(&v, INT64_MIN));
    LIE("a value above an hour", v.highest = INT64_MAX; add(&v, -34000); add(&v, 1));
    LIE("counts above 2^64", add(&v, INT64_MAX); add(&v, INT64_MAX); add(&v, INT64_MAX));
    LIE("a sum above 2^64", add(&v, -30000); add(&v, INT64_MAX));
    LIE("a number that does not end", v.payload[v.payload_len++] = 0x80);
#undef LIE
    v = honest(); /* nothing counted is no lie */
    struct hist *h;
    assert_int_equal(decode(&h, &v, NULL), 0);
    assert_int_equal(hist_count(h), 0);
    hist_free(h);
}

static void bad_texts_are_refused(void **state)
{
    static const struct {
        const char *why, *text;
    } CASES[] = {
        { "nothing", "" },
        { "too short", "HISTFAAA" },
        { "not four by four", "HISTFAAAACx4nJNpmSzMw" },
        { "a line break", "HISTFAAAACx4\nJNpmSzMwMDAxMDAzADG" },
        { "not base64", "HISTFAAA*Cx4nJNp" },
        { "padding in the middle", "HIST====ACx4nJNp" },
        { "three paddings", "HISTFAAAACx4nJNpA===" },
        { "other encodings", "eyJmb3JtYXQiOiJoaXN0b2dyYW0ifQ==" },
    };
    struct edge e = edge_new();

    (void)state;
    for (size_t i = 0; i < sizeof(CASES) / sizeof(CASES[0]); i++) {
        struct hist *h = (struct hist *)(uintptr_t)8;
        struct err err = { 0 };
        if (hist_decode_v2(&h, edge_put(&e, CASES[i].text, strlen(CASES[i].text)), &err) != -1 || h != NULL ||
            err.kind != ERR_PEER)
            fail_msg("%s", CASES[i].why);
    }
    edge_free(&e);
}

/* Every cut and every flipped letter of a good text: never read wrongly, since zlib's checksum stands at the end. */
static void damage_is_noticed(void **state)
{
    struct edge e = edge_new();
    struct hist *h = make();
    struct hist *got;
    struct buf text;
    size_t accepted = 0;

    (void)state;
    for (uint64_t v = 1000; v < 100000000; v = v * 5 / 4)
        hist_record_n(h, v, v % 97 + 1);
    buf_init(&text, 1 << 20);
    assert_int_equal(hist_encode_v2(h, &text, NULL), 0);
    for (size_t cut = 0; cut < text.len; cut++)
        assert_int_equal(hist_decode_v2(&got, edge_put(&e, text.data, cut), NULL), -1);
    for (size_t i = 0; i < text.len; i++) {
        const char was = text.data[i];
        text.data[i] = was == 'A' ? 'B' : 'A';
        if (hist_decode_v2(&got, edge_put(&e, text.data, text.len), NULL) == 0) {
            accepted++;
            assert_int_equal(hist_count(got), hist_count(h));
            assert_true(hist_value_at(got, 50) == hist_value_at(h, 50));
            hist_free(got);
        }
        text.data[i] = was;
    }
    /* Bits that mean nothing may change: a cookie's word size, zlib's level, the unused bits of the last letter. */
    assert_true(accepted <= 4);
    edge_free(&e);
    hist_free(h);
    buf_release(&text);
}

/* A few thousand letters of zlib can stand for megabytes: they end at the first slot that does not exist. */
static void a_zip_bomb_costs_nothing(void **state)
{
    struct v2 v = honest();

    (void)state;
    v.zeros = 20000000;
    v.payload_off = -19900000;
    refuse("zeros beyond the payload", &v);
    v.payload_off = 0;
    refuse("a payload larger than any histogram", &v);
    v.digits = 5;
    v.zeros = 5000000; /* more slots than there are, in the finest layout */
    refuse("more slots than there are", &v);
}

static void every_allocation_may_fail(void **state)
{
    struct hist *h = make();
    struct buf text;
    struct err err;
    unsigned refusals = 0;

    (void)state;
    hist_record(h, 1234567);
    for (unsigned nth = 1;; nth++) {
        buf_init(&text, 1 << 20);
        alloc_fail_at(nth);
        const int rc = hist_encode_v2(h, &text, &err);
        const bool refused = alloc_fail_end();
        assert_int_equal(rc, refused ? -1 : 0);
        refusals += refused;
        if (!refused)
            break;
        buf_release(&text);
    }
    assert_int_equal(refusals, 3); /* two work areas and the buffer */
    for (unsigned nth = 1;; nth++) {
        struct hist *back;
        alloc_fail_at(nth);
        const int rc = hist_decode_v2(&back, buf_slice(&text), &err);
        const bool refused = alloc_fail_end();
        assert_int_equal(rc, refused ? -1 : 0);
        assert_true(refused ? back == NULL && err.sys == ENOMEM : hist_count(back) == 1);
        hist_free(back);
        if (!refused)
            break;
    }
    buf_release(&text);
    buf_init(&text, 20); /* the buffer's maximum */
    assert_int_equal(hist_encode_v2(h, &text, &err), -1);
    buf_release(&text);
    hist_free(h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(round_trip),
        cmocka_unit_test(an_hour_comes_back),
        cmocka_unit_test(golden_text),
        cmocka_unit_test(other_layouts_are_read),
        cmocka_unit_test(dialects_are_read),
        cmocka_unit_test(lies_are_refused),
        cmocka_unit_test(bad_texts_are_refused),
        cmocka_unit_test(damage_is_noticed),
        cmocka_unit_test(a_zip_bomb_costs_nothing),
        cmocka_unit_test(every_allocation_may_fail),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
