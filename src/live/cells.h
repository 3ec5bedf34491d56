/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Text as a terminal shows it: in cells. A character takes none (it combines with the one before), one or two.
 *
 * Whatever comes from outside is made harmless first: control characters (C0, DEL, C1, and those that turn the
 * direction of writing) become "?", so does every byte that is not UTF-8, and without UTF-8 every character beyond
 * ASCII. Own tables and no locale: what is shown does not depend on who runs it. */
#ifndef PLIMSOLL_LIVE_CELLS_H
#define PLIMSOLL_LIVE_CELLS_H

#include "base/buf.h"

/* Cells of one character: 0, 1 or 2. */
unsigned cells_of(uint32_t character);
/* Appends text in at most `width` cells, never half a character: what does not fit ends in "..." ("." to "...", as
 * there is room). Returns the cells used. */
size_t cells_add(struct buf *out, struct slice text, size_t width, bool utf8);
/* Keeping both ends: a URL's host and its last part. */
size_t cells_add_middle(struct buf *out, struct slice text, size_t width, bool utf8);
/* How many all of it would take. */
size_t cells_width(struct slice text, bool utf8);

#endif
