/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ZigZag LEB128 in HdrHistogram's 64-bit variant, private to stats/: seven bits a byte, low ones first, the top bit
 * says "more follows"; the ninth byte has all its eight bits, so that no number takes more than nine bytes. ZigZag maps
 * 0, -1, 1, -2 ... to 0, 1, 2, 3 ...: in a sequence of counters n >= 0 is a count and -n stands for n empty slots. */
#ifndef PLIMSOLL_STATS_VARINT_H
#define PLIMSOLL_STATS_VARINT_H

#include <stddef.h>
#include <stdint.h>

#define VARINT_MAX 9u

static inline uint8_t *varint_put(uint8_t *out, uint64_t v)
{
    for (unsigned i = 1; i < VARINT_MAX && v >= 0x80u; i++) {
        *out++ = (uint8_t)(v | 0x80u);
        v >>= 7;
    }
    *out++ = (uint8_t)v;
    return out;
}

/* Takes one number from p[0 .. len). Returns the bytes used, 0 when there are too few. */
static inline size_t varint_get(const uint8_t *p, size_t len, uint64_t *out)
{
    uint64_t v = 0;

    for (unsigned i = 0; i < VARINT_MAX && i < len; i++) {
        const uint64_t bits = i == VARINT_MAX - 1u ? p[i] : p[i] & 0x7fu;
        v |= bits << (7u * i);
        if (p[i] < 0x80u || i == VARINT_MAX - 1u) {
            *out = v;
            return i + 1u;
        }
    }
    return 0;
}

static inline uint64_t zigzag(int64_t n)
{
    return ((uint64_t)n << 1) ^ (n < 0 ? UINT64_MAX : 0u);
}

static inline int64_t unzigzag(uint64_t v)
{
    return (int64_t)((v >> 1) ^ (0u - (v & 1u)));
}

#endif
