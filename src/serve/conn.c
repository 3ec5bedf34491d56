/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "serve/conn_internal.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "serve/shared_tls.h"
#include "serve/site.h"
#include "serve/worker.h"

enum {
    SPARE_MAX = 256,                /* closed connections kept for reuse */
    LINGER_MAX_BYTES = 1024 * 1024, /* dropped after the last reply before the patience ends */
};

/* ---- Life ---- */

static void conn_forget(struct conn *c)
{
    struct worker *w = c->worker;

    if (c->watch_closing || c->timer_closing) {
        return;
    }
    if (w->spare_count < SPARE_MAX) {
        c->next = w->spare;
        w->spare = c;
        w->spare_count++;
    } else {
        free(c);
    }
    worker_conn_forgotten(w);
}

static void watch_closed(struct watch *watch)
{
    struct conn *c = watch->arg;

    c->watch_closing = false;
    conn_forget(c);
}

static void timer_closed(struct timer *t)
{
    struct exchange *x = t->arg;
    struct conn *c = (struct conn *)(void *)((char *)x - offsetof(struct conn, http1) - offsetof(struct http1, x));

    c->timer_closing = false;
    conn_forget(c);
}

static void unlink_conn(struct conn *c)
{
    if (c->prev != NULL) {
        c->prev->next = c->next;
    } else {
        c->worker->conns = c->next;
    }
    if (c->next != NULL) {
        c->next->prev = c->prev;
    }
}

static void close_with(struct conn *c, void (*end_stream)(struct stream *s))
{
    if (c->state == CONN_CLOSED) {
        return;
    }
    c->state = CONN_CLOSED;
    http1_end(c);
    http2_end(c);
    deadline_end(&c->deadline);
    conn_buffer_drop(&c->in);
    conn_buffer_drop(&c->out);
    unlink_conn(c);
    c->watch_closing = true;
    watch_stop(&c->watch);
    end_stream(&c->stream);
    if (c->tls != NULL) {
        shared_tls_drop(&c->worker->site->tls, c->tls);
        c->tls = NULL;
    }
    if (c->http1.x._has_timer) {
        c->timer_closing = true;
        c->http1.x._has_timer = false;
        timer_close(&c->http1.x._timer, timer_closed);
    }
    count_add(&c->worker->counts.open, (uint64_t)-1);
    worker_conn_closed(c->worker);
}

void conn_close(struct conn *c)
{
    close_with(c, stream_close);
}

void conn_reset(struct conn *c)
{
    close_with(c, stream_reset);
}

void conn_finish(struct conn *c, bool gently)
{
    if (!gently || c->eof) {
        conn_close(c);
        return;
    }
    c->state = CONN_LINGER;
    stream_shutdown_write(&c->stream);
    c->lingered_bytes = 0;
    worker_deadline(c->worker, &c->deadline, DEADLINE_LINGER);
}

static void linger(struct conn *c)
{
    enum conn_io io = CONN_MOVED;

    while (io == CONN_MOVED && c->lingered_bytes < LINGER_MAX_BYTES) {
        struct slice dropped;
        c->more = true;
        io = conn_read_aside(c, &dropped);
        c->lingered_bytes += (uint32_t)dropped.len;
    }
    if (io == CONN_ENDED || io == CONN_MOVED) {
        conn_close(c);
    }
}

static bool handshake(struct conn *c)
{
    switch (stream_tls_handshake(&c->stream)) {
    case IO_OK:
        c->state = CONN_OPEN;
        if (strcmp(stream_tls_alpn(&c->stream), "h2") == 0 && !http2_start(c)) {
            break;
        }
        return true;
    case IO_WANT_READ:
        return false;
    case IO_WANT_WRITE:
        c->wants_write = true;
        return false;
    case IO_EOF:
    case IO_FAILED:
        break;
    }
    conn_close(c);
    return false;
}

bool conn_enter(struct conn *c)
{
    struct worker *w = c->worker;

    if (c->state == CONN_CLOSED || w->active == c) {
        return false;
    }
    if (w->active != NULL) {
        BUG("two connections of one thread are handled at once");
    }
    w->active = c;
    worker_touch(w);
    conn_lend_in(c);
    if (c->out.bytes == NULL) {
        conn_buffer_lend(&c->out, w->out_bytes, WORKER_OUT_BYTES);
    }
    c->blocked = c->wants_write = c->wants_read = c->progressed = c->asked = c->moved_content = false;
    c->more = stream_has_pending(&c->stream);
    return true;
}

static unsigned interest(const struct conn *c)
{
    unsigned events = c->blocked || c->wants_write ? (unsigned)WATCH_WRITE : 0;

    if (c->state != CONN_OPEN) {
        return events | WATCH_READ;
    }
    switch (c->http1.waits) {
    case HTTP1_WAITS_SEND:
        return c->wants_read && !c->blocked ? WATCH_READ : WATCH_WRITE;
    case HTTP1_WAITS_HANDLER: /* only to see the client leave; one that sends more meanwhile waits */
        return c->eof || c->in.end > c->in.start ? events : events | WATCH_READ;
    case HTTP1_WAITS_HEAD:
    case HTTP1_WAITS_REQUEST:
    case HTTP1_WAITS_BODY:
    case HTTP1_WAITS_WINDOW:
        break;
    }
    return events | WATCH_READ;
}

/* A deadline that runs already begins anew only with what it waits for: a client that trickles a byte, or frames that
 * ask for nothing, before each of its ends would never be cut off. */
static bool begins_anew(const struct conn *c, enum deadline_kind kind)
{
    switch (kind) {
    case DEADLINE_HEAD:
        return false;
    case DEADLINE_BODY:
        return c->body_bytes >= c->worker->body_quota_bytes;
    case DEADLINE_IDLE:
        return c->http2 != NULL ? c->asked : c->progressed;
    case DEADLINE_SEND:
        return c->http1.waits == HTTP1_WAITS_WINDOW ? c->moved_content : c->progressed;
    case DEADLINE_STREAM:
    case DEADLINE_LINGER:
    case DEADLINE_KINDS:
        break;
    }
    return c->progressed;
}

static void set_deadline(struct conn *c)
{
    static const enum deadline_kind KINDS[] = {
        [HTTP1_WAITS_HEAD] = DEADLINE_HEAD, [HTTP1_WAITS_REQUEST] = DEADLINE_IDLE,
        [HTTP1_WAITS_BODY] = DEADLINE_BODY, [HTTP1_WAITS_HANDLER] = DEADLINE_NONE,
        [HTTP1_WAITS_SEND] = DEADLINE_SEND, [HTTP1_WAITS_WINDOW] = DEADLINE_SEND,
    };
    enum deadline_kind kind = KINDS[c->http1.waits];

    if (c->state != CONN_OPEN) {
        return; /* the handshake's and the lingering's began before */
    }
    if (kind == DEADLINE_BODY && c->http2 != NULL) {
        kind = DEADLINE_NONE; /* each stream has its own */
    }
    if (kind == DEADLINE_IDLE && !c->http1.served_one) {
        kind = DEADLINE_HEAD; /* the first request of a connection is awaited since its accept */
    }
    if (kind == DEADLINE_NONE) {
        deadline_end(&c->deadline);
    } else if (kind != deadline_kind(&c->deadline) || begins_anew(c, kind)) {
        c->body_bytes = 0;
        worker_deadline(c->worker, &c->deadline, kind);
    }
}

void conn_leave(struct conn *c)
{
    struct worker *w = c->worker;

    w->active = NULL;
    if (c->state == CONN_CLOSED) {
        return;
    }
    if (!conn_keep_in(c) || !conn_keep_out(c)) {
        conn_reset(c);
        return;
    }
    set_deadline(c);
    watch_change(&c->watch, interest(c));
}

static void conn_ready(struct watch *watch, unsigned events)
{
    struct conn *c = watch->arg;

    (void)events; /* whatever it was, everything possible is tried */
    if (!conn_enter(c)) {
        return;
    }
    c->more = true;
    if (c->state == CONN_LINGER) {
        linger(c);
    } else if (c->state == CONN_OPEN || handshake(c)) {
        if (c->http2 != NULL) {
            http2_run(c);
        } else {
            http1_run(c);
        }
    }
    conn_leave(c);
}

static struct conn *conn_take(struct worker *w)
{
    struct conn *c = w->spare;

    if (c != NULL) {
        w->spare = c->next;
        w->spare_count--;
    } else if ((c = malloc(sizeof(*c))) == NULL) {
        return NULL;
    }
    *c = (struct conn){ .worker = w, .next = w->conns };
    w->living++;
    if (w->conns != NULL) {
        w->conns->prev = c;
    }
    w->conns = c;
    return c;
}

void conn_accept(struct worker *w, int fd, bool tls)
{
    struct conn *c = conn_take(w);

    if (c == NULL) {
        close(fd);
        return;
    }
    count_add(&w->counts.connections, 1);
    count_add(&w->counts.open, 1);
    stream_adopt(&c->stream, fd, true);
    c->watch.arg = c;
    c->watch.on_ready = conn_ready;
    c->watch.on_closed = watch_closed;
    c->state = tls ? CONN_HANDSHAKE : CONN_OPEN;
    http1_init(c);
    if (watch_start(&c->watch, w->loop, fd, WATCH_READ, NULL) != 0) {
        stream_close(&c->stream);
        unlink_conn(c);
        count_add(&w->counts.open, (uint64_t)-1);
        conn_forget(c);
        return;
    }
    c->tls = tls ? shared_tls_take(&w->site->tls) : NULL;
    if (tls && stream_tls_start(&c->stream, c->tls->context, NULL, NULL) != 0) {
        conn_reset(c);
        return;
    }
    worker_deadline(w, &c->deadline, DEADLINE_HEAD);
}

void conn_expired(struct conn *c, enum deadline_kind kind)
{
    if (c->state == CONN_OPEN && c->http2 == NULL && (kind == DEADLINE_HEAD || kind == DEADLINE_BODY) &&
        conn_enter(c)) {
        if (!http1_timed_out(c)) {
            conn_close(c);
        }
        conn_leave(c);
    } else if (kind == DEADLINE_SEND) {
        conn_reset(c);
    } else {
        conn_close(c);
    }
}

void conn_stop(struct conn *c)
{
    if (c->state == CONN_OPEN && c->http2 != NULL) {
        http2_stop(c);
    } else if (c->state == CONN_OPEN && http1_is_idle(c)) {
        conn_close(c);
    }
}
