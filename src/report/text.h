/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The report for people: what a user reads first stands first (verdict, requests/s, latency), what explains it follows.
 *
 * Pure: a result in, text out; failures are the buf's (buf_ok()). Every figure has a unit and is in the JSON document
 * too; parts without figures are left out. No line ends in spaces; lines fit the width, but for long words of others
 * (URLs are shortened). Control characters in texts from outside come out as '?', so that a server can not write to the
 * user's terminal. */
#ifndef PLIMSOLL_REPORT_TEXT_H
#define PLIMSOLL_REPORT_TEXT_H

#include "base/buf.h"
#include "result/result.h"

struct report_text_options {
    bool colours;   /* ANSI colours for the verdict and the warnings */
    unsigned width; /* columns; 0: 80 */
    bool verbose;   /* of rounds: every duration, every failure */
};

/* Results of kind "rounds" have a report of their own: report/rounds.h. options may be NULL. */
void report_text(struct buf *out, const struct result *r, const struct report_text_options *options);

#endif
