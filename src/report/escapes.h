/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Texts of others inside markup. Private to report/. */
#ifndef PLIMSOLL_REPORT_ESCAPES_H
#define PLIMSOLL_REPORT_ESCAPES_H

#include "base/buf.h"

/* What stands for a character that would be markup; NULL: itself. */
const char *escape_entity(char c);
/* XML 1.0 knows no other control characters than line ends and tabs, and readers stop at bytes that are not UTF-8: all
 * these become "?". In both, what would not be seen is written out (base/visible.h). */
void escape_xml(struct buf *out, const char *text);
/* A cell of a table: nothing in it may end the cell, the row, or be taken for markup. NULL
 * is an empty one. */
void escape_markdown(struct buf *out, const char *text);

#endif
