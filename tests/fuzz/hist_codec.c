/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Histograms from outside. The first byte chooses the door:
 *   'p'  the rest is a packed histogram
 *   'v'  the rest is what V2 has inside base64 and zlib, which are put around it here, or the fuzzer would never get
 * past zlib's checksum else the whole input is V2 text Whatever is accepted must be consistent and survive being
 * written and read again. */
#include "stats/hist_codec.h"

#include "base/buf.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_consistent(const struct hist *h)
{
    struct hist_iter it;
    uint64_t total = 0;
    uint64_t last = 0;

    hist_iter_init(&it, h);
    while (hist_iter_next(&it)) {
        assert(it.count > 0 && it.low_ns <= HIST_MAX_NS);
        assert(total == 0 || it.low_ns > last);
        total += it.count;
        last = it.high_ns;
    }
    assert(total == hist_count(h));
    assert(hist_min_ns(h) <= hist_max_ns(h) && hist_max_ns(h) <= HIST_MAX_NS);
    for (double p = 0; p <= 100; p += 12.5)
        assert(hist_value_at(h, p) >= hist_min_ns(h) && hist_value_at(h, p) <= hist_max_ns(h));
    assert(hist_value_at(h, 0) == hist_min_ns(h) && hist_value_at(h, 100) == hist_max_ns(h));
}

static void check_packs(const struct hist *h)
{
    uint8_t *bytes = malloc(hist_pack_max());
    struct hist *back;

    assert(bytes != NULL);
    const size_t len = hist_pack(h, bytes);
    assert(len <= hist_pack_max());
    assert(hist_new(&back, NULL) == 0);
    assert(hist_unpack_into(back, bytes, len, NULL) == 0);
    assert(hist_equal(h, back));
    hist_free(back);
    free(bytes);
}

static void check_encodes(const struct hist *h)
{
    struct buf text;
    struct hist *back;

    buf_init(&text, (size_t)1 << 20);
    assert(hist_encode_v2(h, &text, NULL) == 0);
    assert(hist_decode_v2(&back, buf_slice(&text), NULL) == 0);
    assert(hist_set_exact(back, hist_sum_ns(h), hist_min_ns(h), hist_max_ns(h), NULL) == 0);
    assert(hist_equal(h, back));
    hist_free(back);
    buf_release(&text);
}

static void try_text(struct slice text)
{
    struct hist *h;
    struct err err = { 0 };

    if (hist_decode_v2(&h, text, &err) < 0) {
        assert(h == NULL && err.kind == ERR_PEER && err.what[0] != '\0');
        return;
    }
    check_consistent(h);
    check_packs(h);
    check_encodes(h);
    hist_free(h);
}

static void add_base64(struct buf *out, const uint8_t *p, size_t len)
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

static void try_plain(const uint8_t *data, size_t size)
{
    uLongf packed_size = compressBound((uLong)size);
    uint8_t *packed = malloc(8 + packed_size);
    struct buf text;

    assert(packed != NULL && compress2(packed + 8, &packed_size, data, (uLong)size, 1) == Z_OK);
    memcpy(packed, "\x1c\x84\x93\x14", 4);
    for (unsigned i = 0; i < 4; i++)
        packed[4 + i] = (uint8_t)(packed_size >> (24 - 8 * i));
    buf_init(&text, 2 * size + 1000);
    add_base64(&text, packed, 8 + packed_size);
    assert(buf_ok(&text));
    try_text(buf_slice(&text));
    buf_release(&text);
    free(packed);
}

static void try_packed(const uint8_t *data, size_t size)
{
    struct hist *h;

    assert(hist_new(&h, NULL) == 0);
    if (hist_unpack_into(h, data, size, NULL) == 0) {
        check_consistent(h);
        check_packs(h);
    }
    hist_free(h);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size > 0 && data[0] == 'p')
        try_packed(data + 1, size - 1);
    else if (size > 0 && data[0] == 'v')
        try_plain(data + 1, size - 1);
    else
        try_text(slice_from((const char *)data, size));
    return 0;
}
