/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "serve/upstream_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "serve/worker.h"

enum {
    READ_BYTES = 16 * 1024,
    READS_PER_EVENT = 16,
    KEPT_MAX = 1024,
    FILE_PIECE = 256 * 1024,
    PIECES_PER_EVENT = 8,
};

void upstream_conn_free(struct upstream_conn *c)
{
    struct worker *w = c->pool->worker;

    if (c->stream.fd >= 0) {
        watch_stop(&c->watch);
        stream_close(&c->stream);
    }
    free(c);
    worker_conn_forgotten(w);
}

/* Ends the connection and its call with it. */
static void conn_fail(struct upstream_conn *c, enum upstream_fail fail, const char *why)
{
    struct upstream_call *call = c->call;
    char kept[sizeof(call->why)];

    snprintf(kept, sizeof(kept), "%s", why); /* it may be the stream's */
    if (call != NULL) {
        call->_conn = NULL;
    }
    upstream_conn_free(c);
    if (call != NULL) {
        upstream_finish(call, fail, kept);
    }
}

static void on_body(void *arg, struct slice bytes)
{
    struct upstream_conn *c = arg;

    if (c->call->on_content != NULL) {
        c->call->on_content(c->call, bytes);
    } else {
        buf_add_slice(&c->call->body, bytes);
    }
}

static const struct reply_settings SETTINGS = { .head_max_bytes = 64 * 1024, .on_body = on_body };

static void conn_ready(struct watch *watch, unsigned events)
{
    (void)events;
    upstream_conn_step(watch->arg);
}

static const char *stream_fault(const struct stream *s)
{
    return s->sys_error != 0 ? strerrordesc_np(s->sys_error) : s->tls_error;
}

/* Tries the next address. False: there is none left; the call has ended. */
bool upstream_conn_connect(struct upstream_conn *c)
{
    static char none[] = "no address";
    const char *why = none;

    while (c->address < c->addresses.count) {
        enum io io = stream_connect(&c->stream, &c->addresses.items[c->address++], NULL);
        if (io != IO_FAILED) {
            c->watch.arg = c;
            c->watch.on_ready = conn_ready;
            c->watch.on_closed = NULL;
            if (watch_start(&c->watch, c->pool->worker->loop, c->stream.fd, WATCH_WRITE, NULL) == 0) {
                c->step = STEP_CONNECT;
                return true;
            }
        }
        why = stream_fault(&c->stream);
        stream_close(&c->stream);
    }
    conn_fail(c, UPSTREAM_REFUSED, why);
    return false;
}

static struct tls_context *context_for(struct upstream *u, bool insecure)
{
    struct tls_context **context = insecure ? &u->unverified : &u->verified;
    const struct tls_client_config config = { .insecure = insecure, .alpn = "http/1.1", .session_cache = true };

    if (*context == NULL && tls_client_context(context, &config, NULL) != 0) {
        *context = NULL;
    }
    return *context;
}

static bool start_tls(struct upstream_conn *c)
{
    struct slice host = slice_drop(slice_str(c->origin), strlen("https://"));
    struct tls_context *context = context_for(c->pool, c->call->_insecure);
    char name[UPSTREAM_ORIGIN_MAX];

    host.len = (size_t)((const char *)memrchr(host.ptr, ':', host.len) - host.ptr);
    if (slice_starts(host, SLICE("["))) {
        host = slice_take(slice_drop(host, 1), host.len - 2);
    }
    snprintf(name, sizeof(name), "%.*s", SLICE_FMT(host));
    bool literal = strchr(name, ':') != NULL || strspn(name, "0123456789.") == strlen(name);
    return context != NULL && stream_tls_start(&c->stream, context, literal ? NULL : name, name) == 0;
}

static void connected(struct upstream_conn *c)
{
    bool https = slice_starts(slice_str(c->origin), SLICE("https:"));

    if (https && !start_tls(c)) {
        conn_fail(c, UPSTREAM_REFUSED, "TLS can not be started");
        return;
    }
    if (https) {
        c->step = STEP_TLS;
        upstream_conn_step(c);
    } else {
        upstream_conn_send(c);
    }
}

static void step_connect(struct upstream_conn *c)
{
    switch (stream_connect_finish(&c->stream)) {
    case IO_OK:
        connected(c);
        return;
    case IO_WANT_READ:
    case IO_WANT_WRITE:
        return;
    case IO_EOF:
    case IO_FAILED:
        break;
    }
    if (c->address < c->addresses.count) {
        watch_stop(&c->watch);
        stream_close(&c->stream);
        upstream_conn_connect(c);
        return;
    }
    conn_fail(c, UPSTREAM_REFUSED, stream_fault(&c->stream));
}

static void wait_for(struct upstream_conn *c, enum io io)
{
    watch_change(&c->watch, io == IO_WANT_WRITE ? WATCH_WRITE : WATCH_READ);
}

static void step_tls(struct upstream_conn *c)
{
    enum io io = stream_tls_handshake(&c->stream);

    if (io == IO_OK) {
        upstream_conn_send(c);
    } else if (io == IO_FAILED || io == IO_EOF) {
        conn_fail(c, UPSTREAM_REFUSED, stream_fault(&c->stream));
    } else {
        wait_for(c, io);
    }
}

/* A kept connection may have been closed by its other side just now: the call is asked again on a fresh one. */
static void lost(struct upstream_conn *c, const char *why)
{
    struct upstream_call *call = c->call;
    struct upstream_conn *fresh;

    if (!c->reused || c->reply.started || (fresh = calloc(1, sizeof(*fresh))) == NULL) {
        conn_fail(c, UPSTREAM_BROKEN, why);
        return;
    }
    *fresh = (struct upstream_conn){
        .stream = STREAM_CLOSED, .pool = c->pool, .call = call, .addresses = c->addresses
    };
    memcpy(fresh->origin, c->origin, sizeof(fresh->origin));
    c->pool->worker->living++;
    upstream_conn_free(c);
    call->_conn = fresh;
    upstream_conn_connect(fresh);
}

static void keep(struct upstream_conn *c)
{
    struct upstream *u = c->pool;

    if (!c->reply.keep_alive || u->stopping || u->kept_count >= KEPT_MAX) {
        upstream_conn_free(c);
        return;
    }
    c->step = STEP_KEPT;
    c->call = NULL;
    c->next = u->kept;
    u->kept = c;
    u->kept_count++;
    wait_for(c, IO_WANT_READ);
}

static void replied(struct upstream_conn *c)
{
    struct upstream_call *call = c->call;
    bool whole = buf_ok(&call->body);

    call->_conn = NULL;
    call->status = c->reply.status;
    c->reply.keep_alive &= c->step == STEP_RECEIVE; /* not one whose request was cut short */
    keep(c);
    upstream_finish(call, whole ? UPSTREAM_OK : UPSTREAM_BROKEN, whole ? "" : "the reply is too large");
}

/* True when the reply goes on. */
static bool take(struct upstream_conn *c, const char *bytes, size_t len)
{
    size_t consumed = 0;
    enum reply_state state = reply_feed(&c->reply, bytes, len, &consumed);

    if (c->reply.head_complete && c->call->status == 0) {
        c->call->status = c->reply.status;
        reply_length(&c->reply, &c->call->content_length);
    }
    if (state == REPLY_BODY && consumed < len) {
        uint64_t n = len - consumed < c->reply.body_left ? len - consumed : c->reply.body_left;
        on_body(c, slice_from(bytes + consumed, (size_t)n));
        state = reply_body_moved(&c->reply, n);
        consumed += (size_t)n;
    }
    switch (state) {
    case REPLY_MORE:
    case REPLY_BODY:
        return true;
    case REPLY_DONE:
        c->reply.keep_alive &= consumed == len; /* bytes nobody asked for */
        replied(c);
        return false;
    case REPLY_BAD:
        conn_fail(c, UPSTREAM_BROKEN, reply_reason(&c->reply));
        return false;
    case REPLY_HEAD_TOO_LARGE:
        break;
    }
    conn_fail(c, UPSTREAM_BROKEN, "the head of the reply is too large");
    return false;
}

/* Reads what there is. False: the call is over, and the connection not this call's any more. */
static bool receive(struct upstream_conn *c, enum io *last)
{
    char bytes[READ_BYTES];

    *last = IO_WANT_READ;
    for (int i = 0; i < READS_PER_EVENT && !c->call->paused; i++) {
        size_t moved = 0;
        enum io io = stream_read(&c->stream, bytes, sizeof(bytes), &moved);
        if (io == IO_EOF && reply_end_of_stream(&c->reply) == REPLY_DONE) {
            c->reply.keep_alive = false;
            replied(c);
            return false;
        }
        if (io == IO_EOF || io == IO_FAILED) {
            lost(c, io == IO_EOF ? "the connection ended before the reply did" : stream_fault(&c->stream));
            return false;
        }
        if (io != IO_OK) {
            *last = io;
            return true;
        }
        if (!take(c, bytes, moved)) {
            return false;
        }
        if (moved < sizeof(bytes) && !stream_has_pending(&c->stream)) {
            return true;
        }
    }
    *last = IO_OK;
    return true;
}

static void step_receive(struct upstream_conn *c)
{
    struct upstream_call *call = c->call;
    enum io last;

    if (!receive(c, &last)) {
        return;
    }
    upstream_touch(call);
    if (call->paused) {
        watch_change(&c->watch, 0);
    } else if (last == IO_OK) { /* TLS may hold what the socket does not show any more */
        watch_change(&c->watch, WATCH_READ | WATCH_WRITE);
    } else {
        wait_for(c, last);
    }
    if (call->on_progress != NULL) {
        call->on_progress(call);
    }
}

/* What was written so far. */
static enum io send_request(struct upstream_conn *c)
{
    const struct buf *request = &c->call->_request;

    while (c->sent < request->len) {
        size_t moved;
        enum io io = stream_write(&c->stream, request->data + c->sent, request->len - c->sent, &moved);
        if (io != IO_OK) {
            return io;
        }
        c->sent += moved;
    }
    return IO_OK;
}

static enum io send_file(struct upstream_conn *c)
{
    struct upstream_call *call = c->call;
    char scratch[READ_BYTES];

    for (int i = 0; call->_file_at < call->_file_end; i++) {
        uint64_t left = call->_file_end - call->_file_at;
        size_t len = left < FILE_PIECE ? (size_t)left : FILE_PIECE, moved = 0;
        if (i == PIECES_PER_EVENT) {
            return IO_WANT_WRITE; /* others have their turn */
        }
        enum io io = stream_send_file(&c->stream, call->_file, call->_file_at, len, scratch, sizeof(scratch), &moved);
        if (io != IO_OK) {
            return io;
        }
        call->_file_at += moved;
    }
    return IO_OK;
}

/* A request with content may be answered before all of it was sent. */
static void wait_sending(struct upstream_conn *c, enum io io)
{
    if (c->call->_content == UPSTREAM_NOTHING) {
        wait_for(c, io);
    } else {
        watch_change(&c->watch, WATCH_READ | (io == IO_WANT_WRITE ? (unsigned)WATCH_WRITE : 0));
    }
}

/* Everything there is was sent. */
static void sent_all(struct upstream_conn *c)
{
    struct upstream_call *call = c->call;
    bool goes_on = call->_content == UPSTREAM_STREAM && !call->_written;

    if (!goes_on) {
        c->step = STEP_RECEIVE;
    }
    if (call->_content == UPSTREAM_STREAM) {
        buf_clear(&call->_request);
        c->sent = 0;
    }
    wait_for(c, IO_WANT_READ);
    upstream_touch(call);
    if (goes_on && call->on_progress != NULL) {
        call->on_progress(call);
    }
}

/* Whoever takes no more may have said why: that came just now. */
static void refused_writing(struct upstream_conn *c)
{
    enum io last;
    char why[sizeof(c->call->why)];

    snprintf(why, sizeof(why), "%s", stream_fault(&c->stream));
    if (c->call->_content == UPSTREAM_NOTHING || receive(c, &last)) {
        lost(c, why);
    }
}

static void step_send(struct upstream_conn *c)
{
    struct upstream_call *call = c->call;
    uint64_t before = c->sent + call->_file_at;
    enum io io;

    if (call->_content != UPSTREAM_NOTHING && !receive(c, &io)) {
        return;
    }
    io = send_request(c);
    if (io == IO_OK) {
        io = send_file(c);
    }
    if (io == IO_OK) {
        sent_all(c);
    } else if (io == IO_FAILED || io == IO_EOF) {
        refused_writing(c);
    } else {
        if (c->sent + call->_file_at > before) {
            upstream_touch(call);
        }
        wait_sending(c, io);
    }
}

void upstream_conn_send(struct upstream_conn *c)
{
    c->sent = 0;
    c->step = STEP_SEND;
    reply_init(&c->reply, &SETTINGS, c);
    reply_begin(&c->reply, c->call->_head);
    upstream_conn_step(c);
}

void upstream_conn_wake(struct upstream_conn *c)
{
    if (c->step == STEP_SEND || c->step == STEP_RECEIVE) { /* writable at once: TLS may hold bytes already read */
        watch_change(&c->watch, WATCH_READ | WATCH_WRITE);
    }
}

/* A kept connection became readable: it ended, or says what nobody asked for. */
static void step_kept(struct upstream_conn *c)
{
    struct upstream_conn **link = &c->pool->kept;

    while (*link != c) {
        link = &(*link)->next;
    }
    *link = c->next;
    c->pool->kept_count--;
    upstream_conn_free(c);
}

void upstream_conn_step(struct upstream_conn *c)
{
    static void (*const STEPS[])(struct upstream_conn *) = {
        [STEP_CONNECT] = step_connect, [STEP_TLS] = step_tls,   [STEP_SEND] = step_send,
        [STEP_RECEIVE] = step_receive, [STEP_KEPT] = step_kept,
    };

    STEPS[c->step](c);
}
