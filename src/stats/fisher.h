/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Fisher's exact test of a table of two by two: are a of n_a and b of n_b failures compatible with one common share?
 *
 * The two-sided p is the sum of the probabilities, given the table's margins (hypergeometric), of all tables that are
 * no more probable than the one seen, as R's fisher.test does. For display only: requests of one run share its
 * connections, its server and its minute, they are not independent samples, and a p from millions of them is far too
 * small. Verdicts on shares of errors use one number per sample (compare.h). */
#ifndef PLIMSOLL_STATS_FISHER_H
#define PLIMSOLL_STATS_FISHER_H

#include <stdint.h>

/* a <= n_a, b <= n_b, else NaN. 1 when a margin is empty. */
double fisher_exact(uint64_t a, uint64_t n_a, uint64_t b, uint64_t n_b);

#endif
