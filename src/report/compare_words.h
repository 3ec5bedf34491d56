/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What all forms of a comparison's report say alike: figures with their units, the sentence that sums it up, the order
 * of rows. Private to report/. */
#ifndef PLIMSOLL_REPORT_COMPARE_WORDS_H
#define PLIMSOLL_REPORT_COMPARE_WORDS_H

#include "base/buf.h"
#include "result/comparison.h"

#define WORDS_MAX 64

/* "12,345", "1.23 ms" (latency, service time, and metrics that end in _s), "0.50 %" (shares), "-" when not known. */
const char *words_value(char out[WORDS_MAX], const struct comparison_metric *m, double value);
/* "-12.3 %", of shares "+0.20 points"; "-" when not known. */
const char *words_change(char out[WORDS_MAX], const struct comparison_metric *m, double change);
/* "-15.0 ... -9.1 %". */
const char *words_interval(char out[WORDS_MAX], const struct comparison_metric *m, const double interval[2]);
/* "0.031", "<0.001", "-". */
const char *words_p(char out[WORDS_MAX], double p);
/* "requests/s", "latency p99". */
const char *words_metric(char out[WORDS_MAX], const char *name);

/* Indices of the cells of a metric: worst verdict first, then the largest change, then by name. The caller frees. NULL
 * when out of memory. */
size_t *words_order(const struct comparison *c, const struct comparison_metric *m);

/* "2 of 30 cells regressed, worst edge/500/1: -12.0 % (-15.0 ... -9.1 %); 28 unchanged." */
void words_summary(struct buf *out, const struct comparison *c);
/* "All cells together: +1.5 % (...), p 0.20." or why it can not be told; nothing for less than two
 * cells. */
void words_overall(struct buf *out, const struct comparison_metric *m);
/* Why verdicts are what they are, a sentence each, with a line break: the design, what caps them, what would help. */
void words_method(struct buf *out, const struct comparison *c, const char *before);
/* The reason of a verdict and the samples that would settle it; empty when there is nothing to say. */
void words_reason(struct buf *out, const struct compare_result *r, enum compare_design design);

#endif
