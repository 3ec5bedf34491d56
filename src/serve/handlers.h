/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The start functions of the routes, one file handle_*.c for each family. */
#ifndef PLIMSOLL_SERVE_HANDLERS_H
#define PLIMSOLL_SERVE_HANDLERS_H

#include "serve/exchange.h"

void handle_home(struct exchange *x);
void handle_health(struct exchange *x);

void handle_bytes(struct exchange *x);
void handle_status(struct exchange *x);
void handle_delay(struct exchange *x);
void handle_chunked(struct exchange *x);

#endif
