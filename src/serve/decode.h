/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Percent-decoding of paths and queries. */
#ifndef PLIMSOLL_SERVE_DECODE_H
#define PLIMSOLL_SERVE_DECODE_H

#include "base/buf.h"

/* Both append to out and are false on a broken escape, or when out is full. A NUL comes out as a byte like any other:
 * who uses the result as a name must refuse it. */
bool decode_path(struct buf *out, struct slice text);
bool decode_query(struct buf *out, struct slice text); /* '+' is a space */

#endif
