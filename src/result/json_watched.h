/* SPDX-License-Identifier: GPL-3.0-or-later */
/* "watch" of a result document. Private to result/. */
#ifndef PLIMSOLL_RESULT_JSON_WATCHED_H
#define PLIMSOLL_RESULT_JSON_WATCHED_H

#include "result/json_in.h"
#include "result/json_out.h"
#include "result/result.h"

/* ended: requests, for CPU per request; 0: they are not known. */
void json_write_watched(struct json_out *o, const struct watched *parts, size_t count, double window_s, uint64_t ended);
/* Into a list that is empty and, also after a failure, the caller's. Members that only follow from others are not read.
 */
void json_read_watched(struct json_in *in, const json_t *object, struct watched **list, size_t *count);

#endif
