/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One accepted connection: reads requests, plays the chosen reply of each, step by step, in order. */
#ifndef TARGET_CONN_H
#define TARGET_CONN_H

#include "server.h"

/* Takes over fd; the connection frees itself once it has ended. */
void conn_new(struct server *server, int fd, size_t listener);
/* The alarm of a connection has come. */
void conn_on_alarm(struct alarm *a);
/* Those that ended in this turn. */
void conn_free_closed(struct server *server);

#endif
