/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Percent-encoding, and what a request's own URLs begin with. */
#ifndef PLIMSOLL_SERVE_ENCODE_H
#define PLIMSOLL_SERVE_ENCODE_H

#include "base/buf.h"

struct exchange;

/* All but the unreserved characters of RFC 3986 2.3. */
void encode_component(struct buf *out, struct slice text);
/* Scheme and authority of the request ("http://host:80"), or what a trusted proxy says of them. */
void base_of_request(const struct exchange *x, struct buf *out);

#endif
