/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The content of sized bodies: a line of 64 characters again and again, so that byte i of any body is known. One
 * constant region, built before any thread serves and never written again: sending it costs no copy of ours. */
#ifndef PLIMSOLL_SERVE_PATTERN_H
#define PLIMSOLL_SERVE_PATTERN_H

#include <stddef.h>
#include <stdint.h>

enum { PATTERN_LINE = 64, PATTERN_BYTES = 256 * 1024 };

/* PATTERN_BYTES bytes; offset i of a body is pattern[i % PATTERN_LINE]. Built once, then shared; any thread. */
const char *pattern_bytes(void);
void pattern_copy(char *out, uint64_t offset, size_t len);

#endif
