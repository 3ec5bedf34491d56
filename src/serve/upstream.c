/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "serve/upstream_internal.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "net/tls.h"
#include "serve/offload.h"
#include "serve/worker.h"

enum { REQUEST_MAX = 16 * 1024 };

#define TICK_NS 250000000u

/* A name being looked up. Ours until its thread has ended, whatever becomes of the call. */
struct upstream_lookup {
    struct offload offload;     /* first */
    struct upstream_call *call; /* NULL: cancelled */
    char host[256];
    uint16_t port;
    struct addr_list found;
    struct err err;
};

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

void upstream_finish(struct upstream_call *call, enum upstream_fail fail, const char *why)
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
            upstream_conn_step(c);
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
    return upstream_conn_connect(c) ? 0 : 1;
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
            upstream_finish(call, UPSTREAM_REFUSED, l->err.what);
        } else if (connect_new(call, &l->found) < 0) {
            upstream_finish(call, UPSTREAM_REFUSED, "out of memory");
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
        upstream_conn_free(c->_conn);
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
        upstream_conn_free(c);
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
