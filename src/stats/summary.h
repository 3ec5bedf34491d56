/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Figures of small sets of plain numbers (durations of copies, samples). Pure functions; x need not be sorted unless
 * said. */
#ifndef PLIMSOLL_STATS_SUMMARY_H
#define PLIMSOLL_STATS_SUMMARY_H

#include <stddef.h>
#include <stdint.h>

struct summary {
    size_t count;
    double mean, stddev /* of the sample, n - 1; 0 below two */, min, max, median;
};

/* x is reordered. Zeroes for an empty set. */
void summary_of(struct summary *out, double *x, size_t n);

/* The key of a percentile in a document: 50 -> "p50", 99.9 -> "p999", 99.95 -> "p9995", 99.99 -> "p9999".
 * Two digits stand before the point that is left out, so that no two percentiles share a key: 9.9 -> "p099". */
#define SUMMARY_KEY_MAX 24
const char *summary_percentile_key(char out[SUMMARY_KEY_MAX], double percentile);
/* Its label for people: "p50", "p99.9", "p99.95". */
const char *summary_percentile_label(char out[SUMMARY_KEY_MAX], double percentile);

#endif
