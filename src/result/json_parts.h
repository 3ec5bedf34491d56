/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parts of documents. Who made it: host and command line of a run; of a merged one those of its parts as lists, and the
 * parts. What failed in an interval, by kind. Private to result/. */
#ifndef PLIMSOLL_RESULT_JSON_PARTS_H
#define PLIMSOLL_RESULT_JSON_PARTS_H

#include "result/json_in.h"
#include "result/json_out.h"
#include "result/result.h"

/* Member "errors" of an interval; NULL: none. */
void json_write_kinds(struct json_out *o, const uint64_t *by_kind);
void json_write_host(struct json_out *o, const char *key, const struct host_info *h);
void json_read_host(struct json_in *in, const json_t *host, struct host_info *h);
/* Member "start": null when no moment was agreed on. */
void json_write_start(struct json_out *o, const struct result_start *s);
void json_read_start(struct json_in *in, const json_t *object, struct result_start *s);
/* Members "command", "host" and "parts" of a merged result. */
void json_write_parts(struct json_out *o, const struct result *r);
/* "command" and "host", and what a merged document has. */
void json_read_parts(struct json_in *in, const json_t *document, struct result *r);
/* Host and command of a merged result: what all its parts agree on. */
MUST_CHECK bool parts_agree(struct result *r);

#endif
