/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A comparison for people: what sums it up first, then what differs that nobody asked about, a row per cell with all
 * samples as dots (o base, x new, 8 both, on one scale per row), what was seen to fail, and how it was judged. Texts of
 * others lose their control characters. Failures are the buf's. */
#ifndef PLIMSOLL_REPORT_COMPARE_TEXT_H
#define PLIMSOLL_REPORT_COMPARE_TEXT_H

#include "base/buf.h"
#include "result/comparison.h"

void compare_text(struct buf *out, const struct comparison *c);

#endif
