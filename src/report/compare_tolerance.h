/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table that touchstone's users know: a row per cell and ruled metric with Pass or Fail, the deviation of the means
 * and both means, one table per value of test_type when that is the first dimension, and the largest deviation last.
 * The verdict stands beside Pass and Fail. Nothing without rules. Private to report/. */
#ifndef PLIMSOLL_REPORT_COMPARE_TOLERANCE_H
#define PLIMSOLL_REPORT_COMPARE_TOLERANCE_H

#include "base/buf.h"
#include "result/comparison.h"

void compare_tolerance_table(struct buf *out, const struct comparison *c);

#endif
