/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The sending half of HTTP/1: heads, and content from its sources into `out` or past it into the socket. */
#ifndef PLIMSOLL_SERVE_HTTP1_SEND_H
#define PLIMSOLL_SERVE_HTTP1_SEND_H

#include <stdbool.h>

struct answer;
struct conn;

/* Writes the head, and content that is small enough, into `out`; the rest becomes the source. */
void http1_send_head(struct conn *c, const struct answer *a);
/* Goes on with the source. True: all of it is in `out` or sent. False: http1.waits says for what, or the connection is
 * closed. */
bool http1_send_body(struct conn *c);

#endif
