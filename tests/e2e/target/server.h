/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The target's loop: listeners, connections, the control socket, SIGTERM. One thread, epoll. */
#ifndef TARGET_SERVER_H
#define TARGET_SERVER_H

#include "alarms.h"
#include "counts.h"
#include "script.h"

/* What an epoll event points to; the first member of its owner. */
struct source {
    int fd;
    void (*on_ready)(struct source *s, uint32_t events);
};

struct conn;

struct server {
    struct script script;
    struct counts counts;
    struct alarms alarms;
    int epoll;
    int record; /* everything received, in order of arrival; -1: not wanted */
    bool stopping;
    struct source stop;         /* a signalfd */
    struct listener *listeners; /* the control listener among them */
    struct conn *closed;        /* freed once the turn's events are through */
    char scratch[65536];
    int sparse; /* the file that \{file N} sends, again and again */
};

/* ADDR[:PORT] or unix:PATH; port 0 takes a free one, or, when same_port is set, the port of the listener before. A dead
 * listener never accepts and its queue is full: a client's SYN is not answered. Returns the port. */
struct listen_options {
    const char *address;
    unsigned same_port;
    bool dead, control;
};

void server_init(struct server *s);
unsigned server_listen(struct server *s, const struct listen_options *options);
void server_run(struct server *s); /* until SIGTERM or SIGINT */
void server_release(struct server *s);

void server_watch(struct server *s, struct source *source, uint32_t events, bool first);

#endif
