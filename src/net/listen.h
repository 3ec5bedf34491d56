/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Listening sockets. */
#ifndef PLIMSOLL_NET_LISTEN_H
#define PLIMSOLL_NET_LISTEN_H

#include "base/err.h"
#include "net/addr.h"

/* A non-blocking listener with SO_REUSEADDR (and SO_REUSEPORT when shared, so that every thread owns one). *bound says
 * where (the port when 0 was asked). -1 with a hint when the port is taken or needs privileges. */
MUST_CHECK int listen_open(int *fd, const struct addr *on, bool shared, int backlog, struct addr *bound,
                           struct err *err);
/* The next waiting connection, non-blocking, close-on-exec and with TCP_NODELAY, or -1 with errno (EAGAIN: none). peer
 * may be NULL. */
int listen_accept(int fd, struct addr *peer);

/* Raises RLIMIT_NOFILE to its hard limit; returns the limit now in force. */
uint64_t net_raise_open_files(void);
/* /proc/sys/net/ipv4/ip_local_port_range. */
MUST_CHECK int net_port_range(unsigned *low, unsigned *high, struct err *err);

#endif
