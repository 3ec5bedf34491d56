/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Numbers of lines that are written by the million, without printf. Private to report/. */
#ifndef PLIMSOLL_REPORT_DIGITS_H
#define PLIMSOLL_REPORT_DIGITS_H

#include <stdint.h>

#define DIGITS_MAX 20u /* of a uint64_t */

/* Writes the decimal digits at `at`, where DIGITS_MAX bytes have room; returns where they end. No NUL. */
char *digits_put(char *at, uint64_t value);

#endif
