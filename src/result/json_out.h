/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes JSON text into a buf, indented by two, in the order of the calls.
 *
 * Always true: what comes out parses, whatever bytes the strings hold (bytes that are not UTF-8 become U+FFFD) and
 * whatever the doubles are (NaN and infinities become null). Doubles carry the fewest digits that read back to the same
 * value, and no exponent down to 1 ns. Failures are the buf's: check buf_ok() once at the end. Private to result/. */
#ifndef PLIMSOLL_RESULT_JSON_OUT_H
#define PLIMSOLL_RESULT_JSON_OUT_H

#include "base/buf.h"
#include "base/json_number.h"

#include <jansson.h>

struct json_out {
    struct buf *buf;
    unsigned depth;
    bool has_member; /* the innermost object or array holds something already */
};

/* key is NULL for elements of arrays and for the document itself. */
void json_out_open(struct json_out *o, const char *key, char bracket); /* '{' or '[' */
void json_out_close(struct json_out *o, char bracket);                 /* '}' or ']' */
void json_out_u64(struct json_out *o, const char *key, uint64_t value);
void json_out_double(struct json_out *o, const char *key, double value);
void json_out_bool(struct json_out *o, const char *key, bool value);
void json_out_null(struct json_out *o, const char *key);
void json_out_string(struct json_out *o, const char *key, const char *text); /* NULL: null */
void json_out_raw(struct json_out *o, const char *key, const char *json);
/* Numbers on one line. */
void json_out_doubles(struct json_out *o, const char *key, const double *values, size_t count);
/* Only the key, for a value that the caller appends to the buf itself. */
void json_out_key(struct json_out *o, const char *key);

/* A quoted and escaped string. */
void json_add_quoted(struct buf *out, struct slice text);
/* Any value on one line, written the way the calls above write. -1 when it is nested deeper than depth_max. */
int json_add_value(struct buf *out, json_t *value, unsigned depth_max);

#endif
