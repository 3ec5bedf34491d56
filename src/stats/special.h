/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The distributions and special functions that the comparison needs: the one door to GSL.
 *
 * Pure, and total: an argument outside a function's domain gives NaN, never an abort (GSL's own error handler, which
 * ends the process, is switched off when the program starts). Degrees of freedom need not be whole numbers, and may be
 * INFINITY: Student's t is then the normal distribution. Accurate to about 1e-10 relative; the unit tests compare with
 * figures of R 4.2 (tests/golden).
 *
 * Student's t is taken from the incomplete beta function, P(|T| > t) = I_{df/(df+t^2)}(df/2, 1/2) (Abramowitz and
 * Stegun 26.7.1), because GSL's own cdf is an expansion with fewer digits above 30 degrees of freedom. */
#ifndef PLIMSOLL_STATS_SPECIAL_H
#define PLIMSOLL_STATS_SPECIAL_H

/* P(|T| > |t|). */
double special_t_two_sided(double t, double df);
/* t with P(T <= t) = p, for 0 < p < 1. */
double special_t_quantile(double p, double df);
/* z with P(Z <= z) = p, for 0 < p < 1. */
double special_normal_quantile(double p);
double special_digamma(double x);  /* x > 0 */
double special_trigamma(double x); /* x > 0 */
/* x > 0 with trigamma(x) = y, for y > 0: Newton's iteration on 1/trigamma, which is convex and nearly linear, from
 * 0.5 + 1/y (Smyth 2004, appendix); at the ends trigamma(x) ~ 1/x^2 (x small) and ~ 1/x (x large). */
double special_trigamma_inverse(double y);
double special_ln_choose(double n, double k); /* ln of the binomial coefficient, 0 <= k <= n */

#endif
