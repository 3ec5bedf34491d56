/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Base64 (RFC 4648 section 4) undone, four letters at a time. Private to stats/. */
#ifndef PLIMSOLL_STATS_BASE64_H
#define PLIMSOLL_STATS_BASE64_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* n times four letters of the middle of a text into three bytes each; out has room for one byte more. False: not
 * base64; out is then anything. */
bool base64_quads(const char *text, size_t n, uint8_t *out);
/* The last four, which may be padded. Returns how many bytes, 1 to 3; 0: not base64. */
size_t base64_last_quad(const char *four, uint8_t *out);

#endif
