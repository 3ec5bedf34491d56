/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "load/http2_stream.h"

#include <string.h>
#include <unistd.h>

static struct failure stream_failure(const struct client *c, uint32_t code, char *note, size_t size)
{
    if (c->h2_goaway)
        snprintf(note, size, "GOAWAY %s", h2_error_name(c->h2_goaway_code));
    else
        snprintf(note, size, "RST_STREAM %s", h2_error_name(code));
    return (struct failure){ .kind = FAIL_RESET, .note = note };
}

static bool on_head(void *stream, uint16_t status)
{
    struct exchange *x = stream;

    if (x->reply_first_ns == 0)
        x->reply_first_ns = x->client->loader->h2_now_ns;
    if (status >= 100 && status < 200) {
        x->interim++;
        return false;
    }
    if (status == 0)
        return false;
    x->head_complete = true;
    x->status = status;
    return !x->client->target->check.status[status] || x->client->target->check.spec != NULL ||
           x->client->cookies != NULL;
}

static void on_length(void *stream, uint64_t content_length)
{
    struct exchange *x = stream;

    x->has_length = true;
    x->length = content_length;
}

/* RFC 9110 8.6: the length of these speaks of a body that is not sent. */
static bool length_is_right(const struct exchange *x)
{
    return !x->has_length || x->body_bytes == x->length || x->client->target->is_head || x->status == 204 ||
           x->status == 304;
}

/* The fields of an unexpected reply, as text, for the example: one stream of a connection at a time. */
static void on_field(void *stream, struct slice name, struct slice value)
{
    struct exchange *x = stream;
    struct client *c = x->client;
    const size_t room = c->loader->run->keep_max;
    char *keep = c->loader->keep + (size_t)c->index * room;
    int n;

    if (__builtin_expect(c->cookies != NULL, 0) && slice_eq(name, SLICE("set-cookie")))
        cookies_take(c->cookies, &c->target->url, value);
    if (__builtin_expect(c->target->check.looks_at_fields, 0))
        check_take_field(&c->target->check, x->check, name, value);
    if (c->keep_stream != 0 && c->keep_stream != x->stream)
        return;
    if (c->keep_stream == 0)
        c->keep_len = 0;
    c->keep_stream = x->stream;
    if (c->keep_len + name.len + value.len + 16 > room)
        return;
    if (slice_eq(name, SLICE(":status")))
        n = snprintf(keep + c->keep_len, room - c->keep_len, "HTTP/2 %.*s\r\n", SLICE_FMT(value));
    else
        n = snprintf(keep + c->keep_len, room - c->keep_len, "%.*s: %.*s\r\n", SLICE_FMT(name), SLICE_FMT(value));
    c->keep_len += n > 0 ? (uint32_t)n : 0;
}

static void on_bytes(void *stream, size_t n)
{
    struct exchange *x = stream;

    x->bytes_received += n;
}

static void on_data(void *stream, struct slice bytes)
{
    struct exchange *x = stream;
    struct client *c = x->client;
    const size_t room = c->loader->run->keep_max - c->keep_len;

    x->body_bytes += bytes.len;
    if (__builtin_expect(c->target->check.looks_at_body, 0))
        check_take_body(&c->target->check, x->check, bytes);
    if (c->keep_stream != x->stream || room < 2)
        return;
    if (x->body_bytes == bytes.len) { /* the first of the body: the empty line before it */
        memcpy(c->loader->keep + (size_t)c->index * c->loader->run->keep_max + c->keep_len, "\r\n", 2);
        c->keep_len += 2;
    }
    if (room - 2 < bytes.len)
        bytes.len = room - 2;
    memcpy(c->loader->keep + (size_t)c->index * c->loader->run->keep_max + c->keep_len, bytes.ptr, bytes.len);
    c->keep_len += (uint32_t)bytes.len;
}

/* Serialised is not written: it counts when the output that holds it is out. */
static void on_begun(void *stream)
{
    struct exchange *x = stream;

    x->is_begun = true;
}

static void on_sent(void *stream)
{
    struct exchange *x = stream;

    x->is_framed = true;
}

static long read_rendered(struct exchange *x, char *out, size_t len, bool *end)
{
    const size_t left = x->rendered_len - x->rendered_head - (size_t)x->body_sent;
    const size_t n = len < left ? len : left;

    memcpy(out, x->rendered + x->rendered_head + x->body_sent, n);
    x->body_sent += n;
    *end = n == left;
    return (long)n;
}

static long read_body(void *stream, char *out, size_t len, bool *end)
{
    struct exchange *x = stream;
    const struct body *body = &x->client->target->body;

    if (__builtin_expect(x->client->target->renders_body, 0))
        return read_rendered(x, out, len, end);
    const long n = body_read(body, x->body_sent, &x->body_piece, out, len);

    if (n < 0)
        return -1; /* a file became shorter while it was sent */
    x->body_sent += (uint64_t)n;
    *end = x->body_sent == body->bytes;
    return n;
}

/* The slot is free; its connection is looked after when the events are over. */
void http2_stream_over(struct exchange *x)
{
    if (x->client->keep_stream == x->stream)
        x->client->keep_stream = 0;
    x->stream = 0;
    exchange_free(x);
    loader_next(x, x->client->loader->h2_now_ns);
}

/* Once more on another connection, where the peer has said that it did not begin. */
bool http2_try_again(struct exchange *x)
{
    const struct load_plan *plan = x->client->loader->run->plan;

    if (x->retried || plan->no_retry || x->head_complete)
        return false;
    x->retried = true;
    x->stream = 0;
    x->client->h2_is_ending = true; /* it waits for the next connection */
    return true;
}

static void on_end(void *stream, bool complete, uint32_t code)
{
    struct exchange *x = stream;
    struct client *c = x->client;
    const uint64_t now = c->loader->h2_now_ns;
    char note[FAILURE_NOTE_MAX];
    struct failure why;

    if (!x->active || x->stream == 0 || c->h2_is_closing)
        return;
    if (complete && (!x->head_complete || !length_is_right(x))) {
        why = (struct failure){ .kind = x->head_complete ? FAIL_TRUNCATED : FAIL_BAD_MESSAGE,
                                .note = x->head_complete ? "the body is not what content-length says"
                                                         : "a reply without status" };
        account_failed(x, &why, now);
    } else if (complete) {
        if (x->sent_last_ns == 0 && x->is_framed)
            x->sent_last_ns = now; /* all of it is in a write that is not done yet */
        else if (x->sent_last_ns == 0)
            exchange_note_early(x, now);
        if (x->sent_first_ns == 0)
            x->sent_first_ns = now;
        x->keep_alive = true;
        if (exchange_is_ok(x, &why))
            account_ok(x, now);
        else
            account_failed(x, &why, now);
    } else {
        if (code == H2_REFUSED_STREAM && http2_try_again(x)) {
            x->unseen = c->h2_goaway;
            return;
        }
        why = stream_failure(c, code, note, sizeof(note));
        account_failed(x, &why, now);
    }
    http2_stream_over(x);
}

static void on_refused(void *connection, int32_t id)
{
    struct client *c = connection;

    for (uint32_t i = 0; i < c->exchange_count; i++) {
        struct exchange *x = &c->exchanges[i];

        if (!x->active || x->stream != id)
            continue;
        x->stream = 0;
        x->is_framed = false;
        c->h2_is_ending = true; /* never sent: it goes out on the next connection, which is no retry */
    }
}

static void on_goaway(void *connection, uint32_t code)
{
    struct client *c = connection;

    c->h2_heard = c->h2_goaway = c->h2_is_ending = true;
    c->h2_goaway_code = code;
}

static void on_limit(void *connection, uint32_t streams)
{
    struct client *c = connection;
    struct loader *w = c->loader;

    if (w->h2_max_concurrent == 0 || streams < w->h2_max_concurrent)
        w->h2_max_concurrent = streams > 0 ? streams : 1;
}

const struct h2_client_events HTTP2_STREAM_EVENTS = {
    .on_length = on_length,
    .on_head = on_head,
    .on_field = on_field,
    .on_bytes = on_bytes,
    .on_begun = on_begun,
    .on_data = on_data,
    .on_sent = on_sent,
    .on_end = on_end,
    .read_body = read_body,
    .on_refused = on_refused,
    .on_goaway = on_goaway,
    .on_limit = on_limit,
};
