/* SPDX-License-Identifier: GPL-3.0-or-later */
/* HTTP/2 on one connection: by ALPN over TLS, or with prior knowledge in plain. Every stream is an exchange of its own;
 * handlers see no difference to HTTP/1. */
#ifndef PLIMSOLL_SERVE_HTTP2_H
#define PLIMSOLL_SERVE_HTTP2_H

#include <stdbool.h>

struct conn;
struct deadline;
struct http2;

/* Takes the connection over. False: out of memory. */
bool http2_start(struct conn *c);
/* Goes on as far as possible. */
void http2_run(struct conn *c);
/* The connection is going: ends every exchange. */
void http2_end(struct conn *c);
/* A request's body did not come in time (DEADLINE_STREAM): its stream ends, with 408 if it was not answered. The others
 * of its connection go on. */
void http2_body_expired(struct deadline *d);
/* The server is stopping: no new streams; the connection closes after the last. */
void http2_stop(struct conn *c);

#endif
