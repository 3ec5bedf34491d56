/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The three fields that frame a reply: what Content-Length, Transfer-Encoding and Connection say, byte by byte, and
 * their usual values at once. Part of reply_head.c, which finds the lines; for no one else. */
#ifndef PLIMSOLL_HTTP_REPLY_FIELDS_H
#define PLIMSOLL_HTTP_REPLY_FIELDS_H

#include "http/reply_head.h"

#include <stdbool.h>

enum reply_field { REPLY_FIELD_OTHER, REPLY_FIELD_CONNECTION, REPLY_FIELD_LENGTH, REPLY_FIELD_CODING };

/* Sets the reason; always false. */
static inline bool reply_head_refuse(struct reply_head *h, const char *reason)
{
    h->reason = reason;
    return false;
}

static inline char reply_head_lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c | 0x20) : c;
}

void reply_field_begin(struct reply_head *h, enum reply_field field);
/* A byte of a value of ours. False: refused. */
bool reply_field_byte(struct reply_head *h, char c);
/* The field is over: the next line is no fold of it. False: refused. */
bool reply_field_end(struct reply_head *h);
/* p is behind the colon: a usual value to the end of its line, or p and nothing changed. */
const char *reply_field_whole(struct reply_head *h, const char *p, const char *end);

#endif
