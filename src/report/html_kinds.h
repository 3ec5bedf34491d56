/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A run's failures second by second and by kind, as rates. Private to report/. */
#ifndef PLIMSOLL_REPORT_HTML_KINDS_H
#define PLIMSOLL_REPORT_HTML_KINDS_H

#include "base/buf.h"
#include "report/html_series.h"

enum { KINDS_UNKNOWN = FAIL_KINDS, KINDS_LINES };
const char *kinds_name(size_t line); /* "timeout"; of failures whose kind the document does not have "kind not kept" */

struct page_kinds {
    size_t count;
    double *per_s[KINDS_LINES]; /* NULL: none of the kind in the whole run */
};

/* The caller ends *out with kinds_release(), after -1 (out of memory) too. */
MUST_CHECK int kinds_of(struct page_kinds *out, const struct result *r, struct err *err);
void kinds_release(struct page_kinds *k);
bool kinds_any(const struct page_kinds *k);
/* {"t": [seconds], "kinds": [["timeout", [per second]], ...]} of at most so many points: lines that are stacked need
 * the same times, so that each point is the mean of its seconds; s, of the same run, says which are whole. */
void kinds_json(struct buf *out, const struct page_kinds *k, const struct page_series *s, size_t points);

/* Over the seconds from ... to - 1, by their length. NAN: none is known. */
double series_mean(const double *values, const double *lengths, size_t from, size_t to);

#endif
