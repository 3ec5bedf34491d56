/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Moderated variance: many cells, each with few samples, lend each other what they know of the noise.
 *
 * SUMMARY. With 2 or 3 samples a cell's own variance s^2 is nearly worthless: it is too small by a factor of ten in one
 * cell of many, and that cell then "regresses". But the cells of one benchmark are measured alike, and their true
 * variances resemble each other. So each s^2 is pulled towards the common value, the more the fewer samples it has and
 * the more alike the cells are.
 *
 * DERIVATION (Smyth 2004, "Linear models and empirical Bayes methods for assessing differential expression in
 * microarray experiments", Stat. Appl. Genet. Mol. Biol. 3:3; the same as limma's fitFDist and squeezeVar). Let the
 * true variances be drawn from a scaled inverse chi-square with d0 degrees of freedom around s0^2, and s^2 with df
 * degrees of freedom around the true one. Then s^2 / s0^2 is F distributed with (df, d0), the posterior value is
 *
 *     s~^2 = (d0 s0^2 + df s^2) / (d0 + df)
 *
 * and an effect over its moderated error follows Student's t with df + d0 degrees of freedom. The two constants come
 * from the moments of e = ln s^2 - digamma(df/2) + ln(df/2): its variance beyond mean(trigamma(df/2)), which sampling
 * alone explains, is trigamma(d0/2), and its mean is ln s0^2 - digamma(d0/2) + ln(d0/2). When nothing is left beyond,
 * all cells have the same variance: d0 is infinite and s0^2 is the plain mean of the s^2.
 *
 * WORKED EXAMPLE. Cells with df = 4 and s^2 = 1, 2, 4, 8, 16 (times 1e-4): ln s^2 has variance 1.20, of which
 * trigamma(2) = 0.645 is sampling; trigamma(d0/2) = 0.556 gives d0 = 4.51 and s0^2 = 4.1e-4. The quietest cell's 1
 * becomes (4.51 * 4.1 + 4 * 1) / 8.51 = 2.7, the noisiest one's 16 becomes 9.7.
 *
 * Values of exactly zero (counters too coarse to show noise) are lifted to 1e-5 of the median, as limma does. */
#ifndef PLIMSOLL_STATS_MODERATE_H
#define PLIMSOLL_STATS_MODERATE_H

#include <stdbool.h>
#include <stddef.h>

struct moderate_prior {
    double df;       /* d0; 0: nothing to lend; may be INFINITY */
    double variance; /* s0^2 */
};

/* Fits the prior to the cells with finite s2 >= 0 and df > 0. False, with a prior that changes nothing (df 0), when
 * fewer than two such cells exist or their median is zero. scratch holds n doubles. */
bool moderate_fit(struct moderate_prior *out, const double *s2, const double *df, size_t n, double *scratch);
/* s~^2. */
double moderate_variance(const struct moderate_prior *prior, double s2, double df);
/* df + d0, but never more than the cells have together. */
double moderate_df(const struct moderate_prior *prior, double df, double df_pooled);

#endif
