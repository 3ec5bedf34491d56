/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a search for the limit found, for people: the safe level with its interval first, why it goes no further, then
 * the curve. Pure; failures are the buf's. */
#ifndef PLIMSOLL_REPORT_LIMIT_H
#define PLIMSOLL_REPORT_LIMIT_H

#include "result/limit.h"

void report_limit(struct buf *out, const struct limit_report *r, unsigned width); /* width 0: 80 */
/* One trial as a line without its end, for progress: "1,600/s  kept  p50 1.02 ms  p99 3.40 ms". */
void report_limit_trial(struct buf *out, const struct limit_report *r, const struct limit_trial *t);

#endif
