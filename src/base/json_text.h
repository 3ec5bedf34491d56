/* SPDX-License-Identifier: GPL-3.0-or-later */
/* JSON strings of whatever bytes there are (RFC 8259 7). Valid UTF-8 passes; bytes that are none become U+FFFD, so that
 * the document is always JSON, whoever sent them. */
#ifndef PLIMSOLL_BASE_JSON_TEXT_H
#define PLIMSOLL_BASE_JSON_TEXT_H

#include "base/buf.h"

/* With its quotes. */
void json_add_string(struct buf *out, struct slice text);

#endif
