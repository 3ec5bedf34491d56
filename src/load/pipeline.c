/* SPDX-License-Identifier: GPL-3.0-or-later */
/* HTTP/1.1 with several requests in flight on a connection (RFC 9112, 9.3.2): a queue of requests in the order of their
 * writing, whose front is the one that the next reply belongs to. A request takes its place in the queue when it is
 * handed to the connection; written ones stand before those that are not. */
#include "load/pipeline_write.h"

#include <errno.h>
#include <string.h>

#include "base/clock.h"

/* Reads or writes before other connections get their turn. */
#define ROUNDS_MAX 16

static const char BEHIND[] = "behind a reply that ended the connection (pipelined)";

/* Why a connection is gone, for the requests that were on it. */
enum loss {
    LOSS_TOLD, /* the last reply said so: what is behind it was not and will not be looked at (RFC 9112, 9.6) */
    LOSS_PEER, /* the peer ended it without a word */
    LOSS_OURS, /* we gave it up */
};

/* --- the queue --------------------------------------------------------------------------------------------------- */

void pipeline_open(struct client *c)
{
    c->front = c->back = c->writing = NULL;
    c->queued_count = 0;
    c->queued_on_connection = 0;
    c->write_error = 0;
    c->keep_len = 0;
    c->in_events = false;
}

static struct exchange *queue_pop(struct client *c)
{
    struct exchange *x = c->front;

    c->front = x->next_queued;
    if (c->writing == x)
        c->writing = c->front;
    if (c->front == NULL)
        c->back = NULL;
    x->is_queued = false;
    c->queued_count--;
    return x;
}

void pipeline_close(struct client *c)
{
    while (c->front != NULL)
        (void)queue_pop(c);
    c->queued_on_connection = 0;
}

static void begin_reply(struct client *c)
{
    reply_begin(&c->reply, c->target->is_head);
    c->keep_len = 0;
}

static void queue_push(struct client *c, struct exchange *x)
{
    x->is_queued = true;
    x->next_queued = NULL;
    if (c->front == NULL) {
        c->front = x;
        begin_reply(c);
    } else {
        c->back->next_queued = x;
    }
    c->back = x;
    if (c->writing == NULL)
        c->writing = x;
    c->queued_count++;
    c->queued_on_connection++;
}

static bool takes_another(const struct client *c)
{
    const uint64_t limit = c->target->manner.requests_per_connection;

    return c->write_error == 0 && (limit == 0 || c->queued_on_connection < limit) &&
           (!c->goes_alone || c->queued_on_connection == 0);
}

static void enqueue(struct exchange *x)
{
    struct client *c = x->client;
    const uint64_t limit = c->target->manner.requests_per_connection;

    x->sent_last_ns = 0; /* of an earlier try */
    x->body_sent = 0;
    x->body_piece = 0;
    x->reused = c->queued_on_connection > 0;
    x->closes = limit > 0 && c->queued_on_connection + 1 >= limit;
    if (c->target->is_rendered)
        exchange_render(x, x->closes);
    if (x->check != NULL)
        check_begin(&c->target->check, x->check);
    queue_push(c, x);
}

/* --- the end of a connection ------------------------------------------------------------------------------------- */

/* Whether a request that was on the connection goes out once more. */
static bool goes_again(struct exchange *x, enum loss loss)
{
    const struct client *c = x->client;
    const bool may = !c->loader->run->plan->no_retry;

    if (x->body_sent == 0)
        return true; /* nothing of it was out */
    switch (loss) {
    case LOSS_TOLD:
        x->unseen = may; /* nobody looked at it: that is no retry, and no danger */
        return may;
    case LOSS_PEER:
        if (!may || x->retried || !c->target->is_idempotent || c->requests_on_connection == 0 || x->bytes_received > 0)
            return false;
        x->retried = true;
        return true;
    case LOSS_OURS:
        return false;
    }
    return false;
}

static void fail_one(struct exchange *x, const struct failure *why, uint64_t now)
{
    struct client *c = x->client;

    account_failed(x, why, now);
    exchange_free(x);
    c->keep_len = 0;
    c->loader->in_hand = (struct slice){ 0 };
}

/* What fails though nothing is known of it but that it stood in line. */
static struct failure behind_failure(const struct exchange *x, uint64_t now)
{
    const uint64_t limit = x->client->loader->run->plan->timeout_ns;

    if (x->taken_ns + limit <= now)
        return (struct failure){ .kind = FAIL_TIMEOUT, .note = "no reply" };
    return (struct failure){ .kind = FAIL_CLOSED_EARLY, .note = BEHIND };
}

/* The queue is emptied: each request goes again, or fails; the front, when given a reason, by that. */
static void empty_queue(struct client *c, enum loss loss, const struct failure *why, uint64_t now)
{
    const struct exchange *front = c->front;

    while (c->front != NULL) {
        struct exchange *x = c->front;
        struct failure behind;

        if (x == front && why != NULL && (loss == LOSS_OURS || !goes_again(x, loss))) {
            http1_note_reply(c);
            (void)queue_pop(c);
            fail_one(x, why, now);
            continue;
        }
        (void)queue_pop(c);
        if (x == front && why != NULL)
            continue;
        behind = behind_failure(x, now);
        if (!goes_again(x, loss))
            fail_one(x, loss == LOSS_PEER && why != NULL && why->kind == FAIL_RESET ? why : &behind, now);
    }
}

/* The next connection is opened for what waits. */
static void open_again(struct client *c, uint64_t now)
{
    struct loader *w = c->loader;

    if (w->stage == STAGE_OVER)
        return;
    if (w->depth >= 4) { /* a peer that ends each connection at once must not make us recurse */
        loader_sleep(c, now);
        loader_check_over(w, now);
        return;
    }
    if (c->active_count > 0)
        client_open(c, now);
    w->depth++;
    loader_next_all(c, now);
    w->depth--;
    loader_check_over(w, now);
}

static void give_up(struct client *c, const struct failure *why, uint64_t now)
{
    empty_queue(c, LOSS_OURS, why, now);
    client_close(c);
    open_again(c, now);
}

/* The peer has ended the connection, by FIN (sys 0) or by an error. */
static void lost(struct client *c, int sys, uint64_t now)
{
    const int error = sys != 0 ? sys : c->write_error;
    struct failure why = { .kind = error != 0 ? FAIL_RESET : FAIL_CLOSED_EARLY, .sys = error, .note = "" };

    if (c->front != NULL && c->front->bytes_received > 0) {
        why.kind = FAIL_TRUNCATED;
        why.sys = sys;
    }
    c->goes_alone = c->goes_alone || c->queued_count > 0;
    empty_queue(c, LOSS_PEER, &why, now);
    client_close(c);
    open_again(c, now);
}

/* After a reply that is the last of its connection. */
static void ended(struct client *c, uint64_t now)
{
    empty_queue(c, LOSS_TOLD, NULL, now);
    client_end(c, now);
    open_again(c, now);
}

/* --- writing ----------------------------------------------------------------------------------------------------- */

/* Writes what is queued, or until the socket is full. False when the connection is no more. */
static bool flush(struct client *c)
{
    for (unsigned round = 0; round < ROUNDS_MAX; round++) {
        const struct failure shorter = { .kind = FAIL_BODY, .note = "the body file became shorter while it was sent" };
        const uint64_t before = clock_now_ns();
        size_t moved;
        enum io io;

        if (c->writing == NULL || c->write_error != 0) {
            watch_change(c->watch, WATCH_READ);
            return true;
        }
        io = pipeline_write_some(c, &moved);
        if (io == IO_FAILED) { /* the peer may have answered before it stopped reading: that comes with a read */
            c->write_error = c->stream.sys_error != 0 ? c->stream.sys_error : EPIPE;
            continue;
        }
        if (io == IO_EOF) {
            give_up(c, &shorter, before);
            return false;
        }
        if (io != IO_OK)
            break;
        pipeline_note_written(c, moved, before, clock_now_ns());
    }
    watch_change(c->watch, WATCH_READ | WATCH_WRITE);
    return true;
}

void pipeline_send(struct exchange *x, uint64_t now)
{
    struct client *c = x->client;

    (void)now;
    if (takes_another(c))
        enqueue(x); /* else it waits for the next connection, or the first reply of this one */
    if (!c->in_events)
        (void)flush(c);
}

bool pipeline_after_events(struct client *c, uint64_t now)
{
    struct loader *w = c->loader;

    for (uint32_t i = 0; i < c->exchange_count && c->queued_count < c->active_count && takes_another(c); i++)
        if (c->exchanges[i].active && !c->exchanges[i].is_queued)
            enqueue(&c->exchanges[i]);
    if (c->active_count == 0 && !w->is_open && c->index >= w->active) { /* beyond those that are active now */
        client_end(c, now);
        return false;
    }
    return flush(c);
}

/* --- reading ----------------------------------------------------------------------------------------------------- */

/* The front's reply is whole; false when the connection is no more. */
static bool reply_complete(struct client *c, uint64_t now)
{
    struct exchange *x = c->front;
    const bool reusable = c->reply.keep_alive && !x->closes &&
                          pipeline_is_all_sent(x); /* after a write_error reads tell */
    struct failure why;

    http1_note_reply(c);
    if (x->sent_last_ns == 0)
        exchange_note_early(x, now);
    if (!c->loader->first.any)
        http1_note_first(c);
    if (exchange_is_ok(x, &why))
        account_ok(x, now);
    else
        account_failed(x, &why, now);
    (void)queue_pop(c);
    c->requests_on_connection++;
    c->goes_alone = false;
    c->loader->in_hand = (struct slice){ 0 };
    exchange_free(x);
    if (!reusable) {
        ended(c, now);
        return false;
    }
    if (c->front != NULL)
        begin_reply(c);
    loader_next(x, now);
    return c->state == CLIENT_PIPELINE;
}

static bool bad_message(struct client *c, enum fail_kind kind, const char *note, uint64_t now)
{
    const struct failure why = { .kind = kind, .note = note };

    give_up(c, &why, now);
    return false;
}

/* Bytes beyond a reply must be of a request that was sent. */
static bool may_follow(const struct exchange *x)
{
    return x->next_queued != NULL && x->next_queued->body_sent > 0;
}

/* The first of the bytes, as far as they belong to one reply; false when the connection is no more. */
static bool take_one(struct client *c, const char *bytes, size_t len, size_t *consumed, uint64_t now)
{
    struct loader *w = c->loader;
    struct exchange *x = c->front;
    const enum reply_state state = http1_take(c, bytes, len, consumed, now);

    switch (state) {
    case REPLY_DONE:
        if (*consumed < len && !may_follow(x))
            return bad_message(c, FAIL_BAD_MESSAGE, "bytes after the end of the reply", now);
        x->bytes_received -= len - *consumed;
        if (w->in_hand.len > *consumed)
            w->in_hand.len = *consumed;
        return reply_complete(c, now);
    case REPLY_MORE:
    case REPLY_BODY:
        return true;
    case REPLY_BAD:
        return bad_message(c, FAIL_BAD_MESSAGE, reply_reason(&c->reply), now);
    case REPLY_HEAD_TOO_LARGE:
        return bad_message(c, FAIL_HEADER_TOO_LARGE, "", now);
    }
    BUG("reply state %d", (int)state);
}

/* Replies one after the other; false when the connection is no more. */
static bool take_all(struct client *c, const char *bytes, size_t len, uint64_t now)
{
    bool alive = true;

    c->in_events = true;
    while (alive && len > 0) {
        size_t consumed;

        if (c->front == NULL || c->front->body_sent == 0) { /* the peer speaks out of turn */
            lost(c, 0, now);
            alive = false;
            break;
        }
        alive = take_one(c, bytes, len, &consumed, now);
        bytes += consumed;
        len -= consumed;
    }
    c->in_events = false;
    return alive;
}

static bool discarded(struct client *c, size_t moved, uint64_t now)
{
    bool alive = true;

    c->front->bytes_received += moved;
    c->in_events = true;
    if (reply_body_moved(&c->reply, moved) == REPLY_DONE) {
        stream_await(&c->stream, 0);
        alive = reply_complete(c, now);
    }
    c->in_events = false;
    return alive;
}

static void stream_ended(struct client *c, enum io io, uint64_t now)
{
    char note[FAILURE_NOTE_MAX];
    const struct failure why = { .kind = FAIL_TLS, .note = note };

    if (io == IO_FAILED && c->stream.tls_error[0] != '\0') {
        snprintf(note, sizeof(note), "%s", c->stream.tls_error); /* the stream is closed below */
        give_up(c, &why, now);
    } else if (io == IO_EOF && c->front != NULL && c->write_error == 0 && c->reply.started &&
               reply_end_of_stream(&c->reply) == REPLY_DONE) {
        c->reply.keep_alive = false;
        (void)reply_complete(c, now);
    } else {
        lost(c, io == IO_EOF ? 0 : c->stream.sys_error, now);
    }
}

void pipeline_events(struct client *c, unsigned events)
{
    struct loader *w = c->loader;

    if ((events & WATCH_WRITE) != 0 && !flush(c))
        return;
    if ((events & WATCH_READ) == 0)
        return;
    for (unsigned round = 0; round < ROUNDS_MAX || stream_has_pending(&c->stream); round++) {
        const bool discards = c->front != NULL && http1_may_discard(c);
        size_t moved;
        const enum io io = discards ? stream_discard(&c->stream, c->reply.body_left, w->scratch, SCRATCH_BYTES, &moved)
                                    : stream_read(&c->stream, w->scratch, SCRATCH_BYTES, &moved);
        const uint64_t now = clock_now_ns();

        if (io == IO_WANT_READ || io == IO_WANT_WRITE) {
            if (discards)
                stream_await(&c->stream, c->reply.body_left);
            return;
        }
        if (io != IO_OK) {
            stream_ended(c, io, now);
            return;
        }
        if (!(discards ? discarded(c, moved, now) : take_all(c, w->scratch, moved, now)) ||
            !pipeline_after_events(c, now))
            return;
        if (!discards && moved < SCRATCH_BYTES && !stream_has_pending(&c->stream))
            return;
    }
}

void pipeline_time_out(struct exchange *x, uint64_t now)
{
    struct client *c = x->client;
    const bool is_front = x == c->front;
    const struct failure why = { .kind = FAIL_TIMEOUT,
                                 .note = !x->is_queued              ? "no place in the pipeline"
                                         : !pipeline_is_all_sent(x) ? "while sending"
                                         : x->reply_first_ns != 0   ? "in the middle of the reply"
                                                                    : "no reply" };

    if (is_front) {
        give_up(c, &why, now);
        return;
    }
    if (!x->is_queued) {
        fail_one(x, &why, now);
        loader_next(x, now);
        return;
    }
    give_up(c, NULL, now); /* those whose time is up say so */
}
