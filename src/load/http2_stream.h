/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What an HTTP/2 session tells of its streams, taken to the exchanges they belong to. Private to http2.c. */
#ifndef PLIMSOLL_LOAD_HTTP2_STREAM_H
#define PLIMSOLL_LOAD_HTTP2_STREAM_H

#include "load/loader.h"

extern const struct h2_client_events HTTP2_STREAM_EVENTS;

/* The slot is free and goes on; its connection is looked after when the events are over. */
void http2_stream_over(struct exchange *x);
/* Once more on another connection, where the peer did not begin; false when that was tried, or may not be. */
bool http2_try_again(struct exchange *x);

#endif
