/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/fingerprint.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Odd, with bits spread evenly: the fractional parts of the golden ratio and of the square root of 3. */
#define FACTOR_A UINT64_C(0x9e3779b97f4a7c15)
#define FACTOR_B UINT64_C(0xbb67ae8584caa73b)

static uint64_t rotate(uint64_t x, unsigned by)
{
    return x << by | x >> (64 - by);
}

void fingerprint_init(struct fingerprint *f)
{
    *f = (struct fingerprint){ ._lane = { FACTOR_B, FACTOR_A } };
}

/* Every step can be undone, so that no two states become one while blocks are alike; the lanes feed each other. */
static void add_block(struct fingerprint *f, const unsigned char block[16])
{
    uint64_t a, b;

    memcpy(&a, block, 8);
    memcpy(&b, block + 8, 8);
    a = rotate((f->_lane[0] ^ a) * FACTOR_A, 29);
    b = rotate((f->_lane[1] ^ b) * FACTOR_B, 37);
    f->_lane[0] = a + rotate(b, 11);
    f->_lane[1] = b ^ f->_lane[0];
}

void fingerprint_add(struct fingerprint *f, struct slice bytes)
{
    const unsigned char *at = (const unsigned char *)bytes.ptr;
    size_t left = bytes.len;

    if (left == 0) /* what waits for its block goes on waiting */
        return;
    f->_length += left;
    while (left > 0 && (f->_rest_bytes > 0 || left < sizeof(f->_rest))) {
        const size_t room = sizeof(f->_rest) - f->_rest_bytes;
        const size_t n = left < room ? left : room;

        memcpy(f->_rest + f->_rest_bytes, at, n);
        f->_rest_bytes += n;
        at += n;
        left -= n;
        if (f->_rest_bytes < sizeof(f->_rest))
            return;
        add_block(f, f->_rest);
        f->_rest_bytes = 0;
    }
    for (; left >= sizeof(f->_rest); at += sizeof(f->_rest), left -= sizeof(f->_rest))
        add_block(f, at);
    memcpy(f->_rest, at, left);
    f->_rest_bytes = left;
}

/* Spreads every bit over all 64. */
static uint64_t finish(uint64_t x)
{
    x = (x ^ x >> 32) * FACTOR_A;
    x = (x ^ x >> 29) * FACTOR_B;
    return x ^ x >> 32;
}

void fingerprint_uuid(const struct fingerprint *f, char out[UUID_TEXT_MAX])
{
    struct fingerprint last = *f;
    uint64_t a, b;

    memset(last._rest + last._rest_bytes, 0, sizeof(last._rest) - last._rest_bytes);
    add_block(&last, last._rest);
    a = finish(last._lane[0] ^ last._length);
    b = finish(last._lane[1] + a);
    a = finish(a + b);
    a = (a & ~UINT64_C(0xf000)) | UINT64_C(0x8000);
    b = (b & ~(UINT64_C(3) << 62)) | UINT64_C(1) << 63;
    snprintf(out, UUID_TEXT_MAX, "%08" PRIx64 "-%04" PRIx64 "-%04" PRIx64 "-%04" PRIx64 "-%012" PRIx64, a >> 32,
             a >> 16 & 0xffff, a & 0xffff, b >> 48, b & UINT64_C(0xffffffffffff));
}
