/* SPDX-License-Identifier: GPL-3.0-or-later */
/* HTTP/2: many requests at a time on an open connection. */
#include "load/http2_stream.h"

#include <string.h>

#include "base/clock.h"

#define READ_BYTES SCRATCH_BYTES
/* Reads or writes before other connections get their turn. */
#define ROUNDS_MAX 16
/* Replies often arrive one by one: those that came while the first were looked at are read before the next requests go
 * out, so that they share a write. A write costs more than looking at some replies, so on the whole nothing waits. */
#define READS_PER_WRITE 4

/* --- writing ----------------------------------------------------------------------------------------------------- */

/* All that was serialised so far has been written. */
static void note_written(struct client *c, uint64_t before, uint64_t after)
{
    if (c->h2_unwritten == 0)
        return;
    for (uint32_t i = 0; i < c->exchange_count; i++) {
        struct exchange *x = &c->exchanges[i];

        if (!x->active || x->stream == 0 || !x->is_begun || x->sent_last_ns != 0)
            continue;
        if (!x->is_out) {
            x->is_out = true;
            exchange_note_sent(x, before);
        }
        if (x->is_framed) {
            x->sent_last_ns = after;
            c->h2_unwritten--;
        }
    }
}

static void fail_connection(struct client *c, enum fail_kind kind, int sys, const char *note)
{
    const struct failure why = { .kind = kind, .sys = sys, .note = note };

    client_fail(c, &why, clock_now_ns());
}

/* The session may have been closed while its events ran (the run ended): it is freed only now. */
static bool was_closed(struct client *c)
{
    if (!c->h2_is_closing)
        return false;
    http2_close(c);
    return true;
}

/* Gathers output up to a buffer's worth, so that many frames go out in one write. False when the connection is no more.
 */
static bool gather(struct client *c)
{
    const bool nested = c->in_events;
    bool ok = true;

    c->out_at = c->out_len = 0;
    c->in_events = true;
    while (ok && c->out_len < H2_OUT_BYTES) {
        size_t n;

        if (c->h2_output.len == 0)
            ok = h2_client_output(c->h2, &c->h2_output);
        if (!ok || c->h2_output.len == 0)
            break;
        n = c->h2_output.len < H2_OUT_BYTES - c->out_len ? c->h2_output.len : H2_OUT_BYTES - c->out_len;
        memcpy(c->out + c->out_len, c->h2_output.ptr, n);
        c->out_len += (uint32_t)n;
        c->h2_output = slice_drop(c->h2_output, n);
    }
    c->in_events = nested;
    if (!nested && was_closed(c))
        return false;
    if (!ok)
        fail_connection(c, FAIL_BAD_MESSAGE, 0, h2_client_reason(c->h2));
    return ok;
}

/* Writes until there is no more to say, or the socket is full. False when the connection is no more. */
static bool flush(struct client *c)
{
    for (unsigned round = 0; round < ROUNDS_MAX; round++) {
        const uint64_t before = clock_now_ns();
        size_t moved;
        enum io io;

        if (c->out_at == c->out_len && !gather(c))
            return false;
        if (c->out_len == 0) {
            watch_change(c->watch, WATCH_READ);
            return true;
        }
        io = stream_write(&c->stream, c->out + c->out_at, c->out_len - c->out_at, &moved);
        if (io == IO_FAILED) { /* what the peer has said before comes with a read */
            c->write_error = c->stream.sys_error;
            watch_change(c->watch, WATCH_READ);
            return true;
        }
        if (io != IO_OK)
            break;
        c->out_at += (uint32_t)moved;
        if (c->loader->stage != STAGE_WARMUP)
            c->tally->bytes_sent += moved;
        if (c->out_at == c->out_len)
            note_written(c, before, clock_now_ns());
    }
    watch_change(c->watch, WATCH_READ | WATCH_WRITE);
    return true;
}

/* Requests on their way. */
static bool has_streams(const struct client *c)
{
    for (uint32_t i = 0; i < c->exchange_count; i++)
        if (c->exchanges[i].active && c->exchanges[i].stream != 0)
            return true;
    return false;
}

static bool wants_new_connection(const struct client *c)
{
    const uint64_t limit = c->target->manner.requests_per_connection;

    return c->h2_is_ending || (limit > 0 && c->requests_on_connection >= limit) || !h2_client_takes_streams(c->h2);
}

/* Nothing is on its way any more and the connection has had its time: the next one is opened for what waits. */
static void renew(struct client *c, uint64_t now)
{
    if (has_streams(c))
        return;
    client_end(c, now);
    if (c->active_count > 0)
        client_open(c, now);
    loader_next_all(c, now);
}

static const struct h2_request *request_of(struct exchange *x)
{
    const struct target *t = x->client->target;

    if (__builtin_expect(!t->is_rendered, 1))
        return t->h2_request;
    exchange_render(x, false);
    if (!h2_request_fill(x->h2_request, slice_from(x->rendered, x->rendered_head), t->https, t->spec->body.present))
        BUG("a rendered request has more fields than the one it was made of");
    return x->h2_request;
}

void http2_send(struct exchange *x, uint64_t now)
{
    struct client *c = x->client;

    x->sent_last_ns = 0; /* of an earlier try */
    x->is_begun = x->is_out = x->is_framed = x->has_length = false;
    x->body_sent = 0;
    x->body_piece = 0;
    if (__builtin_expect(x->check != NULL, 0))
        check_begin(&c->target->check, x->check);
    if (!wants_new_connection(c)) {
        x->stream = h2_client_submit(c->h2, request_of(x), x);
        if (x->stream > 0) {
            x->reused = c->requests_on_connection > 0;
            c->requests_on_connection++;
            c->h2_unwritten++;
        } else {
            x->stream = 0;
            c->h2_is_ending = true;
        }
    }
    if (c->in_events)
        return; /* they end with a flush */
    if (x->stream == 0) {
        c->h2_is_ending = true;
        renew(c, now);
        return;
    }
    (void)flush(c);
}

/* --- life of a connection ---------------------------------------------------------------------------------------- */

bool http2_open(struct client *c)
{
    c->h2_goaway = c->h2_is_ending = c->h2_is_closing = c->in_events = false;
    c->out_at = c->out_len = 0;
    c->h2_goaway_code = 0;
    c->h2_output = (struct slice){ 0 };
    c->h2_unwritten = 0;
    c->keep_stream = 0;
    c->write_error = 0;
    return h2_client_new(&c->h2, c->loader->h2_pool, &HTTP2_STREAM_EVENTS, c, NULL) == 0;
}

void http2_close(struct client *c)
{
    c->h2_is_closing = true;
    if (c->in_events)
        return; /* by was_closed(), when they are over */
    h2_client_free(c->h2, c->loader->h2_pool);
    c->h2 = NULL;
    for (uint32_t i = 0; i < c->exchange_count; i++)
        c->exchanges[i].stream = 0;
}

/* A stream whose time is up is given back to the peer; the connection stays, unless the peer never let it begin. */
void http2_time_out(struct exchange *x, uint64_t now)
{
    struct client *c = x->client;
    const struct failure never_begun = { .kind = FAIL_TIMEOUT, .note = "no stream was allowed" };
    const struct failure why = { .kind = FAIL_TIMEOUT,
                                 .note = x->reply_first_ns != 0 ? "in the middle of the reply" : "no reply" };

    if (x->stream == 0 || !x->is_begun) {
        client_fail(c, &never_begun, now);
        return;
    }
    h2_client_cancel(c->h2, x->stream);
    c->loader->h2_now_ns = now;
    c->in_events = true; /* one flush for the RST_STREAM and what comes next */
    account_failed(x, &why, now);
    http2_stream_over(x);
    c->in_events = false;
    if (!was_closed(c))
        http2_after_events(c, now);
}

static void connection_ended(struct client *c, int sys);

void http2_after_events(struct client *c, uint64_t now)
{
    if (!flush(c))
        return;
    if (!h2_client_is_alive(c->h2) && has_streams(c)) { /* nothing more will come of them */
        if (c->h2_goaway)
            connection_ended(c, 0);
        else
            fail_connection(c, FAIL_BAD_MESSAGE, 0, h2_client_reason(c->h2)); /* the peer broke the protocol */
        return;
    }
    if (wants_new_connection(c))
        renew(c, now);
}

static bool may_go_again(struct client *c, struct exchange *x)
{
    if (x->stream == 0)
        return true; /* never went out */
    return c->requests_on_connection > c->active_count && c->target->is_idempotent && http2_try_again(x);
}

/* The connection has ended: what was not begun goes to the next one, what was on its way has failed. */
static void connection_ended(struct client *c, int sys)
{
    const uint64_t now = clock_now_ns();
    char note[FAILURE_NOTE_MAX] = "";

    if (c->h2_goaway)
        snprintf(note, sizeof(note), "GOAWAY %s", h2_error_name(c->h2_goaway_code));
    for (uint32_t i = 0; i < c->exchange_count; i++) {
        struct exchange *x = &c->exchanges[i];
        struct failure why = { .kind = sys != 0 ? FAIL_RESET : FAIL_CLOSED_EARLY, .sys = sys, .note = note };

        if (!x->active || may_go_again(c, x))
            continue;
        if (x->reply_first_ns != 0)
            why.kind = FAIL_TRUNCATED;
        account_failed(x, &why, now);
        exchange_free(x);
    }
    client_close(c);
    if (c->loader->depth >= 4) {
        loader_sleep(c, now);
        return;
    }
    if (c->active_count > 0)
        client_open(c, now);
    loader_next_all(c, now);
}

/* What a read brought. False when the connection is no more. */
static bool take_bytes(struct client *c, size_t len)
{
    struct loader *w = c->loader;
    bool ok;

    w->h2_now_ns = clock_now_ns();
    if (!c->h2_heard && len >= 7 && memcmp(w->scratch, "HTTP/1.", 7) == 0) {
        fail_connection(c, FAIL_BAD_MESSAGE, 0, "the server answered in HTTP/1: it does not speak HTTP/2 here");
        return false;
    }
    c->h2_heard = true;
    c->in_events = true;
    ok = h2_client_feed(c->h2, w->scratch, len);
    c->in_events = false;
    if (was_closed(c))
        return false;
    if (!ok)
        fail_connection(c, FAIL_BAD_MESSAGE, 0, h2_client_reason(c->h2));
    return ok;
}

static void read_ended(struct client *c, enum io io)
{
    if (io == IO_FAILED && c->stream.tls_error[0] != '\0')
        fail_connection(c, FAIL_TLS, 0, c->stream.tls_error);
    else
        connection_ended(c, io == IO_FAILED ? c->stream.sys_error : c->write_error);
}

/* Writes what the reads gave cause for. False when this connection is over, be it that the next one is open already. */
static bool answer(struct client *c, unsigned *unanswered)
{
    const uint32_t number = c->connection_number;

    if (*unanswered > 0)
        http2_after_events(c, c->loader->h2_now_ns);
    *unanswered = 0;
    return c->h2 != NULL && c->state == CLIENT_STREAMS && c->connection_number == number;
}

void http2_events(struct client *c, unsigned events)
{
    unsigned unanswered = 0;

    if ((events & WATCH_WRITE) != 0 && !flush(c))
        return;
    if ((events & WATCH_READ) == 0)
        return;
    for (unsigned round = 0; round < ROUNDS_MAX || stream_has_pending(&c->stream); round++) {
        size_t moved;
        const enum io io = stream_read(&c->stream, c->loader->scratch, READ_BYTES, &moved);

        if (io == IO_WANT_READ || io == IO_WANT_WRITE)
            break;
        if (io != IO_OK) {
            if (answer(c, &unanswered))
                read_ended(c, io);
            return;
        }
        if (!take_bytes(c, moved))
            return;
        if (++unanswered == READS_PER_WRITE || !h2_client_is_alive(c->h2)) {
            if (!answer(c, &unanswered))
                return;
        }
    }
    (void)answer(c, &unanswered);
}
