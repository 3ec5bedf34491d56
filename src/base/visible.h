/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Texts of others made visible: code points that nobody sees but that change what is seen around them are written out,
 * "[U+202E]", so that a name can not look like another one, or turn the rest of its line around.
 *
 * These are the bidirectional controls (UAX 9), line and paragraph separators, spaces without width, marks and tags
 * that are not drawn, and the controls from U+0080 to U+009F, which terminals obey. Not among them: ZWJ, ZWNJ and the
 * variation selectors, which scripts and emoji need. Bytes that are not UTF-8 stay as they are, and ASCII does. */
#ifndef PLIMSOLL_BASE_VISIBLE_H
#define PLIMSOLL_BASE_VISIBLE_H

#include "base/buf.h"

#define VISIBLE_TIMES 4 /* a text grows to so many times its bytes at most: "[U+0080]" for two */

/* Bytes of the hidden code point that s begins with; 0: it begins with none. */
size_t visible_hidden(struct slice s);
bool visible_all(struct slice s); /* it holds none */
void visible_add(struct buf *out, struct slice s);
/* What a program printed, fit for a terminal and for a document: lines and tabs as they are, escape sequences (ECMA-48)
 * left out, other controls and bytes that are not UTF-8 as "?", the hidden written out. */
void visible_output(struct buf *out, struct slice s);

#endif
