/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What conn.c (the life of a connection) and conn_io.c (its buffers and its stream) share. */
#ifndef PLIMSOLL_SERVE_CONN_INTERNAL_H
#define PLIMSOLL_SERVE_CONN_INTERNAL_H

#include "serve/conn.h"

/* Back to zero; its own memory is freed. */
void conn_buffer_drop(struct conn_buffer *b);
/* Takes the worker's memory, with what it held. */
void conn_buffer_lend(struct conn_buffer *b, char *bytes, size_t size);
/* At the beginning and at the end of an event. False: out of memory. */
void conn_lend_in(struct conn *c);
bool conn_keep_in(struct conn *c);
bool conn_keep_out(struct conn *c);

#endif
