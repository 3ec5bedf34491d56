/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Probabilities of many tests, adjusted for their number.
 *
 * With 30 cells and nothing changed, one or two have p <= 0.05. Holm (1979, Scand. J. Statist. 6:65) bounds the chance
 * of even one false alarm in the whole table: the smallest of M values is multiplied by M, the next by M - 1 and so
 * on, never falling back below an earlier one. Benjamini and Hochberg (1995, J. R. Statist. Soc. B 57:289) bounds the
 * share of false ones among those named: the i-th smallest is multiplied by M / i. The first is for verdicts, the
 * second for a list of what is worth a second look.
 *
 * NaN stands for "was not tested": it stays NaN and does not count. The order of the tests does not matter. */
#ifndef PLIMSOLL_STATS_ADJUST_H
#define PLIMSOLL_STATS_ADJUST_H

#include <stddef.h>

/* order holds n indices of scratch; out may not be p. */
void adjust_holm(double *out, const double *p, size_t n, size_t *order);
void adjust_benjamini_hochberg(double *out, const double *p, size_t n, size_t *order);

#endif
