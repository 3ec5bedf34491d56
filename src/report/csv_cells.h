/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Cells of a CSV file as all our files have them: RFC 4180; a text that begins like a formula gets an apostrophe, so
 * that a spreadsheet does not run it ("-" alone is none); what is not known is empty. Private to report/. */
#ifndef PLIMSOLL_REPORT_CSV_CELLS_H
#define PLIMSOLL_REPORT_CSV_CELLS_H

#include "base/buf.h"

void csv_add_text(struct buf *out, const char *text); /* without a comma before it; NULL is empty */
/* A comma, and the number with enough decimals for 1 ns, without those that say nothing. */
void csv_add_decimal(struct buf *out, bool known, double value);

#endif
