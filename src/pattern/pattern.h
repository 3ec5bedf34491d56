/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Regular expressions over bytes (Perl's syntax; PCRE2 inside). The pattern is shared by all threads; each thread has
 * its own matcher, whose memory is made before measuring. */
#ifndef PLIMSOLL_PATTERN_PATTERN_H
#define PLIMSOLL_PATTERN_PATTERN_H

#include "base/err.h"
#include "base/slice.h"

struct pattern;
struct pattern_matcher;

/* ERR_USAGE says where the pattern breaks off. Bytes are bytes: no UTF-8 is assumed; "." matches no line break. */
MUST_CHECK int pattern_new(struct pattern **out, const char *text, struct err *err);
void pattern_free(struct pattern *p); /* NULL is fine */
MUST_CHECK int pattern_matcher_new(struct pattern_matcher **out, struct err *err);
void pattern_matcher_free(struct pattern_matcher *m); /* NULL is fine */

enum pattern_found { PATTERN_ABSENT, PATTERN_FOUND, PATTERN_GAVE_UP /* too much backtracking */ };
enum pattern_found pattern_find(const struct pattern *p, struct pattern_matcher *m, struct slice text);
/* What the pattern's first group matched, after PATTERN_FOUND in the same text; the empty slice: it has none. */
struct slice pattern_group(const struct pattern_matcher *m, struct slice text);

#endif
