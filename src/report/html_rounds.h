/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The charts of rounds: durations of every copy, copies over time with their phases, when copies ended, how it scales.
 * Private to report/. */
#ifndef PLIMSOLL_REPORT_HTML_ROUNDS_H
#define PLIMSOLL_REPORT_HTML_ROUNDS_H

#include "report/html_parts.h"
#include "result/rounds_sizes.h"

/* Of one round: what a page shows of copies. */
#define ROUNDS_COPIES_MAX 200u

void html_rounds_charts(struct page *p, size_t run, const struct rounds_sizes *sizes);

#endif
