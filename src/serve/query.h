/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parameters of a query string ("a=1&b=two+words&c=%2F"). */
#ifndef PLIMSOLL_SERVE_QUERY_H
#define PLIMSOLL_SERVE_QUERY_H

#include "base/buf.h"
#include "serve/exchange.h"

enum query_found {
    QUERY_ABSENT,
    QUERY_FOUND,
    QUERY_BAD /* a broken escape, or more than out can hold */
};

/* The first value of that name, decoded ('+' is a space), appended to out. */
enum query_found query_value(struct slice query, struct slice name, struct buf *out);

/* For handlers: false when the failure was answered (400, with the parameter's name). *out keeps its value when the
 * parameter is absent. */
bool query_number(struct exchange *x, const char *name, uint64_t min, uint64_t max, uint64_t *out);
bool query_bool(struct exchange *x, const char *name, bool *out); /* true, false, 1, 0 */
bool query_text(struct exchange *x, const char *name, struct buf *out, bool *found);

#endif
