/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/base64.h"

#include <endian.h>
#include <string.h>

/* What a letter of base64 stands for; NO: it is none. */
#define NO 255
/* clang-format off */
static const uint8_t SEXTETS[256] = {
    NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO,
    NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO,
    NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, 62, NO, NO, NO, 63,
    52, 53, 54, 55, 56, 57, 58, 59, 60, 61, NO, NO, NO, NO, NO, NO,
    NO, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14,
    15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, NO, NO, NO, NO, NO,
    NO, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40,
    41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, NO, NO, NO, NO, NO,
    NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO,
    NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO,
    NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO,
    NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO,
    NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO,
    NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO,
    NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO,
    NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO,
};
/* clang-format on */
#undef NO

static int sextet(char c)
{
    return SEXTETS[(uint8_t)c] < 64 ? SEXTETS[(uint8_t)c] : -1;
}

size_t base64_last_quad(const char *four, uint8_t *out)
{
    const size_t n = four[3] != '=' ? 3 : four[2] != '=' ? 2 : 1;
    uint32_t word = 0;

    for (size_t i = 0; i < 4; i++) {
        const int v = i <= n ? sextet(four[i]) : 0;
        if (v < 0)
            return 0;
        word = word << 6 | (uint32_t)v;
    }
    for (size_t i = 0; i < n; i++)
        out[i] = (uint8_t)(word >> (16u - 8u * (unsigned)i));
    return n;
}

bool base64_quads(const char *text, size_t n, uint8_t *out)
{
    uint32_t all = 0;

    for (; n > 0; n--, text += 4, out += 3) {
        const uint32_t a = SEXTETS[(uint8_t)text[0]], b = SEXTETS[(uint8_t)text[1]];
        const uint32_t c = SEXTETS[(uint8_t)text[2]], d = SEXTETS[(uint8_t)text[3]];
        const uint32_t word = htobe32(a << 26 | b << 20 | c << 14 | d << 8);

        all |= a | b | c | d; /* a letter that is none sets the bits above */
        memcpy(out, &word, sizeof(word));
    }
    return all < 64;
}
