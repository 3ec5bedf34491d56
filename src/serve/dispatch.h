/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The way of an exchange from its route to its record: the same for every version of HTTP. */
#ifndef PLIMSOLL_SERVE_DISPATCH_H
#define PLIMSOLL_SERVE_DISPATCH_H

#include "serve/exchange.h"

/* Finds the route of x->head. False: who asks may not write, which was answered. */
bool dispatch_route(struct exchange *x);
/* The handler gets the content; else it starts when all of it was dropped. */
bool dispatch_reads_body(const struct exchange *x);
/* Calls the handler, or answers that there is none (404, 405, or what OPTIONS wants to know). False: nothing yet, it is
 * not this request's turn (turns.h); its protocol's resume() comes when it is to be called again. */
bool dispatch_start(struct exchange *x);
/* The handler has nothing to do with the exchange any more: on_end() is called, if it was not. */
void dispatch_detach(struct exchange *x);
/* Counts and logs it at its end. */
void dispatch_record(const struct exchange *x, int fd, uint64_t begin_ns, uint64_t content_bytes, bool complete);

#endif
