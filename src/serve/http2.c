/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "serve/http2_internal.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "serve/dispatch.h"
#include "serve/status.h"
#include "serve/worker.h"

enum {
    OUT_FLUSH_BYTES = 32 * 1024,     /* gathered before it is written */
    OUT_MAX_BYTES = 4 * 1024 * 1024, /* of one event, before other connections have their turn */
    READS_MAX = 16,
    DROPPED_MAX_BYTES = 64 * 1024 * 1024, /* of a request's body behind its answer */
    NUMBER_BYTES = 24,
    HELD_MAX_BYTES = 4 * 1024 * 1024, /* more than the window of a stream */
};

static void go_on(struct stream2 *s);

static struct stream2 *stream_of(struct exchange *x)
{
    return (struct stream2 *)(void *)x;
}

/* ---- What a handler asks for ---- */

static void run_again(struct conn *c)
{
    if (conn_enter(c)) {
        http2_run(c);
        conn_leave(c);
    }
}

static struct slice number_text(char out[NUMBER_BYTES], uint64_t n)
{
    size_t at = NUMBER_BYTES;

    do {
        out[--at] = (char)('0' + n % 10);
        n /= 10;
    } while (n > 0);
    return slice_from(out + at, NUMBER_BYTES - at);
}

static void submit(struct stream2 *s, const struct answer *a)
{
    struct h2_field fields[H2_FIELDS_MAX];
    char length_text[NUMBER_BYTES];
    const struct worker *w = s->conn->worker;
    uint64_t length = http2_content_length(a);
    bool empty = s->head.method == REQUEST_HEAD || status_has_no_content(a->status) || a->body == BODY_NONE ||
                 length == 0;
    size_t n = 0;

    fields[n++] = (struct h2_field){ SLICE("server"), SLICE("plimsoll/" PLIMSOLL_VERSION) };
    fields[n++] = (struct h2_field){ SLICE("date"),
                                     { w->date + 6, w->date_len - 8 } }; /* without "Date: " and the line break */
    if (a->type.len > 0) {
        fields[n++] = (struct h2_field){ SLICE("content-type"), a->type };
    }
    if (length != LENGTH_UNKNOWN && !status_has_no_content(a->status)) {
        fields[n++] = (struct h2_field){ SLICE("content-length"), number_text(length_text, length) };
    }
    for (size_t i = 0; i < a->field_count && n < H2_FIELDS_MAX; i++) {
        fields[n++] = (struct h2_field){ a->fields[i].name, a->fields[i].value };
    }
    if (!http2_content_begin(s, a) || !h2_server_answer(s->conn->http2->h2, s->id, a->status, fields, n, !empty)) {
        h2_server_reset(s->conn->http2->h2, s->id);
    }
    s->content_bytes = empty || length == LENGTH_UNKNOWN ? 0 : length;
}

static void http2_answer(struct exchange *x, const struct answer *a)
{
    struct stream2 *s = stream_of(x);
    struct conn *c = s->conn;
    bool entered = conn_enter(c);

    count_add(&c->worker->counts.replies, 1);
    submit(s, a);
    if (entered) {
        http2_run(c);
        conn_leave(c);
    }
}

static void http2_resume(struct exchange *x)
{
    struct stream2 *s = stream_of(x);
    struct conn *c = s->conn;

    s->source.starved = false;
    if (s->started) {
        h2_server_resume(c->http2->h2, s->id);
    }
    if (conn_enter(c)) {
        if (!s->started) {
            go_on(s);
        }
        http2_run(c);
        conn_leave(c);
    }
}

static void http2_abort(struct exchange *x)
{
    struct stream2 *s = stream_of(x);

    h2_server_reset(s->conn->http2->h2, s->id);
    run_again(s->conn);
}

static void http2_read_more(struct exchange *x)
{
    struct stream2 *s = stream_of(x);

    h2_server_consumed(s->conn->http2->h2, s->id, s->unconsumed);
    s->unconsumed = 0;
    run_again(s->conn);
}

static const struct exchange_protocol HTTP2 = {
    .answer = http2_answer,
    .resume = http2_resume,
    .abort = http2_abort,
    .read_more = http2_read_more,
};

/* ---- Streams ---- */

static void stream_free(struct stream2 *s)
{
    struct worker *w = s->x.worker;

    free(s->head_bytes);
    free(s->filled);
    buf_release(&s->held);
    free(s);
    worker_conn_forgotten(w);
}

static void timer_closed(struct timer *t)
{
    stream_free(stream_of(t->arg));
}

static void stream_end(struct stream2 *s, bool complete)
{
    struct http2 *h = s->conn->http2;

    deadline_end(&s->deadline);
    if (s->prev != NULL) {
        s->prev->next = s->next;
    } else {
        h->streams = s->next;
    }
    if (s->next != NULL) {
        s->next->prev = s->prev;
    }
    dispatch_record(&s->x, s->conn->stream.fd, s->begin_ns, s->content_bytes, complete && exchange_is_answered(&s->x));
    dispatch_detach(&s->x);
    if (s->x._has_timer) {
        timer_close(&s->x._timer, timer_closed);
    } else {
        stream_free(s);
    }
}

static struct stream2 *stream_new(struct conn *c, int32_t id, const struct request_head *head, struct slice bytes)
{
    struct stream2 *s = calloc(1, sizeof(*s));

    if (s == NULL || (s->head_bytes = malloc(bytes.len + 1)) == NULL) {
        free(s);
        return NULL;
    }
    if (bytes.len > 0) {
        memcpy(s->head_bytes, bytes.ptr, bytes.len);
    }
    s->head = *head;
    request_head_moved(&s->head, bytes.ptr, s->head_bytes);
    s->conn = c;
    s->id = id;
    buf_init(&s->held, HELD_MAX_BYTES);
    s->begin_ns = c->worker->now_ns;
    s->x.head = &s->head;
    s->x.worker = c->worker;
    s->x.secure = stream_is_tls(&c->stream);
    s->x._protocol = &HTTP2;
    s->next = c->http2->streams;
    if (s->next != NULL) {
        s->next->prev = s;
    }
    c->http2->streams = s;
    c->worker->living++;
    return s;
}

static void take_data(struct stream2 *s, struct slice bytes)
{
    if (exchange_is_answered(&s->x)) { /* some clients take a reset for a failure, so a while of it is dropped first */
        s->dropped += bytes.len;
        if (s->dropped > DROPPED_MAX_BYTES) {
            h2_server_end_request(s->conn->http2->h2, s->id);
        }
        return;
    }
    if (s->received > s->x.worker->config->body_max_bytes) {
        dispatch_detach(&s->x);
        s->started = true;
        exchange_fail(&s->x, 413, "The body is too large.");
    } else if (s->x.on_body != NULL) {
        s->x.on_body(&s->x, bytes);
    }
}

/* For its turn, with content that must not get lost. */
static bool is_waiting(const struct stream2 *s)
{
    return !s->started && dispatch_reads_body(&s->x);
}

static void take_held(struct stream2 *s)
{
    if (!buf_ok(&s->held)) {
        h2_server_reset(s->conn->http2->h2, s->id);
    } else if (s->held.len > 0) {
        take_data(s, buf_slice(&s->held));
        if (!s->x.body_paused) {
            h2_server_consumed(s->conn->http2->h2, s->id, s->unconsumed);
            s->unconsumed = 0;
        }
    }
    buf_release(&s->held);
}

/* Starts the handler when it is time, and tells it the end of the body. */
static void go_on(struct stream2 *s)
{
    if (!s->started && (s->body_done || dispatch_reads_body(&s->x))) {
        s->started = dispatch_start(&s->x);
        if (!s->started) {
            return; /* others come first */
        }
        take_held(s);
    }
    if (s->body_done && !s->told_end) {
        s->told_end = true;
        if (s->x.on_body_end != NULL && !exchange_is_answered(&s->x)) {
            s->x.on_body_end(&s->x);
        }
    }
}

static void *on_request(void *connection, int32_t id, const struct request_head *head, struct slice bytes,
                        bool has_body)
{
    struct conn *c = connection;
    struct stream2 *s = c->http2->stopping ? NULL : stream_new(c, id, head, bytes);

    if (s == NULL) {
        return NULL;
    }
    count_add(&c->worker->counts.requests, 1);
    c->asked = true;
    s->x.has_body = has_body;
    s->body_done = !has_body;
    if (head->refused != 0) {
        s->started = true;
        exchange_fail(&s->x, head->refused, "%s", head->reason);
    } else if (head->content_length > c->worker->config->body_max_bytes) {
        s->started = true;
        exchange_fail(&s->x, 413, "The body is too large.");
    } else if (!dispatch_route(&s->x)) {
        s->started = true;
    } else if (has_body) {
        go_on(s);
    }
    return s; /* without a body on_data_end() follows at once */
}

static void on_data(void *stream, struct slice bytes)
{
    struct stream2 *s = stream;

    s->received += bytes.len;
    s->body_bytes += bytes.len;
    if (is_waiting(s)) {
        buf_add_slice(&s->held, bytes); /* the window bounds it: nothing is given back meanwhile */
    } else {
        take_data(s, bytes);
    }
    if (s->x.body_paused && !exchange_is_answered(&s->x)) {
        s->unconsumed += bytes.len;
    } else {
        h2_server_consumed(s->conn->http2->h2, s->id, bytes.len);
    }
}

static void on_data_end(void *stream)
{
    struct stream2 *s = stream;

    s->body_done = true;
    if (!exchange_is_answered(&s->x)) {
        go_on(s);
    }
}

static void on_closed(void *stream, bool complete)
{
    stream_end(stream, complete);
}

static const struct h2_server_events EVENTS = {
    .on_request = on_request,
    .on_data = on_data,
    .on_data_end = on_data_end,
    .read_body = http2_content_read,
    .on_closed = on_closed,
};

/* ---- The connection ---- */

bool http2_start(struct conn *c)
{
    struct http2 *h = calloc(1, sizeof(*h));

    if (h == NULL || h2_server_new(&h->h2, &EVENTS, c, c->worker->config->head_max_bytes, NULL) != 0) {
        free(h);
        return false;
    }
    c->http2 = h;
    return true;
}

void http2_end(struct conn *c)
{
    struct http2 *h = c->http2;

    if (h == NULL) {
        return;
    }
    while (h->streams != NULL) {
        stream_end(h->streams, false);
    }
    h2_server_free(h->h2);
    free(h);
    c->http2 = NULL;
}

static void feed(struct conn *c)
{
    struct http2 *h = c->http2;

    if (c->in.start < c->in.end && !h->over &&
        !h2_server_feed(h->h2, c->in.bytes + c->in.start, c->in.end - c->in.start)) {
        h->over = true; /* GOAWAY says why */
    }
    c->in.start = c->in.end;
}

/* Moves what there is to say into `out` and on. CONN_WAIT: the socket takes no more now. */
static enum conn_io say(struct conn *c)
{
    size_t said = 0;

    for (;;) {
        struct slice bytes;
        if (c->out.end - c->out.start >= OUT_FLUSH_BYTES) {
            enum conn_io io = conn_flush(c);
            if (io != CONN_MOVED) {
                return io;
            }
        }
        if (said > OUT_MAX_BYTES) {
            c->blocked = true; /* the socket is writable: the loop comes back after the others */
            return CONN_WAIT;
        }
        if (!h2_server_output(c->http2->h2, &bytes)) {
            c->http2->over = true;
            return conn_flush(c);
        }
        if (bytes.len == 0) {
            return conn_flush(c);
        }
        char *room = conn_room(c, bytes.len);
        if (room == NULL) {
            return CONN_BROKEN;
        }
        memcpy(room, bytes.ptr, bytes.len);
        c->out.end += bytes.len;
        said += bytes.len;
    }
}

static bool waits_for_body(const struct stream2 *s)
{
    bool answered = exchange_is_answered(&s->x), sends = answered && http2_content_is_left(s);

    return !sends && !s->body_done && (answered || !s->x.body_paused);
}

/* Each body has its own time, which begins anew with its own bytes alone: no busy stream saves a trickled one. Time in
 * which nothing is read does not count. */
static void time_bodies(struct conn *c, bool reads)
{
    for (struct stream2 *s = c->http2->streams; s != NULL; s = s->next) {
        if (!reads || !waits_for_body(s)) {
            deadline_end(&s->deadline);
        } else if (deadline_kind(&s->deadline) == DEADLINE_NONE || s->body_bytes >= c->worker->body_quota_bytes) {
            s->body_bytes = 0;
            worker_deadline(c->worker, &s->deadline, DEADLINE_STREAM);
        }
    }
}

static struct stream2 *stream_by_id(const struct http2 *h, int32_t id)
{
    struct stream2 *s = h->streams;

    while (s != NULL && s->id != id) {
        s = s->next;
    }
    return s;
}

void http2_body_expired(struct deadline *d)
{
    struct stream2 *s = (struct stream2 *)(void *)((char *)d - offsetof(struct stream2, deadline));
    struct conn *c = s->conn;
    int32_t id = s->id;

    if (!conn_enter(c)) {
        return;
    }
    if (!exchange_is_answered(&s->x)) {
        dispatch_detach(&s->x);
        s->started = true;
        exchange_fail(&s->x, 408, "The body of the request did not arrive in time.");
        http2_run(c); /* the reset comes behind the answer */
    }
    if (c->state == CONN_OPEN && (s = stream_by_id(c->http2, id)) != NULL && !http2_content_is_left(s)) {
        h2_server_end_request(c->http2->h2, id);
        http2_run(c);
    }
    conn_leave(c);
}

static enum http1_wait waits_for(const struct http2 *h)
{
    if (h->streams == NULL) {
        return HTTP1_WAITS_REQUEST;
    }
    enum http1_wait waits = HTTP1_WAITS_HANDLER;
    for (const struct stream2 *s = h->streams; s != NULL; s = s->next) {
        if (exchange_is_answered(&s->x) && http2_content_is_left(s) && !s->source.starved) {
            return HTTP1_WAITS_WINDOW;
        }
        if (waits_for_body(s)) {
            waits = HTTP1_WAITS_BODY;
        }
    }
    return waits;
}

void http2_run(struct conn *c)
{
    enum conn_io io = CONN_MOVED;

    for (int i = 0;; i++) {
        feed(c);
        io = say(c);
        if (io != CONN_MOVED || c->http2->over) {
            break;
        }
        if (i == READS_MAX) {
            c->wants_write = true; /* it is writable: the loop comes back after the others */
            break;
        }
        io = conn_read(c);
        if (io != CONN_MOVED) {
            break;
        }
    }
    if (c->state != CONN_OPEN) {
        return;
    }
    time_bodies(c, !c->blocked);
    if (c->blocked) {
        c->http1.waits = HTTP1_WAITS_SEND;
    } else if (c->eof || c->http2->over || !h2_server_is_alive(c->http2->h2) ||
               (c->http2->stopping && c->http2->streams == NULL)) {
        conn_finish(c, !c->eof);
    } else {
        c->http1.waits = waits_for(c->http2);
        c->http1.served_one = true;
    }
}

void http2_stop(struct conn *c)
{
    if (conn_enter(c)) {
        c->http2->stopping = true;
        h2_server_stop(c->http2->h2);
        http2_run(c);
        conn_leave(c);
    }
}
