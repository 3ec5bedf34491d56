/* SPDX-License-Identifier: GPL-3.0-or-later */
/* JSON as plimsoll writes it, read several times as fast as by Jansson's own reader, which takes each letter through a
 * call. A merge reads hundreds of megabytes of it.
 *
 * Plain is: ASCII, of escapes only those of one letter, integers of at most 18 digits, names that occur once, nothing
 * before or behind the one value but spaces. Whatever else there may be, right or wrong, is left to Jansson: there are
 * no errors here, and what is read is what Jansson would have read (tests/fuzz/json_plain.c), but for percentiles
 * ("p99" and the like), which no reader of documents wants: they are left out. Private to result/. */
#ifndef PLIMSOLL_RESULT_JSON_PLAIN_H
#define PLIMSOLL_RESULT_JSON_PLAIN_H

#include "base/slice.h"

#include <jansson.h>

/* The caller's reference; NULL: not plain, or no memory. */
json_t *json_plain_read(struct slice text);

#endif
