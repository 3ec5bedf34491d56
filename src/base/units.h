/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Numbers with units, both ways. Durations and sizes always carry a unit: a bare number is an error
 * (except in ab's and mb's own options, which do not come here).
 *
 *   duration   1.5s  200ms  2m  1h30m  10us  500ns            -> ns
 *   size       20MB (10^6)  1MiB (2^20)  512B  4kB  1GiB      -> bytes
 *   count      10  1000  10k  2M (10^3, 10^6)                 -> number
 *   share      1%  0.5%  0.01                                 -> fraction 0..1
 *
 * Errors are ERR_USAGE; the sentence quotes the text and the hint shows a correct form. */
#ifndef PLIMSOLL_BASE_UNITS_H
#define PLIMSOLL_BASE_UNITS_H

#include "base/err.h"
#include "base/slice.h"

#include <stdint.h>

#define NS_PER_US 1000u
#define NS_PER_MS 1000000u
#define NS_PER_S 1000000000u

MUST_CHECK int units_parse_duration(struct slice text, uint64_t *out_ns, struct err *err);
MUST_CHECK int units_parse_size(struct slice text, uint64_t *out_bytes, struct err *err);
MUST_CHECK int units_parse_count(struct slice text, uint64_t *out, struct err *err);
MUST_CHECK int units_parse_share(struct slice text, double *out, struct err *err);

/* What a word of so many ends with: "1 request", "2 requests". */
static inline const char *units_plural(uint64_t n)
{
    return n == 1 ? "" : "s";
}

/* Room that every units_format_ function needs at most. */
#define UNITS_TEXT_MAX 32

/* "1.23 ms", "456 us", "12.0 s", "2 m 03 s": three significant digits, a space, the unit. */
const char *units_format_duration(char out[UNITS_TEXT_MAX], double ns);
/* "1.50 MiB", "29 B". */
const char *units_format_size(char out[UNITS_TEXT_MAX], double bytes);
/* "1,234,567". */
const char *units_format_count(char out[UNITS_TEXT_MAX], uint64_t n);
/* "12.3 k", "1.20 M", "987": three significant digits. */
const char *units_format_number(char out[UNITS_TEXT_MAX], double n);

#endif
