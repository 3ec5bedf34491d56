/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Outgoing HTTP calls of a worker, on its own loop: asynchronous, connections kept and reused, so that calls which call
 * this server again never starve each other. GET only. Names are looked up in a thread of their own.
 *
 * A call belongs to its caller until done() was called or upstream_cancel() returned; done() comes never from within
 * upstream_get(). */
#ifndef PLIMSOLL_SERVE_UPSTREAM_H
#define PLIMSOLL_SERVE_UPSTREAM_H

#include "base/buf.h"
#include "http/url.h"

struct upstream_conn;
struct upstream_lookup;
struct worker;

enum upstream_fail {
    UPSTREAM_OK,      /* a complete reply, whatever its status */
    UPSTREAM_REFUSED, /* no connection: 502 */
    UPSTREAM_BROKEN,  /* a connection, but no complete reply: 502 */
    UPSTREAM_TIMEOUT, /* 504 */
};

enum { UPSTREAM_BODY_MAX = 1024 * 1024, UPSTREAM_ORIGIN_MAX = 300 };

struct upstream_call {
    void (*done)(struct upstream_call *c);
    void *arg;

    enum upstream_fail fail;
    char why[200]; /* of a failure */
    uint16_t status;
    struct buf body;

    struct worker *_worker;
    struct upstream_call *_prev, *_next;
    struct upstream_conn *_conn;
    struct upstream_lookup *_lookup;
    struct buf _request;
    uint64_t _due_ns;
    char _origin[UPSTREAM_ORIGIN_MAX]; /* "https://host:port" */
    bool _insecure;
    bool _over; /* done() is due */
};

/* The worker's pool of them; made and ended with it. */
struct upstream;
MUST_CHECK int upstream_new(struct upstream **out, struct worker *w, struct err *err);
void upstream_free(struct upstream *u); /* after the loop ended */
/* The worker is stopping: kept connections close; those of calls in flight close after them. */
void upstream_stop(struct upstream *u);

/* Asks for base's path + rest ("/recursive/3?url=..."). insecure: the certificate is not checked (our own listener).
 * done and arg are set before. -1: nothing was begun (out of memory, a host that is too long). */
MUST_CHECK int upstream_get(struct upstream_call *c, struct worker *w, const struct url *base, struct slice rest,
                            bool insecure, uint64_t timeout_ns);
void upstream_cancel(struct upstream_call *c);
/* Its two buffers; after done(). */
void upstream_call_release(struct upstream_call *c);

#endif
