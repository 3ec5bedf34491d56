/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Figures for a spreadsheet: one header line with units in the names, a row per target, and a last row "total".
 *
 * RFC 4180 with line feeds. Times in seconds, sizes in bytes. A cell that does not apply is empty, never zero. A
 * target's text that begins like a formula (= + - @) gets a leading apostrophe, so that a spreadsheet does not run it.
 * Results of kind "rounds" have rows of their own: report/rounds.h. */
#ifndef PLIMSOLL_REPORT_CSV_H
#define PLIMSOLL_REPORT_CSV_H

#include "base/buf.h"
#include "result/result.h"

void report_csv(struct buf *out, const struct result *r);

#endif
