/* SPDX-License-Identifier: GPL-3.0-or-later */
/* HdrHistogram's percentile distribution as text, in milliseconds: Value, Percentile, TotalCount, 1/(1-Percentile), and
 * the footer with mean, deviation, maximum and counts. The plotters of the HdrHistogram family read it. */
#ifndef PLIMSOLL_REPORT_HDR_H
#define PLIMSOLL_REPORT_HDR_H

#include "base/buf.h"
#include "stats/hist.h"

/* Five lines for each halving of the distance to 100 %, as the family's tools print by default. */
void report_hdr(struct buf *out, const struct hist *h);

#endif
