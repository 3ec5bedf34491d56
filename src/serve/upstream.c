/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "serve/upstream_internal.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "net/tls.h"
#include "serve/offload.h"
#include "serve/site.h"
#include "serve/worker.h"

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

    if (call->_content != UPSTREAM_NOTHING) {
        return false;
    }
    for (struct upstream_conn **link = &u->kept; *link != NULL; link = &(*link)->next) {
        struct upstream_conn *c = *link;
        if (strcmp(c->origin, call->_origin) == 0) {
            *link = c->next;
            u->kept_count--;
            c->call = call;
            call->_conn = c;
            c->reused = true;
            upstream_conn_send(c);
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

static bool build_request(struct upstream_call *call, const struct upstream_request *r)
{
    struct slice path = r->base->path;
    struct buf *out = &call->_request;

    while (slice_ends(path, SLICE("/"))) {
        path.len--;
    }
    buf_init(out, UPSTREAM_PENDING_MAX);
    buf_printf(out, "%s %.*s%.*s HTTP/1.1\r\nHost: ", r->method != NULL ? r->method : "GET", SLICE_FMT(path),
               SLICE_FMT(r->rest));
    url_add_authority(out, r->base);
    buf_add_str(out, "\r\nUser-Agent: plimsoll/" PLIMSOLL_VERSION "\r\nAccept: ");
    buf_add_str(out, call->on_content != NULL ? "*/*\r\n" : "application/json\r\n");
    buf_add_slice(out, r->fields);
    if (call->_worker->config->one_at_a_time) {
        buf_printf(out, TURN_FIELD ": %s\r\n", call->_worker->site->turns.pass);
    }
    if (r->content == UPSTREAM_FILE) {
        buf_printf(out, "Content-Length: %llu\r\n", (unsigned long long)r->length);
    } else if (r->content == UPSTREAM_STREAM) {
        buf_add_str(out, "Transfer-Encoding: chunked\r\n");
    }
    buf_add_str(out, "\r\n");
    return buf_ok(out);
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

void upstream_touch(struct upstream_call *call)
{
    struct worker *w = call->_worker;

    if (!call->_idle) {
        return;
    }
    bool ours = call->paused || (call->_content == UPSTREAM_STREAM && !call->_written && call->_request.len == 0);
    worker_touch(w);
    call->_due_ns = ours ? UINT64_MAX : w->now_ns + call->_timeout_ns;
}

static void set_up(struct upstream_call *c, struct worker *w, const struct upstream_request *r)
{
    c->_worker = w;
    c->_insecure = r->insecure;
    c->_head = r->method != NULL && strcmp(r->method, "HEAD") == 0;
    c->_content = r->content;
    c->_file = r->file;
    c->_file_at = 0;
    c->_file_end = r->content == UPSTREAM_FILE ? r->length : 0;
    c->_idle = r->idle;
    c->_timeout_ns = r->timeout_ns;
    c->_conn = NULL;
    c->_lookup = NULL;
    c->_over = c->_written = c->paused = false;
    c->status = 0;
    c->content_length = UPSTREAM_LENGTH_UNKNOWN;
    worker_touch(w);
    c->_due_ns = w->now_ns + r->timeout_ns;
    buf_init(&c->body, UPSTREAM_BODY_MAX);
}

int upstream_start(struct upstream_call *c, struct worker *w, const struct upstream_request *r)
{
    struct upstream *u = w->upstream;
    const struct url *base = r->base;
    bool v6 = base->host_is_ipv6;

    set_up(c, w, r);
    int len = snprintf(c->_origin, sizeof(c->_origin), "%s://%s%.*s%s:%u", base->https ? "https" : "http",
                       v6 ? "[" : "", SLICE_FMT(base->host), v6 ? "]" : "", base->port);
    if (!build_request(c, r) || (size_t)len >= sizeof(c->_origin) || base->host.len > 255) {
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

int upstream_get(struct upstream_call *c, struct worker *w, const struct url *base, struct slice rest, bool insecure,
                 uint64_t timeout_ns)
{
    return upstream_start(
        c, w, &(struct upstream_request){ .base = base, .rest = rest, .insecure = insecure, .timeout_ns = timeout_ns });
}

/* ---- Content ---- */

static void wake(struct upstream_call *c)
{
    upstream_touch(c);
    if (c->_conn != NULL) {
        upstream_conn_wake(c->_conn);
    }
}

bool upstream_write(struct upstream_call *c, struct slice bytes)
{
    if (bytes.len > 0) {
        buf_printf(&c->_request, "%zx\r\n", bytes.len);
        buf_add_slice(&c->_request, bytes);
        buf_add_str(&c->_request, "\r\n");
        wake(c);
    }
    return buf_ok(&c->_request);
}

size_t upstream_pending(const struct upstream_call *c)
{
    return c->_request.len;
}

void upstream_write_end(struct upstream_call *c)
{
    buf_add_str(&c->_request, "0\r\n\r\n");
    c->_written = true;
    wake(c);
}

void upstream_read_more(struct upstream_call *c)
{
    c->paused = false;
    wake(c);
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
