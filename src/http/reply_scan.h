/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds the end of a name or of a text among the bytes of a head, many at a time: 16 with SSE2, which every x86-64 has,
 * else 8 in a register. Never reads at or behind `end`. Part of reply_head.c; for no one else. */
#ifndef PLIMSOLL_HTTP_REPLY_SCAN_H
#define PLIMSOLL_HTTP_REPLY_SCAN_H

#include <endian.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#if defined(__SSE2__) && !defined(REPLY_SCAN_PORTABLE)
#include <immintrin.h>
#define REPLY_SCAN_STEP 16
#else
#define REPLY_SCAN_STEP 8
#endif

#define REPLY_SCAN_ONES UINT64_C(0x0101010101010101)
#define REPLY_SCAN_BITS7 UINT64_C(0x8080808080808080)

/* More than a token's characters (RFC 9110 5.6.2), but nothing that could be mistaken for the end of a name or of a
 * line. */
static inline bool reply_scan_is_name(char c)
{
    return (unsigned char)c > ' ' && (unsigned char)c < 0x80 && c != ':';
}

static inline uint64_t reply_scan_load8(const char *p)
{
    uint64_t x;

    memcpy(&x, p, sizeof(x));
    return le64toh(x);
}

#if REPLY_SCAN_STEP == 16
/* Index of the first control character in 16 bytes, or 16. */
static inline unsigned reply_scan_text_step(const char *p)
{
    const __m128i x = _mm_loadu_si128((const __m128i *)(const void *)p);
    const __m128i found = _mm_cmpeq_epi8(_mm_min_epu8(x, _mm_set1_epi8(' ' - 1)), x);
    const int bits = _mm_movemask_epi8(found);

    return bits != 0 ? (unsigned)__builtin_ctz((unsigned)bits) : 16;
}

/* Index of the first byte that is no reply_scan_is_name(), or 16. Signed, bytes from 0x80 on are below a blank too. */
static inline unsigned reply_scan_name_step(const char *p)
{
    const __m128i x = _mm_loadu_si128((const __m128i *)(const void *)p);
    const __m128i low = _mm_cmplt_epi8(x, _mm_set1_epi8(' ' + 1));
    const int bits = _mm_movemask_epi8(_mm_or_si128(low, _mm_cmpeq_epi8(x, _mm_set1_epi8(':'))));

    return bits != 0 ? (unsigned)__builtin_ctz((unsigned)bits) : 16;
}
#else
/* Bit 7 of the bytes less than n (n <= 0x80): x - n·0x01… borrows into it, ~x takes out those that had it anyway. A
 * borrow can only run upwards, so the lowest byte found is always right. */
static inline uint64_t reply_scan_less(uint64_t x, uint64_t n)
{
    return (x - n * REPLY_SCAN_ONES) & ~x & REPLY_SCAN_BITS7;
}

static inline unsigned reply_scan_text_step(const char *p)
{
    const uint64_t found = reply_scan_less(reply_scan_load8(p), ' ');

    return found != 0 ? (unsigned)__builtin_ctzll(found) / 8 : 8;
}

static inline unsigned reply_scan_name_step(const char *p)
{
    const uint64_t x = reply_scan_load8(p);
    const uint64_t colon = reply_scan_less(x ^ ':' * REPLY_SCAN_ONES, 1);
    const uint64_t found = reply_scan_less(x, ' ' + 1) | colon | (x & REPLY_SCAN_BITS7);

    return found != 0 ? (unsigned)__builtin_ctzll(found) / 8 : 8;
}
#endif

/* First control character but the tab at or behind p, or end. */
static inline const char *reply_scan_text(const char *p, const char *end)
{
    for (;; p++) {
        unsigned at = REPLY_SCAN_STEP;
        while (end - p >= REPLY_SCAN_STEP && (at = reply_scan_text_step(p)) == REPLY_SCAN_STEP)
            p += REPLY_SCAN_STEP;
        if (at < REPLY_SCAN_STEP)
            p += at;
        else
            while (p < end && (unsigned char)*p >= ' ')
                p++;
        if (p == end || *p != '\t')
            return p;
    }
}

/* First byte at or behind p that is no reply_scan_is_name(), or end. */
static inline const char *reply_scan_name(const char *p, const char *end)
{
    while (end - p >= REPLY_SCAN_STEP) {
        const unsigned at = reply_scan_name_step(p);
        p += at;
        if (at < REPLY_SCAN_STEP)
            return p;
    }
    while (p < end && reply_scan_is_name(*p))
        p++;
    return p;
}

#endif
