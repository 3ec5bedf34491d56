/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What upstream.c (calls and the pool) and upstream_conn.c (one connection) share. */
#ifndef PLIMSOLL_SERVE_UPSTREAM_INTERNAL_H
#define PLIMSOLL_SERVE_UPSTREAM_INTERNAL_H

#include "http/reply.h"
#include "net/addr.h"
#include "net/loop.h"
#include "net/stream.h"
#include "net/tls.h"
#include "serve/upstream.h"

enum upstream_step {
    STEP_CONNECT, /* to TLS or SEND */
    STEP_TLS,     /* to SEND */
    STEP_SEND,    /* to RECEIVE */
    STEP_RECEIVE, /* to KEPT, or closed */
    STEP_KEPT,    /* waits for the next call; to SEND */
};

struct upstream_conn {
    struct stream stream;
    struct watch watch;
    struct upstream *pool;
    struct upstream_conn *next; /* among the kept */
    struct upstream_call *call; /* NULL while kept */
    struct reply reply;
    enum upstream_step step;
    size_t sent;
    bool reused;
    struct addr_list addresses; /* to try in turn */
    size_t address;
    char origin[UPSTREAM_ORIGIN_MAX];
};

struct upstream {
    struct worker *worker;
    struct upstream_conn *kept;
    unsigned kept_count;
    struct upstream_call *calls; /* in flight */
    struct timer tick;
    struct tls_context *verified, *unverified; /* made at first use */
    bool stopping;
    bool beginning; /* within upstream_get(): nobody is called back yet */
};

/* Ends a call: done() now, or from the loop when it is just beginning. */
void upstream_finish(struct upstream_call *call, enum upstream_fail fail, const char *why);
/* Progress: the patience with the other side begins anew, or ends while the call waits for its caller. */
void upstream_touch(struct upstream_call *call);
/* Goes on with whatever the connection is doing. */
void upstream_conn_step(struct upstream_conn *c);
/* Tries the next address. False: there is none left; the call has ended. */
bool upstream_conn_connect(struct upstream_conn *c);
/* Connected: sends the request. */
void upstream_conn_send(struct upstream_conn *c);
/* There is something to send, or room for more of the reply: the loop goes on with it. */
void upstream_conn_wake(struct upstream_conn *c);
void upstream_conn_free(struct upstream_conn *c);

#endif
