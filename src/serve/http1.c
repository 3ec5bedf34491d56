/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "serve/http1.h"

#include <string.h>

#include "http/h2_server.h"
#include "serve/conn.h"
#include "serve/dispatch.h"
#include "serve/http1_send.h"
#include "serve/worker.h"

enum {
    RUN_MAX = 64,           /* steps of one event: a client that pipelines for ever must not starve the others */
    BEGIN_ROOM = 20 * 1024, /* free in `out` before a request is begun: a head and a small body */
    FIELDS_MAX = 128,
    PUMP_MAX = 16, /* reads of a body in one event */
};

static struct conn *conn_of(struct exchange *x)
{
    return (struct conn *)(void *)((char *)x - offsetof(struct http1, x) - offsetof(struct conn, http1));
}

/* ---- What a handler asks for ---- */

static void http1_answer(struct exchange *x, const struct answer *a)
{
    struct conn *c = conn_of(x);
    bool entered = conn_enter(c);

    if (!c->http1.body_done) {
        c->http1.close = c->http1.gently = true; /* what is left of the body will not be read */
    }
    if (c->worker->phase != WORKER_SERVING) {
        c->http1.close = true;
    }
    count_add(&c->worker->counts.replies, 1);
    http1_send_head(c, a);
    if (entered) {
        http1_run(c);
        conn_leave(c);
    }
}

static void run_again(struct conn *c)
{
    if (conn_enter(c)) {
        http1_run(c);
        conn_leave(c);
    }
}

static void http1_resume(struct exchange *x)
{
    conn_of(x)->http1.source.starved = false;
    run_again(conn_of(x));
}

static void http1_abort(struct exchange *x)
{
    conn_of(x)->http1.aborted = true;
    run_again(conn_of(x));
}

static void http1_read_more(struct exchange *x)
{
    run_again(conn_of(x));
}

static const struct exchange_protocol HTTP1 = {
    .answer = http1_answer,
    .resume = http1_resume,
    .abort = http1_abort,
    .read_more = http1_read_more,
};

/* ---- An exchange's beginning and end ---- */

void http1_init(struct conn *c)
{
    c->http1.waits = HTTP1_WAITS_REQUEST;
}

bool http1_is_idle(const struct conn *c)
{
    return !c->http1.in_exchange && c->http1.waits == HTTP1_WAITS_REQUEST;
}

void http1_moved(struct conn *c, const char *from, const char *to)
{
    struct http1 *h = &c->http1;

    request_head_moved(&h->head, from, to);
    if (h->x.arg.len > 0) {
        h->x.arg.ptr = to + (h->x.arg.ptr - from);
    }
}

void http1_end(struct conn *c)
{
    if (c->http1.in_exchange) {
        c->http1.in_exchange = false;
        dispatch_record(&c->http1.x, c->stream.fd, c->http1.begin_ns, c->http1.content_bytes, c->http1.replied);
        dispatch_detach(&c->http1.x);
    }
}

static void begin_exchange(struct conn *c)
{
    struct http1 *h = &c->http1;

    memset(&h->x, 0, offsetof(struct exchange, _timer));
    h->x.head = &h->head;
    h->x.worker = c->worker;
    h->x.secure = stream_is_tls(&c->stream);
    h->x._protocol = &HTTP1;
    h->source = (struct http1_source){ 0 };
    h->in_exchange = true;
    h->begin_ns = c->worker->now_ns;
    h->content_bytes = 0;
    h->started = h->told_end = h->replied = h->close = h->gently = h->aborted = false;
}

/* Refusals of a request whose bytes can not be trusted: answer, then close. */
static void refuse(struct conn *c, uint16_t status, const char *reason)
{
    c->http1.close = c->http1.gently = true;
    c->http1.body_done = true; /* nothing more is read as part of it */
    c->http1.started = c->http1.told_end = true;
    exchange_fail(&c->http1.x, status, "%s", reason);
}

static void refuse_head(struct conn *c, uint16_t status, const char *reason)
{
    begin_exchange(c);
    /* Only what makes the reply is kept of it: its bytes go now. */
    c->http1.head = (struct request_head){ .method = c->http1.head.method, .version = 11 };
    c->in.start = c->in.end;
    refuse(c, status, reason);
}

static void say_continue(struct conn *c)
{
    static const char CONTINUE[] = "HTTP/1.1 100 Continue\r\n\r\n";
    char *room = conn_room(c, sizeof(CONTINUE));

    if (room != NULL) {
        memcpy(room, CONTINUE, sizeof(CONTINUE) - 1);
        c->out.end += sizeof(CONTINUE) - 1;
    }
}

static void take_request(struct conn *c)
{
    struct http1 *h = &c->http1;

    begin_exchange(c);
    c->held_at = c->in.start;
    c->held_len = h->head.bytes;
    c->in.start += h->head.bytes;
    count_add(&c->worker->counts.requests, 1);
    h->close = !h->head.keep_alive;
    request_body_begin(&h->body, h->head.chunked, h->head.content_length, c->worker->config->body_max_bytes);
    h->body_done = request_body_is_done(&h->body);
    h->x.has_body = !h->body_done;
    if (!dispatch_route(&h->x)) {
        h->started = true;
        return;
    }
    if (h->body_done) {
        return;
    }
    if (h->head.content_length > c->worker->config->body_max_bytes) {
        refuse(c, 413, "The body is too large.");
    } else if (h->head.expect_continue && c->in.start == c->in.end) {
        if (h->x.route != NULL) {
            say_continue(c);
        } else { /* the client asked before sending: it need not */
            h->started = true;
            dispatch_start(&h->x);
        }
    }
}

/* ---- Steps: true when there may be more to do at once ---- */

static bool wait_for(struct conn *c, enum http1_wait what)
{
    c->http1.waits = what;
    return false;
}

/* Everything is in `out`: sends it and closes. */
static bool run_closing(struct conn *c)
{
    switch (conn_flush(c)) {
    case CONN_MOVED:
        conn_finish(c, c->http1.gently || c->in.start < c->in.end);
        return false;
    case CONN_WAIT:
        return wait_for(c, HTTP1_WAITS_SEND);
    case CONN_ENDED:
    case CONN_BROKEN:
        break;
    }
    return false;
}

enum preface { PREFACE_NONE, PREFACE_PART, PREFACE_WHOLE };

/* HTTP/2 with prior knowledge: its preface as the first thing of a plain connection. */
static enum preface see_preface(const struct conn *c)
{
    struct slice in = slice_from(c->in.bytes + c->in.start, c->in.end - c->in.start);

    if (c->http1.served_one || in.len == 0 || !slice_starts(SLICE(H2_PREFACE), slice_take(in, H2_PREFACE_BYTES))) {
        return PREFACE_NONE;
    }
    return in.len >= H2_PREFACE_BYTES ? PREFACE_WHOLE : PREFACE_PART;
}

static bool become_http2(struct conn *c)
{
    if (http2_start(c)) {
        http2_run(c);
    } else {
        conn_close(c);
    }
    return false;
}

static bool read_head(struct conn *c, bool begun)
{
    switch (conn_read(c)) {
    case CONN_MOVED:
        return true;
    case CONN_WAIT:
        return wait_for(c, begun ? HTTP1_WAITS_HEAD : HTTP1_WAITS_REQUEST);
    case CONN_ENDED:
        c->http1.closing = true;
        return true;
    case CONN_BROKEN:
        break;
    }
    return false;
}

static bool run_head(struct conn *c)
{
    struct http1 *h = &c->http1;
    const struct request_limits limits = { .head_max_bytes = c->worker->config->head_max_bytes,
                                           .fields_max = FIELDS_MAX };
    enum preface preface = see_preface(c);

    if (conn_free_room(c) < BEGIN_ROOM && conn_flush(c) != CONN_MOVED) {
        return wait_for(c, HTTP1_WAITS_SEND);
    }
    if (preface == PREFACE_WHOLE) {
        return become_http2(c);
    }
    if (c->in.start < c->in.end && preface == PREFACE_NONE) {
        switch (
            request_reader_scan(&h->reader, &limits, c->in.bytes + c->in.start, c->in.end - c->in.start, &h->head)) {
        case REQUEST_READY:
            take_request(c);
            return true;
        case REQUEST_REFUSED:
            refuse_head(c, h->head.refused, h->head.reason);
            return true;
        case REQUEST_MORE:
            break;
        }
    }
    return read_head(c, preface == PREFACE_PART || request_reader_started(&h->reader));
}

/* Hands one piece of the body on. False: stop. */
static bool feed(struct conn *c, struct slice *bytes)
{
    struct http1 *h = &c->http1;
    struct slice content;
    size_t consumed;
    enum request_body_state state = request_body_feed(&h->body, *bytes, &consumed, &content);

    *bytes = slice_drop(*bytes, consumed);
    switch (state) {
    case REQUEST_BODY_CONTENT:
        c->body_bytes += content.len;
        if (h->x.on_body != NULL && !exchange_is_answered(&h->x)) {
            h->x.on_body(&h->x, content);
        }
        h->body_done = request_body_is_done(&h->body); /* now: a handler that pauses here would never learn of it */
        return c->state == CONN_OPEN && !h->x.body_paused && !h->body_done;
    case REQUEST_BODY_DONE:
        h->body_done = true;
        return false;
    case REQUEST_BODY_MORE:
        return false;
    case REQUEST_BODY_BAD:
    case REQUEST_BODY_TOO_LARGE:
        break;
    }
    dispatch_detach(&h->x);
    if (exchange_is_answered(&h->x)) {
        h->aborted = true;
    } else if (state == REQUEST_BODY_BAD) {
        refuse(c, 400, "The chunks of the body are malformed.");
    } else {
        refuse(c, 413, "The body is too large.");
    }
    return false;
}

static enum conn_io read_body(struct conn *c, struct slice *bytes, bool *aside)
{
    *aside = false;
    if (c->in.start == c->in.end) {
        if (!c->in.lent) {
            *aside = true;
            return conn_read_aside(c, bytes);
        }
        enum conn_io io = conn_read(c);
        if (io != CONN_MOVED) {
            return io;
        }
    }
    *bytes = slice_from(c->in.bytes + c->in.start, c->in.end - c->in.start);
    return CONN_MOVED;
}

static bool run_body(struct conn *c)
{
    struct slice bytes;
    bool aside;

    switch (read_body(c, &bytes, &aside)) {
    case CONN_MOVED:
        break;
    case CONN_WAIT:
        return wait_for(c, HTTP1_WAITS_BODY);
    case CONN_ENDED: /* cut short: nobody waits for an answer */
        conn_close(c);
        return false;
    case CONN_BROKEN:
        return false;
    }
    while (feed(c, &bytes)) {
    }
    if (c->state != CONN_OPEN) {
        return false;
    }
    if (!aside) {
        c->in.start = c->in.end - bytes.len;
    } else if (bytes.len > 0 && !conn_keep(c, bytes)) {
        conn_reset(c);
        return false;
    }
    return true;
}

/* While a handler works there is nothing to do but to see whether the client leaves. */
static bool run_handler(struct conn *c)
{
    struct slice bytes = { 0 };
    enum conn_io io;

    c->http1.waits = HTTP1_WAITS_HANDLER;
    if (c->in.start < c->in.end) {
        return false;
    }
    io = c->in.lent ? conn_read(c) : conn_read_aside(c, &bytes);
    if (io == CONN_MOVED && bytes.len > 0 && !conn_keep(c, bytes)) {
        conn_reset(c);
    } else if (io == CONN_ENDED && c->http1.x.end_with_client) {
        conn_close(c);
    }
    return false;
}

static bool finish_exchange(struct conn *c)
{
    struct http1 *h = &c->http1;

    http1_end(c);
    h->served_one = true;
    h->closing = h->close || c->worker->phase != WORKER_SERVING;
    request_reader_begin(&h->reader);
    conn_release_held(c);
    deadline_end(&c->deadline); /* the next request has time-outs of its own */
    return true;
}

static bool run_exchange(struct conn *c)
{
    struct http1 *h = &c->http1;

    if (!h->started && (h->body_done || dispatch_reads_body(&h->x))) {
        h->started = dispatch_start(&h->x);
        if (!h->started) {
            return run_handler(c); /* others come first */
        }
    }
    if (c->state == CONN_OPEN && h->body_done && !h->told_end) {
        h->told_end = true;
        if (h->x.on_body_end != NULL && !exchange_is_answered(&h->x)) {
            h->x.on_body_end(&h->x);
        }
    }
    if (h->aborted && c->state == CONN_OPEN) {
        conn_reset(c);
    }
    if (c->state != CONN_OPEN) {
        return false;
    }
    if (exchange_is_answered(&h->x)) {
        h->replied = http1_send_body(c);
        if (h->replied) {
            return finish_exchange(c);
        }
        return c->state == CONN_OPEN && h->waits == HTTP1_WAITS_HANDLER ? run_handler(c) : false;
    }
    return h->body_done || h->x.body_paused ? run_handler(c) : run_body(c);
}

void http1_run(struct conn *c)
{
    struct http1 *h = &c->http1;
    bool more = true;

    h->sent_directly = 0;
    for (int i = 0; more && c->state == CONN_OPEN; i++) {
        if (i == RUN_MAX) {
            wait_for(c,
                     HTTP1_WAITS_SEND); /* the socket is writable, so the loop comes back at once, after the others */
            break;
        }
        more = h->closing ? run_closing(c) : h->in_exchange ? run_exchange(c) : run_head(c);
    }
    if (c->state == CONN_OPEN && c->http2 == NULL && conn_flush(c) == CONN_WAIT) {
        wait_for(c, HTTP1_WAITS_SEND);
    }
}

bool http1_timed_out(struct conn *c)
{
    struct http1 *h = &c->http1;

    if (h->in_exchange && !exchange_is_answered(&h->x)) {
        dispatch_detach(&h->x);
        refuse(c, 408, "The body of the request did not arrive in time.");
    } else if (!h->in_exchange && request_reader_started(&h->reader)) {
        refuse_head(c, 408, "The head of the request did not arrive in time.");
    } else {
        return false;
    }
    http1_run(c);
    return true;
}
