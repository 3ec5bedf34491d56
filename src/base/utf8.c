/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/utf8.h"

static size_t promised_length(unsigned char first)
{
    if (first < 0x80)
        return 1;
    if (first >= 0xc2 && first < 0xe0)
        return 2;
    if (first >= 0xe0 && first < 0xf0)
        return 3;
    return first >= 0xf0 && first < 0xf5 ? 4 : 0;
}

/* The second byte rules out overlong forms, surrogates and what is beyond the last code point. */
static bool second_fits(unsigned char first, unsigned char second)
{
    switch (first) {
    case 0xe0:
        return second >= 0xa0;
    case 0xed:
        return second < 0xa0;
    case 0xf0:
        return second >= 0x90;
    case 0xf4:
        return second < 0x90;
    default:
        return true;
    }
}

size_t utf8_length(struct slice s)
{
    const size_t n = s.len > 0 ? promised_length((unsigned char)s.ptr[0]) : 0;

    if (n > s.len)
        return 0;
    for (size_t i = 1; i < n; i++)
        if (((unsigned char)s.ptr[i] & 0xc0) != 0x80)
            return 0;
    return n < 2 || second_fits((unsigned char)s.ptr[0], (unsigned char)s.ptr[1]) ? n : 0;
}

bool utf8_is_valid(struct slice s)
{
    while (s.len > 0) {
        const size_t n = utf8_length(s);

        if (n == 0)
            return false;
        s = slice_drop(s, n);
    }
    return true;
}
