/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rounds of concurrent commands, for people and for other programs. Pure: a result of kind "rounds" in, text out;
 * failures are the buf's.
 *
 * TEXT. The verdict, a row per round (or, for one command at a time, mean, range and outliers as hyperfine's users know
 * them), failures with the last lines of their output, where the time goes by phase and which phase takes the growth,
 * what would be saved if a phase took none, how it scales, what promises are kept, series side by side. report_text()
 * comes here for results of this kind.
 *
 * CSV. A row per copy, RFC 4180 with line feeds, the same cells as report/csv.h; rounds known by their average alone
 * are rows without a copy. plimsoll rounds import reads it back.
 *
 * ROUNDUP. The form of shell scripts that loop over rounds: "Starting round of 4", a duration a line (a failure as GNU
 * time words it), "Average 33.905 seconds", and at the end "Rounds:" with an average a line.
 *
 * MARKDOWN. A table of rounds, and one of phases when there are any. */
#ifndef PLIMSOLL_REPORT_ROUNDS_H
#define PLIMSOLL_REPORT_ROUNDS_H

#include "base/buf.h"
#include "report/text.h"
#include "result/result.h"

void rounds_text(struct buf *out, const struct result *r, const struct report_text_options *options);
void rounds_csv(struct buf *out, const struct result *r);
void rounds_roundup(struct buf *out, const struct result *r);
void rounds_markdown(struct buf *out, const struct result *r);

#endif
