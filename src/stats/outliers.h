/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Samples far away from the others, by the modified z-score of Iglewicz and Hoaglin (1993, How to Detect and Handle
 * Outliers): M = 0.6745 (x - median) / MAD, where MAD is the median of |x - median|. The limit of |M| > 10, and with it
 * |x - median| > 14.826 MAD, is the one that hyperfine's users know.
 *
 * When more than half of the samples are equal (MAD 0), nothing is called an outlier: there is no scale. */
#ifndef PLIMSOLL_STATS_OUTLIERS_H
#define PLIMSOLL_STATS_OUTLIERS_H

#include <stdbool.h>
#include <stddef.h>

#define OUTLIERS_LIMIT 10.0
#define OUTLIERS_SCALE 0.6745

struct outliers {
    size_t count;
    bool first; /* the first sample is one, and above the median: something was cold */
};

/* x in order of measuring; scratch holds n doubles. None below three samples. */
void outliers_of(struct outliers *out, const double *x, size_t n, double *scratch);

#endif
