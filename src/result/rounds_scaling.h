/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How each series of rounds scales: the law of stats/usl.h, fitted to the durations of its sizes, and the promises that
 * the sizes keep. */
#ifndef PLIMSOLL_RESULT_ROUNDS_SCALING_H
#define PLIMSOLL_RESULT_ROUNDS_SCALING_H

#include "result/rounds_sizes.h"
#include "result/slo.h"
#include "stats/usl.h"

/* Fills every series' scaling. A law that does not fit leaves its numbers unknown: what they would say is not so. The
 * note says why, and where failures are inside an average, what the peak would be without them. -1: out of memory. */
MUST_CHECK int rounds_scale(struct rounds_result *r, struct err *err);

/* The law of the sizes of one series; discounted: their averages without failures. */
MUST_CHECK int rounds_fit(struct usl *out, const struct rounds_size *sizes, size_t count, bool discounted,
                          struct err *err);
/* The mean duration of N at once by the law; NAN when it does not fit. */
double rounds_scaling_duration_s(const struct rounds_scaling *s, double n);

/* Only what is known of rounds can be promised of them: mean, min, max, stddev and percentiles of the durations of
 * copies that were ok, errors (the share that failed), and requests_per_s, which are copies ended per second. ERR_USAGE
 * for others, with the clause. */
MUST_CHECK int rounds_slo_check(const struct slo *slo, struct err *err);

/* Fills every series' promise: the largest size that keeps all clauses, as do all smaller ones; and by the law, when it
 * fits and the one clause bounds the mean, the largest N. A mean that counts failures is taken without them here. The
 * result's promises are those of the smallest size of each series: not even that one keeping it is a broken promise.
 * After rounds_scale(). -1: out of memory. */
MUST_CHECK int rounds_judge(struct result *result, const struct slo *slo, struct err *err);

#endif
