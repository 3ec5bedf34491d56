/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Texts of others (URLs, error details, heads of replies) made fit for a terminal: one line, no control characters
 * (they become '?', line feeds and tabs a space, so that a server can not write to the user's screen), what would not
 * be seen written out (base/visible.h), and cut with "..." to a number of columns. Cuts keep UTF-8 sequences whole; a
 * column is counted per byte. Private to report/. */
#ifndef PLIMSOLL_REPORT_FIT_H
#define PLIMSOLL_REPORT_FIT_H

#include "base/buf.h"

enum fit { FIT_HEAD, FIT_BOTH_ENDS }; /* what a cut keeps */

/* width below 8 counts as 8; spaces around the text are left out. */
void fit_line(struct buf *out, struct slice untrimmed, size_t width, enum fit keep);
/* Whether these are two texts that look like one when they are cut. */
bool fit_hides_difference(struct slice a, struct slice b, size_t width, enum fit keep);
/* Folded at spaces: first goes before the first line, as many spaces before the others; each ends with a line break. */
void fit_paragraph(struct buf *out, const char *first, struct slice text, size_t width);

#endif
