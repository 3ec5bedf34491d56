/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/digits.h"

#include <stddef.h>

char *digits_put(char *at, uint64_t value)
{
    char digits[DIGITS_MAX];
    size_t n = 0;

    do {
        digits[n++] = (char)('0' + value % 10);
        value /= 10;
    } while (value > 0);
    while (n > 0)
        *at++ = digits[--n];
    return at;
}
