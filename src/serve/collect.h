/* SPDX-License-Identifier: GPL-3.0-or-later */
/* For handlers that need a small body whole. Of a route with ROUTE_READS_BODY. */
#ifndef PLIMSOLL_SERVE_COLLECT_H
#define PLIMSOLL_SERVE_COLLECT_H

#include "serve/exchange.h"

/* Calls done() with the whole body; more than max_bytes is answered with 413 instead. Uses x->state and x->on_end until
 * the end of the exchange. */
void collect_body(struct exchange *x, size_t max_bytes, void (*done)(struct exchange *x, struct slice body));

#endif
