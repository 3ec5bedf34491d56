/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "serve/upstream.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "http/reply.h"
#include "net/stream.h"
#include "net/tls.h"
#include "serve/offload.h"
#include "serve/worker.h"

enum { READ_BYTES = 16 * 1024, REQUEST_MAX = 16 * 1024, READS_PER_EVENT = 16, KEPT_MAX = 1024 };

#define TICK_NS 250000000u

enum conn_step {
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
    enum conn_step step;
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

/* A name being looked up. Ours until its thread has ended, whatever becomes of the call. */
struct upstream_lookup {
    struct offload offload;     /* first */
    struct upstream_call *call; /* NULL: cancelled */
    char host[256];
    uint16_t port;
    struct addr_list found;
    struct err err;
};

static void conn_step(struct upstream_conn *c);

/* ---- Calls ---- */

static struct upstream *pool_of(const struct upstream_call *call)
{
    return call->_worker->upstream;
}

static void unlink_call(struct upstream_call *call)
{
    if (call->_prev != NULL) {
        call->_prev->_next = call->_next;
    } else {
        pool_of(call)->calls = call->_next;
    }
    if (call->_next != NULL) {
        call->_next->_prev = call->_prev;
    }
    call->_prev = call->_next = NULL;
}

static void finish(struct upstream_call *call, enum upstream_fail fail, const char *why)
{
    struct upstream *u = pool_of(call);

    call->fail = fail;
    snprintf(call->why, sizeof(call->why), "%s", why);
    if (u->beginning) {
        call->_over = true;
        timer_start(&u->tick, 0);
        return;
    }
    unlink_call(call);
    call->done(call);
}

/* ---- Connections ---- */

static void conn_free(struct upstream_conn *c)
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
    conn_free(c);
    if (call != NULL) {
        finish(call, fail, kept);
    }
}

static void on_body(void *arg, struct slice bytes)
{
    struct upstream_conn *c = arg;

    buf_add_slice(&c->call->body, bytes);
}

static const struct reply_settings SETTINGS = { .head_max_bytes = 64 * 1024, .on_body = on_body };

static void conn_ready(struct watch *watch, unsigned events)
{
    (void)events;
    conn_step(watch->arg);
}

static const char *stream_fault(const struct stream *s)
{
    return s->sys_error != 0 ? strerrordesc_np(s->sys_error) : s->tls_error;
}

/* Tries the next address. False: there is none left; the call has ended. */
static bool connect_next(struct upstream_conn *c)
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
    c->step = https ? STEP_TLS : STEP_SEND;
    conn_step(c);
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
        connect_next(c);
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
        c->step = STEP_SEND;
        conn_step(c);
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
    conn_free(c);
    call->_conn = fresh;
    connect_next(fresh);
}

static void step_send(struct upstream_conn *c)
{
    const struct buf *request = &c->call->_request;

    while (c->sent < request->len) {
        size_t moved;
        enum io io = stream_write(&c->stream, request->data + c->sent, request->len - c->sent, &moved);
        if (io == IO_FAILED || io == IO_EOF) {
            lost(c, stream_fault(&c->stream));
            return;
        }
        if (io != IO_OK) {
            wait_for(c, io);
            return;
        }
        c->sent += moved;
    }
    c->step = STEP_RECEIVE;
    reply_init(&c->reply, &SETTINGS, c);
    reply_begin(&c->reply, false);
    wait_for(c, IO_WANT_READ); /* nothing can be there yet */
}

static void keep(struct upstream_conn *c)
{
    struct upstream *u = c->pool;

    if (!c->reply.keep_alive || u->stopping || u->kept_count >= KEPT_MAX) {
        conn_free(c);
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
    keep(c);
    finish(call, whole ? UPSTREAM_OK : UPSTREAM_BROKEN, whole ? "" : "the reply is too large");
}

/* True when the reply goes on. */
static bool take(struct upstream_conn *c, const char *bytes, size_t len)
{
    size_t consumed = 0;
    enum reply_state state = reply_feed(&c->reply, bytes, len, &consumed);

    if (state == REPLY_BODY && consumed < len) {
        uint64_t n = len - consumed < c->reply.body_left ? len - consumed : c->reply.body_left;
        buf_append(&c->call->body, bytes + consumed, (size_t)n);
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

static void step_receive(struct upstream_conn *c)
{
    char bytes[READ_BYTES];

    for (int i = 0; i < READS_PER_EVENT; i++) {
        size_t moved = 0;
        enum io io = stream_read(&c->stream, bytes, sizeof(bytes), &moved);
        if (io == IO_EOF && reply_end_of_stream(&c->reply) == REPLY_DONE) {
            c->reply.keep_alive = false;
            replied(c);
            return;
        }
        if (io == IO_EOF || io == IO_FAILED) {
            lost(c, io == IO_EOF ? "the connection ended before the reply did" : stream_fault(&c->stream));
            return;
        }
        if (io != IO_OK) {
            wait_for(c, io);
            return;
        }
        if (!take(c, bytes, moved)) {
            return;
        }
        if (moved < sizeof(bytes) && !stream_has_pending(&c->stream)) {
            return;
        }
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
    conn_free(c);
}

static void conn_step(struct upstream_conn *c)
{
    static void (*const STEPS[])(struct upstream_conn *) = {
        [STEP_CONNECT] = step_connect, [STEP_TLS] = step_tls,   [STEP_SEND] = step_send,
        [STEP_RECEIVE] = step_receive, [STEP_KEPT] = step_kept,
    };

    STEPS[c->step](c);
}

/* ---- Beginning ---- */

static bool reuse(struct upstream_call *call)
{
    struct upstream *u = pool_of(call);

    for (struct upstream_conn **link = &u->kept; *link != NULL; link = &(*link)->next) {
        struct upstream_conn *c = *link;
        if (strcmp(c->origin, call->_origin) == 0) {
            *link = c->next;
            u->kept_count--;
            c->call = call;
            call->_conn = c;
            c->reused = true;
            c->sent = 0;
            c->step = STEP_SEND;
            c->reply.started = false;
            conn_step(c);
            return true;
        }
    }
    return false;
}

static int connect_new(struct upstream_call *call, const struct addr_list *addresses)
{
    struct upstream_conn *c = calloc(1, sizeof(*c));

    if (c == NULL) {
        return -1;
    }
    *c = (struct upstream_conn){
        .stream = STREAM_CLOSED, .pool = pool_of(call), .call = call, .addresses = *addresses
    };
    memcpy(c->origin, call->_origin, sizeof(c->origin));
    call->_worker->living++;
    call->_conn = c;
    return connect_next(c) ? 0 : 1;
}

static void run_lookup(struct offload *o)
{
    struct upstream_lookup *l = (struct upstream_lookup *)(void *)o;

    if (addr_resolve(&l->found, slice_str(l->host), l->port, AF_UNSPEC, &l->err) != 0) {
        l->found.count = 0;
    }
}

static void lookup_done(struct offload *o)
{
    struct upstream_lookup *l = (struct upstream_lookup *)(void *)o;
    struct upstream_call *call = l->call;

    if (call != NULL) {
        call->_lookup = NULL;
        if (l->found.count == 0) {
            finish(call, UPSTREAM_REFUSED, l->err.what);
        } else if (connect_new(call, &l->found) < 0) {
            finish(call, UPSTREAM_REFUSED, "out of memory");
        }
    }
    free(l);
}

static int look_up(struct upstream_call *call, const struct url *base)
{
    struct upstream_lookup *l = calloc(1, sizeof(*l));

    if (l == NULL) {
        return -1;
    }
    snprintf(l->host, sizeof(l->host), "%.*s", SLICE_FMT(base->host));
    l->port = base->port;
    l->call = call;
    l->offload.run = run_lookup;
    l->offload.done = lookup_done;
    if (!offload_start(&l->offload, call->_worker)) {
        free(l);
        return -1;
    }
    call->_lookup = l;
    return 0;
}

static int connect_literal(struct upstream_call *call, const struct url *base)
{
    struct addr_list one = { .count = 1 };
    struct slice host = slice_eq_nocase(base->host, SLICE("localhost")) ? SLICE("127.0.0.1") : base->host;

    if (addr_parse(&one.items[0], host, base->port, NULL) != 0) {
        return look_up(call, base);
    }
    return connect_new(call, &one) < 0 ? -1 : 0;
}

static bool build_request(struct upstream_call *call, const struct url *base, struct slice rest)
{
    struct slice path = base->path;

    while (slice_ends(path, SLICE("/"))) {
        path.len--;
    }
    buf_init(&call->_request, REQUEST_MAX);
    buf_printf(&call->_request, "GET %.*s%.*s HTTP/1.1\r\nHost: ", SLICE_FMT(path), SLICE_FMT(rest));
    url_add_authority(&call->_request, base);
    buf_add_str(&call->_request, "\r\nUser-Agent: plimsoll/" PLIMSOLL_VERSION "\r\nAccept: application/json\r\n\r\n");
    return buf_ok(&call->_request);
}

/* The first call that is over or out of time. */
static struct upstream_call *due_call(struct upstream *u)
{
    struct upstream_call *call = u->calls;

    while (call != NULL && !call->_over && u->worker->now_ns < call->_due_ns) {
        call = call->_next;
    }
    return call;
}

static void tick(struct timer *t)
{
    struct upstream *u = t->arg;
    struct upstream_call *call;

    worker_touch(u->worker);
    while ((call = due_call(u)) != NULL) {
        bool was_over = call->_over;
        upstream_cancel(call);
        if (!was_over) {
            call->fail = UPSTREAM_TIMEOUT;
            snprintf(call->why, sizeof(call->why), "no reply in time");
        }
        call->done(call);
    }
    if (u->calls != NULL) {
        timer_start(&u->tick, TICK_NS);
    }
}

int upstream_get(struct upstream_call *c, struct worker *w, const struct url *base, struct slice rest, bool insecure,
                 uint64_t timeout_ns)
{
    struct upstream *u = w->upstream;
    bool v6 = base->host_is_ipv6;

    c->_worker = w;
    c->_insecure = insecure;
    c->_conn = NULL;
    c->_lookup = NULL;
    c->_over = false;
    worker_touch(w);
    c->_due_ns = w->now_ns + timeout_ns;
    buf_init(&c->body, UPSTREAM_BODY_MAX);
    int len = snprintf(c->_origin, sizeof(c->_origin), "%s://%s%.*s%s:%u", base->https ? "https" : "http",
                       v6 ? "[" : "", SLICE_FMT(base->host), v6 ? "]" : "", base->port);
    if (!build_request(c, base, rest) || (size_t)len >= sizeof(c->_origin) || base->host.len > 255) {
        upstream_call_release(c);
        return -1;
    }
    c->_prev = NULL;
    c->_next = u->calls;
    if (u->calls != NULL) {
        u->calls->_prev = c;
    }
    u->calls = c;
    if (!timer_is_running(&u->tick)) {
        timer_start(&u->tick, TICK_NS);
    }
    u->beginning = true;
    bool begun = reuse(c) || connect_literal(c, base) == 0;
    u->beginning = false;
    if (begun) {
        return 0;
    }
    unlink_call(c);
    upstream_call_release(c);
    return -1;
}

void upstream_cancel(struct upstream_call *c)
{
    unlink_call(c);
    if (c->_lookup != NULL) {
        c->_lookup->call = NULL;
        c->_lookup = NULL;
    }
    if (c->_conn != NULL) {
        c->_conn->call = NULL;
        conn_free(c->_conn);
        c->_conn = NULL;
    }
}

void upstream_call_release(struct upstream_call *c)
{
    buf_release(&c->body);
    buf_release(&c->_request);
}

/* ---- Life ---- */

int upstream_new(struct upstream **out, struct worker *w, struct err *err)
{
    struct upstream *u = calloc(1, sizeof(*u));

    if (u == NULL) {
        return err_set(err, ERR_SYSTEM, ENOMEM, "cannot start a server thread");
    }
    u->worker = w;
    u->tick.on_time = tick;
    u->tick.arg = u;
    timer_init(&u->tick, w->loop);
    *out = u;
    return 0;
}

void upstream_stop(struct upstream *u)
{
    u->stopping = true;
    while (u->kept != NULL) {
        struct upstream_conn *c = u->kept;
        u->kept = c->next;
        u->kept_count--;
        conn_free(c);
    }
}

void upstream_free(struct upstream *u)
{
    if (u == NULL) {
        return;
    }
    tls_context_free(u->verified);
    tls_context_free(u->unverified);
    free(u);
}
