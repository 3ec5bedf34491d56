/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A run second by second, as arrays, and what becomes of them in the page's JSON: thinned to so many points that each
 * bucket keeps its least and its greatest value. Private to report/. */
#ifndef PLIMSOLL_REPORT_HTML_SERIES_H
#define PLIMSOLL_REPORT_HTML_SERIES_H

#include "base/buf.h"
#include "base/err.h"
#include "result/result.h"

enum series_line {
    SERIES_STARTED, /* per second, as the next three */
    SERIES_OK,
    SERIES_FAILED,
    SERIES_BYTES,
    SERIES_IN_FLIGHT,
    SERIES_P50, /* seconds; NAN where fewer than the percentile needs ended */
    SERIES_P90,
    SERIES_P99,
    SERIES_MAX,
    SERIES_LINES
};
const char *series_line_name(enum series_line line);

struct page_series {
    size_t count;
    /* Of them those that are seconds of the window: what is left of one at its end, and the drain behind it, are so
     * short that few requests would look like a fall or a spike. end_s: where the last of them ends. */
    size_t whole;
    double end_s;
    double *t_s, *length_s;
    double *lines[SERIES_LINES];
};

/* The caller ends *out with series_release(), after -1 (out of memory) too. */
MUST_CHECK int series_of(struct page_series *out, const struct result *r, struct err *err);
void series_release(struct page_series *s);
/* [[t, value], ...] of at most about `points` points. */
void series_json(struct buf *out, const double *t, const double *values, size_t count, size_t points);

/* [[1/(1-p), seconds], ...]: evenly spread on that axis, from the median's left to where one request is left. */
void curve_json(struct buf *out, const struct hist *h, unsigned per_decade);

/* Latency over time: {"t": [bounds], "y": [bounds in seconds], "cells": [[column, row, count], ...]}. False: there is
 * nothing to see (fewer than two intervals with requests), and nothing is added. */
MUST_CHECK int heat_json(struct buf *out, const struct result *r, size_t columns, size_t rows, bool *any,
                         struct err *err);

#endif
