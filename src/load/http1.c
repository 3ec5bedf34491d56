/* SPDX-License-Identifier: GPL-3.0-or-later */
/* HTTP/1: one request and its reply at a time on an open connection. */
#include "load/loader.h"

#include <errno.h>
#include <string.h>

#include "base/clock.h"

#define READ_BYTES (16u * 1024u)
/* Reads or writes before other connections get their turn: a fast peer can not keep the worker. */
#define ROUNDS_MAX 16

enum step {
    STEP_AGAIN, /* something moved: go on */
    STEP_WAIT,  /* nothing to do before the socket is ready */
    STEP_ENDED, /* the request has ended; the connection may be something else by now */
};

static struct slice request_of(const struct client *c)
{
    if (__builtin_expect(c->target->is_rendered, 0))
        return slice_from(c->exchanges->rendered, c->exchanges->rendered_len);
    return buf_slice(c->sending_close ? &c->target->close_request : &c->target->keep_request);
}

static enum io write_some(struct client *c, size_t *moved)
{
    const struct slice head = request_of(c);

    if (c->sent_bytes < head.len)
        return stream_write(&c->stream, head.ptr + c->sent_bytes, head.len - c->sent_bytes, moved);
    return body_write(&c->target->body, c->sent_bytes - head.len, &c->exchanges->body_piece, &c->stream,
                      &c->loader->body_way, moved);
}

static bool all_sent(const struct client *c)
{
    return c->sent_bytes == request_of(c).len + c->target->body.bytes;
}

static enum step read_reply(struct client *c);
static enum step stream_ended(struct client *c, enum io io, uint64_t now);

/* The peer takes no more: it may have answered before it stopped reading. */
static void write_failed(struct client *c, int sys)
{
    unsigned rounds = ROUNDS_MAX;
    enum step step;

    if (c->stream.tls_error[0] != '\0') { /* it said why */
        (void)stream_ended(c, IO_FAILED, clock_now_ns());
        return;
    }
    c->write_error = sys != 0 ? sys : EPIPE;
    c->state = CLIENT_READING;
    watch_change(c->watch, WATCH_READ);
    do
        step = read_reply(c);
    while (step == STEP_AGAIN && --rounds > 0);
}

static void body_file_ended(struct client *c, uint64_t now)
{
    const struct failure why = { .kind = FAIL_BODY, .note = "the body file became shorter while it was sent" };

    client_fail(c, &why, now);
}

/* So much more is out, in a write begun at `before`; false when there is nothing to write for now. */
static bool note_written(struct client *c, size_t moved, uint64_t before)
{
    struct exchange *x = c->exchanges;

    if (c->sent_bytes == 0)
        exchange_note_sent(x, before);
    c->sent_bytes += moved;
    if (!x->warm)
        c->tally->bytes_sent += moved;
    if (c->awaits_continue && c->sent_bytes == request_of(c).len) {
        c->state = CLIENT_READING;
        watch_change(c->watch, WATCH_READ);
        continue_add(c, clock_now_ns());
        return false;
    }
    if (!all_sent(c))
        return true;
    x->sent_last_ns = clock_now_ns();
    c->state = CLIENT_READING;
    watch_change(c->watch, WATCH_READ);
    return false;
}

static void continue_sending(struct client *c)
{
    for (unsigned round = 0; round < ROUNDS_MAX; round++) {
        const uint64_t before = clock_now_ns();
        size_t moved;
        const enum io io = write_some(c, &moved);

        if (io == IO_FAILED) {
            write_failed(c, c->stream.sys_error);
            return;
        }
        if (io == IO_EOF) {
            body_file_ended(c, before);
            return;
        }
        if (io != IO_OK)
            break;
        if (!note_written(c, moved, before))
            return;
    }
    watch_change(c->watch, WATCH_READ | WATCH_WRITE);
}

void http1_continue(struct client *c)
{
    continue_drop(c);
    c->exchanges->reply_first_ns = 0; /* 100 Continue is not the reply */
    c->state = CLIENT_SENDING;
    continue_sending(c);
}

static bool is_last_of_connection(const struct client *c)
{
    const uint64_t limit = c->target->manner.requests_per_connection;

    return limit > 0 && c->requests_on_connection + 1 >= limit;
}

enum io http1_send_early(struct client *c)
{
    struct slice head;

    c->sending_close = is_last_of_connection(c);
    c->early_ns = clock_now_ns();
    head = request_of(c);
    return stream_write(&c->stream, head.ptr, head.len, &c->early_bytes);
}

void http1_send(struct exchange *x, uint64_t now)
{
    struct client *c = x->client;
    const struct run *run = c->loader->run;
    const size_t early = c->early_bytes;

    x->reused = c->requests_on_connection > 0;
    c->sending_close = is_last_of_connection(c);
    c->early_bytes = 0;
    c->write_error = 0;
    c->sent_bytes = 0;
    x->body_piece = 0;
    c->awaits_continue = run->plan->expect_continue && c->target->body.bytes > 0;
    c->awaits_since_ns = 0;
    if (__builtin_expect(c->target->is_rendered, 0))
        exchange_render(x, c->sending_close);
    if (__builtin_expect(x->check != NULL, 0))
        check_begin(&c->target->check, x->check);
    c->keep_len = 0;
    reply_begin(&c->reply, c->target->is_head);
    c->state = CLIENT_SENDING;
    if (run->plan->on_seen != NULL)
        run->plan->on_seen(run->plan->arg, LOAD_SEEN_REQUEST, c->ordinal, request_of(c));
    if (early == 0 || note_written(c, early, c->early_ns))
        continue_sending(c);
    (void)now;
}

/* Keeps the beginning of a reply that goes on beyond this read, for examples and saved failures. */
static void keep_bytes(struct client *c, const char *bytes, size_t len)
{
    struct loader *w = c->loader;
    const size_t room = w->run->keep_max - c->keep_len;
    const size_t n = len < room ? len : room;

    if (n == 0)
        return;
    memcpy(w->keep + (size_t)c->index * w->run->keep_max + c->keep_len, bytes, n);
    c->keep_len += (uint32_t)n;
}

/* The part of a long body that has come, though too little to wake us. */
static void take_awaited(struct client *c)
{
    size_t moved;

    while (c->reply.body_left > 0 &&
           stream_discard(&c->stream, c->reply.body_left, c->loader->scratch, SCRATCH_BYTES, &moved) == IO_OK) {
        c->front->bytes_received += moved;
        (void)reply_body_moved(&c->reply, moved);
    }
}

/* What the parser knows of the reply, for the accounts. */
void http1_note_reply(struct client *c)
{
    struct exchange *x = c->front;

    if (__builtin_expect(stream_awaits(&c->stream) && http1_may_discard(c), 0))
        take_awaited(c);
    x->head_complete = c->reply.head_complete;
    x->status = c->reply.status;
    x->body_bytes = c->reply.body_bytes;
    x->interim = c->reply.interim;
    x->keep_alive = c->reply.keep_alive;
}

/* The request is over and the connection stays or goes; what comes next is the loader's business. */
static void end_request(struct client *c, bool reusable, uint64_t now)
{
    exchange_free(c->exchanges);
    if (c->awaits_continue)
        continue_drop(c);
    c->keep_len = 0;
    c->requests_on_connection++;
    c->loader->in_hand = (struct slice){ 0 };
    if (reusable)
        c->state = CLIENT_READY;
    else
        client_end(c, now);
    loader_next(c->exchanges, now);
}

/* Texts are made after the run. */
void http1_note_first(struct client *c)
{
    struct loader *w = c->loader;
    const char *kept = w->keep + (size_t)c->index * w->run->keep_max;
    size_t n = c->keep_len < sizeof(w->first_head) ? c->keep_len : sizeof(w->first_head);

    w->first.any = true;
    w->first.body_bytes = c->reply.body_bytes;
    if (n > 0)
        memcpy(w->first_head, kept, n);
    w->first_head_len = (uint32_t)n;
    n = sizeof(w->first_head) - n < w->in_hand.len ? sizeof(w->first_head) - n : w->in_hand.len;
    if (n > 0)
        memcpy(w->first_head + w->first_head_len, w->in_hand.ptr, n);
    w->first_head_len += (uint32_t)n;
}

static enum step fail(struct client *c, enum fail_kind kind, const char *note, uint64_t now)
{
    const struct failure why = { .kind = kind, .note = note };

    client_fail(c, &why, now);
    return STEP_ENDED;
}

static enum step reply_complete(struct client *c, uint64_t now)
{
    struct exchange *x = c->exchanges;
    const bool reusable = c->reply.keep_alive && !c->sending_close && c->write_error == 0 && all_sent(c);
    struct failure why;

    http1_note_reply(c);
    if (x->sent_last_ns == 0) {
        if (c->sent_bytes == 0)
            return fail(c, FAIL_BAD_MESSAGE, "a reply before the request", now);
        exchange_note_early(x, now);
    }
    if (__builtin_expect(!c->loader->first.any, 0))
        http1_note_first(c);
    if (exchange_is_ok(x, &why))
        account_ok(x, now);
    else
        account_failed(x, &why, now);
    end_request(c, reusable, now);
    return STEP_ENDED;
}

static enum step bytes_after_reply(struct client *c, uint64_t now)
{
    return fail(c, FAIL_BAD_MESSAGE, "bytes after the end of the reply", now);
}

static void show_head(struct client *c, size_t consumed_before)
{
    const struct load_plan *plan = c->loader->run->plan;
    const char *kept = c->loader->keep + (size_t)c->index * c->loader->run->keep_max;

    if (c->keep_len >= c->reply.head_bytes && consumed_before < c->reply.head_bytes)
        plan->on_seen(plan->arg, LOAD_SEEN_HEAD, c->ordinal, slice_from(kept, c->reply.head_bytes));
}

/* For ab's verbosity alone: everything is kept and shown as it comes. */
static void show(struct client *c, const char *bytes, size_t len, bool head_was_complete, size_t kept_before)
{
    const struct load_plan *plan = c->loader->run->plan;
    size_t from = 0;

    keep_bytes(c, bytes, len);
    if (!c->reply.head_complete)
        return;
    if (!head_was_complete) {
        show_head(c, kept_before);
        from = c->reply.head_bytes - (kept_before < c->reply.head_bytes ? kept_before : c->reply.head_bytes);
    }
    if (from < len && !c->reply.chunked)
        plan->on_seen(plan->arg, LOAD_SEEN_BODY, c->ordinal, slice_from(bytes + from, len - from));
}

/* Content of a body, for the check. */
static void check_content(struct client *c, const char *bytes, size_t len)
{
    if (__builtin_expect(c->target->check.looks_at_body, 0))
        check_take_body(&c->target->check, c->front->check, slice_from(bytes, len));
}

void http1_on_body(void *arg, struct slice bytes)
{
    check_content(arg, bytes.ptr, bytes.len);
}

static void use_head(struct client *c, struct slice head)
{
    if (c->target->check.looks_at_fields)
        check_take_head(&c->target->check, c->front->check, head);
    if (c->cookies != NULL)
        cookies_take_head(c->cookies, &c->target->url, head);
}

/* The head has just become complete: who looks at it wants it in one piece. True when the bytes were kept for that. */
static bool head_arrived(struct client *c, const char *bytes, size_t len)
{
    const char *kept = c->loader->keep + (size_t)c->index * c->loader->run->keep_max;

    if (c->keep_len == 0) {
        use_head(c, slice_from(bytes, len));
        return false;
    }
    keep_bytes(c, bytes, len);
    use_head(c, slice_from(kept, c->keep_len));
    return true;
}

__attribute__((always_inline)) static inline enum reply_state take(struct client *c, const char *bytes, size_t len,
                                                                   size_t *consumed, uint64_t now)
{
    struct loader *w = c->loader;
    const bool shown = w->run->plan->on_seen != NULL;
    bool is_kept = shown;
    const bool head_was_complete = c->reply.head_complete;
    const size_t kept_before = c->keep_len;
    struct exchange *x = c->front;
    enum reply_state state;

    *consumed = 0;
    if (x->reply_first_ns == 0)
        x->reply_first_ns = now;
    x->bytes_received += len;
    w->in_hand = slice_from(bytes, len);
    if (head_was_complete && c->reply.body_left > 0) { /* a known-length body that is looked at */
        *consumed = len < c->reply.body_left ? len : (size_t)c->reply.body_left;
        check_content(c, bytes, *consumed);
        state = reply_body_moved(&c->reply, *consumed);
    } else {
        state = reply_feed(&c->reply, bytes, len, consumed);
        if (state == REPLY_BODY && *consumed < len) {
            const size_t rest = len - *consumed;
            const size_t n = rest < c->reply.body_left ? rest : (size_t)c->reply.body_left;

            check_content(c, bytes + *consumed, n);
            *consumed += n;
            state = reply_body_moved(&c->reply, n);
        }
    }
    if (__builtin_expect(shown, 0)) {
        show(c, bytes, *consumed, head_was_complete, kept_before);
        w->in_hand = (struct slice){ 0 }; /* kept already */
    }
    if (__builtin_expect(c->target->check.looks_at_fields || c->cookies != NULL, 0) && !head_was_complete &&
        c->reply.head_complete && head_arrived(c, bytes, *consumed)) {
        is_kept = true;
        w->in_hand = (struct slice){ 0 };
    }
    if (state == REPLY_MORE || state == REPLY_BODY) {
        if (!is_kept)
            keep_bytes(c, bytes, len);
        w->in_hand = (struct slice){ 0 };
    }
    return state;
}

enum reply_state http1_take(struct client *c, const char *bytes, size_t len, size_t *consumed, uint64_t now)
{
    return take(c, bytes, len, consumed, now);
}

static enum step take_bytes(struct client *c, const char *bytes, size_t len, uint64_t now)
{
    size_t consumed;

    switch (take(c, bytes, len, &consumed, now)) {
    case REPLY_DONE:
        if (consumed < len)
            return bytes_after_reply(c, now);
        return reply_complete(c, now);
    case REPLY_MORE:
    case REPLY_BODY:
        if (__builtin_expect(c->awaits_continue, 0) && c->reply.interim > 0 && !c->reply.head_complete) {
            http1_continue(c);
            return STEP_ENDED;
        }
        return STEP_AGAIN;
    case REPLY_BAD:
        return fail(c, FAIL_BAD_MESSAGE, reply_reason(&c->reply), now);
    case REPLY_HEAD_TOO_LARGE:
        return fail(c, FAIL_HEADER_TOO_LARGE, "", now);
    }
    BUG("reply state of %zu bytes", len);
}

/* Sends the request once more on a fresh connection, when that can do no harm. */
static bool retry(struct client *c, uint64_t now)
{
    struct loader *w = c->loader;
    const struct load_plan *plan = w->run->plan;

    struct exchange *x = c->exchanges;

    if (c->requests_on_connection == 0 || x->retried || plan->no_retry || !c->target->is_idempotent ||
        x->bytes_received > 0 || w->stage == STAGE_OVER)
        return false;
    x->retried = true;
    client_close(c);
    client_open(c, now);
    return true;
}

/* The connection ended under a request: by FIN (sys 0) or by an error. */
static enum step connection_ended(struct client *c, int sys, uint64_t now)
{
    struct failure why = { .kind = FAIL_TRUNCATED, .sys = sys, .note = "" };

    if (sys == 0 && c->write_error == 0 && reply_end_of_stream(&c->reply) == REPLY_DONE)
        return reply_complete(c, now);
    if (retry(c, now))
        return STEP_ENDED;
    if (c->exchanges->bytes_received == 0) {
        why.kind = sys == 0 && c->write_error == 0 ? FAIL_CLOSED_EARLY : FAIL_RESET;
        if (sys == 0 && c->write_error != 0)
            why.sys = c->write_error;
    }
    client_fail(c, &why, now);
    return STEP_ENDED;
}

static enum step stream_ended(struct client *c, enum io io, uint64_t now)
{
    char note[FAILURE_NOTE_MAX];
    struct failure why = { .kind = FAIL_TLS, .note = note };

    if (io == IO_EOF)
        return connection_ended(c, 0, now);
    if (c->stream.tls_error[0] == '\0')
        return connection_ended(c, c->stream.sys_error, now);
    snprintf(note, sizeof(note), "%s", c->stream.tls_error); /* TLS 1.3: an alert after the handshake */
    client_fail(c, &why, now);
    return STEP_ENDED;
}

/* A body of known length that nobody looks at never leaves the kernel. */
bool http1_may_discard(const struct client *c)
{
    const struct run *run = c->loader->run;

    return c->reply.head_complete && c->reply.body_left > 0 && run->plan->on_seen == NULL &&
           !c->target->check.looks_at_body && (run->plan->save_failures_dir == NULL || c->keep_len == run->keep_max);
}

static enum step discard_body(struct client *c)
{
    struct loader *w = c->loader;
    size_t moved;
    const enum io io = stream_discard(&c->stream, c->reply.body_left, w->scratch, SCRATCH_BYTES, &moved);
    const uint64_t now = clock_now_ns();

    if (io == IO_WANT_READ || io == IO_WANT_WRITE) {
        stream_await(&c->stream, c->reply.body_left);
        return STEP_WAIT;
    }
    if (io != IO_OK)
        return stream_ended(c, io, now);
    c->exchanges->bytes_received += moved;
    if (reply_body_moved(&c->reply, moved) != REPLY_DONE)
        return STEP_AGAIN;
    stream_await(&c->stream, 0);
    return reply_complete(c, now);
}

static enum step read_reply(struct client *c)
{
    struct loader *w = c->loader;
    size_t room = READ_BYTES, moved;
    uint64_t now;
    enum step step;
    enum io io;

    if (http1_may_discard(c))
        return discard_body(c);
    if (c->reply.head_complete && c->reply.body_left > 0 && c->reply.body_left < room)
        room = (size_t)c->reply.body_left;
    io = stream_read(&c->stream, w->scratch, room, &moved);
    now = clock_now_ns();
    if (io == IO_WANT_READ || io == IO_WANT_WRITE)
        return STEP_WAIT;
    if (io != IO_OK)
        return stream_ended(c, io, now);
    step = take_bytes(c, w->scratch, moved, now);
    if (step == STEP_AGAIN && moved < room && !stream_has_pending(&c->stream))
        return STEP_WAIT; /* the socket is empty: do not ask it again */
    return step;
}

void http1_events(struct client *c, unsigned events)
{
    if (c->state == CLIENT_SENDING && (events & WATCH_WRITE) != 0) {
        continue_sending(c);
        if (c->state != CLIENT_SENDING)
            return; /* readiness is level-triggered: a reply that is there comes with the next turn */
    }
    if ((events & WATCH_READ) == 0)
        return;
    for (unsigned round = 0; round < ROUNDS_MAX || stream_has_pending(&c->stream); round++)
        if (read_reply(c) != STEP_AGAIN)
            return;
}
