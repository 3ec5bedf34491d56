/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Answers with a file: ETag, Last-Modified, If-None-Match, If-Modified-Since, Range and If-Range (RFC 9110 13, 14). */
#ifndef PLIMSOLL_SERVE_SEND_FILE_H
#define PLIMSOLL_SERVE_SEND_FILE_H

#include "serve/exchange.h"

/* Takes fd, a regular file open for reading, in any case; uses x->state and x->on_end. */
void send_file_answer(struct exchange *x, int fd, struct slice type);
/* By the name's ending; octet-stream when unknown. */
struct slice send_file_type(struct slice name);

/* What of size bytes a Range field asks for. */
enum range_wanted { RANGE_ALL, RANGE_PART, RANGE_NONE /* 416 */ };
enum range_wanted send_file_range(struct slice value, uint64_t size, uint64_t *first, uint64_t *len);
/* Is the entity tag in the list of If-None-Match (weak comparison)? */
bool send_file_tag_matches(struct slice list, struct slice tag);

#endif
