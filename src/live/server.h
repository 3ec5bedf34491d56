/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The board over HTTP, from a thread of its own: / (a page), /live.json, /metrics. For a few readers: one answer per
 * connection, at most LIVE_CONNECTIONS at once (one more takes the place of the oldest), a request of 8 KiB, and
 * LIVE_PATIENCE_NS for all of it. Nothing that a client does reaches who measures. */
#ifndef PLIMSOLL_LIVE_SERVER_H
#define PLIMSOLL_LIVE_SERVER_H

#include "live/board.h"
#include "net/addr.h"

#define LIVE_CONNECTIONS 32
#define LIVE_PATIENCE_NS UINT64_C(5000000000)

struct live_server;

/* Listens and answers until live_server_stop(). *bound: where (the port when 0 was asked). The board is the caller's
 * and outlives it. */
MUST_CHECK int live_server_start(struct live_server **out, const struct addr *on, struct live_board *board,
                                 struct addr *bound, struct err *err);
void live_server_stop(struct live_server *s); /* NULL is fine */

/* The whole reply to what was read so far: 0 when more must come, else the reply is in out. For tests and fuzzing. */
bool live_answer(struct buf *out, struct slice request, const struct live_figures *figures);

#endif
