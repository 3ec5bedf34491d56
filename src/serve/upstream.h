/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Outgoing HTTP calls of a worker, on its own loop: asynchronous, connections kept and reused, so that calls which call
 * this server again never starve each other. Names are looked up in a thread of their own. Redirects are not followed.
 *
 * A call belongs to its caller until done() was called or upstream_cancel() returned; done() comes never from within
 * upstream_get() or upstream_start(), and neither do the other callbacks.
 *
 * Content goes both ways without being gathered: a request's from a file, or as the caller gets it
 * (upstream_write()); a reply's, with on_content, as it comes. Each side can hold the other back. A call with content
 * has a connection of its own, since what was sent can not be sent again on another. */
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

enum {
    UPSTREAM_BODY_MAX = 1024 * 1024,
    UPSTREAM_ORIGIN_MAX = 300,
    UPSTREAM_PENDING_MAX = 4 * 1024 * 1024 /* written and not sent yet: see upstream_write() */
};

#define UPSTREAM_LENGTH_UNKNOWN UINT64_MAX

enum upstream_content {
    UPSTREAM_NOTHING,
    UPSTREAM_FILE,   /* length bytes of file, with Content-Length */
    UPSTREAM_STREAM, /* what upstream_write() brings, in chunks */
};

struct upstream_request {
    const char *method; /* NULL: GET */
    const struct url *base;
    struct slice rest;   /* behind the path of base: "/recursive/3?url=..." */
    struct slice fields; /* further lines of the head, each with its CR LF */
    bool insecure;       /* the certificate is not checked (our own listener) */
    enum upstream_content content;
    int file; /* the caller's, open until the call is over */
    uint64_t length;
    /* The whole call; or, with idle, each time without any progress of the other side (what waits for the caller is
     * not the other side's). */
    uint64_t timeout_ns;
    bool idle;
};

struct upstream_call {
    void (*done)(struct upstream_call *c);
    /* Content of the reply, instead of into body. Keep it: nothing else may be done here. */
    void (*on_content)(struct upstream_call *c, struct slice bytes);
    /* The head or content came, or everything written so far was sent. Anything may be done here. */
    void (*on_progress)(struct upstream_call *c);
    void *arg;
    bool paused; /* set it in on_content(): no more until upstream_read_more() */

    enum upstream_fail fail;
    char why[200];   /* of a failure */
    uint16_t status; /* 0 until the reply's head is complete */
    uint64_t content_length;
    struct buf body;

    struct worker *_worker;
    struct upstream_call *_prev, *_next;
    struct upstream_conn *_conn;
    struct upstream_lookup *_lookup;
    struct buf _request;
    uint64_t _due_ns, _timeout_ns, _file_at, _file_end;
    enum upstream_content _content;
    int _file;
    char _origin[UPSTREAM_ORIGIN_MAX]; /* "https://host:port" */
    bool _insecure, _head, _idle;
    bool _written; /* upstream_write_end() was called */
    bool _over;    /* done() is due */
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
/* The same with all there is to say; callbacks and arg are set before. */
MUST_CHECK int upstream_start(struct upstream_call *c, struct worker *w, const struct upstream_request *r);
/* Content of UPSTREAM_STREAM: kept, and sent from the loop. The caller pauses its own source while much is pending and
 * goes on when on_progress() says that it is gone. False: more than UPSTREAM_PENDING_MAX would wait, or no memory. */
MUST_CHECK bool upstream_write(struct upstream_call *c, struct slice bytes);
size_t upstream_pending(const struct upstream_call *c);
/* All was written; without this the other side sees a cut request. */
void upstream_write_end(struct upstream_call *c);
/* The reply may go on after paused. */
void upstream_read_more(struct upstream_call *c);
void upstream_cancel(struct upstream_call *c);
/* Its two buffers; after done(). */
void upstream_call_release(struct upstream_call *c);

#endif
