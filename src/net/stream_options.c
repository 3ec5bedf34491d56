/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "net/stream.h"

#include <netinet/tcp.h>

/* A figure of 0 stays as the system has it. */
static void set_figure(int fd, int option, int value)
{
    if (value > 0)
        (void)setsockopt(fd, IPPROTO_TCP, option, &value, sizeof(value));
}

void stream_keep_alive(const struct stream *s, int idle_s, int interval_s, int probes)
{
    const int on = 1;

    if (!s->is_tcp)
        return;
    (void)setsockopt(s->fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof(on));
    set_figure(s->fd, TCP_KEEPIDLE, idle_s);
    set_figure(s->fd, TCP_KEEPINTVL, interval_s);
    set_figure(s->fd, TCP_KEEPCNT, probes);
}
