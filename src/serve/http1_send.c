/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "serve/http1_send.h"

#include <string.h>
#include <unistd.h>

#include "serve/conn.h"
#include "serve/pattern.h"
#include "serve/status.h"
#include "serve/worker.h"

enum {
    HEAD_ROOM = 512, /* status line, Date, Server, lengths, Connection: all but type and fields */
    CHUNK_HEAD = 6,
    CHUNK_TAIL = 2,                     /* "ffff\r\n" … "\r\n" */
    CHUNK_END = 5,                      /* "0\r\n\r\n" */
    FILL_MIN = EXCHANGE_FILL_ROOM + 16, /* less room than this is flushed first */
    COPY_FILE_MAX = 16 * 1024,          /* small files go out together with their head */
    DIRECT_MAX = 4 * 1024 * 1024,       /* sent in one event before other connections have their turn */
};

/* ---- Heads ---- */

static char *put(char *p, struct slice s)
{
    memcpy(p, s.ptr, s.len);
    return p + s.len;
}

static char *put_number(char *p, uint64_t n)
{
    char digits[20];
    size_t len = 0;

    do {
        digits[len++] = (char)('0' + n % 10);
        n /= 10;
    } while (n > 0);
    while (len > 0) {
        *p++ = digits[--len];
    }
    return p;
}

static char *put_status_line(char *p, uint16_t status)
{
    if (status == 200) {
        return put(p, SLICE("HTTP/1.1 200 OK\r\n"));
    }
    p = put_number(put(p, SLICE("HTTP/1.1 ")), status);
    *p++ = ' ';
    return put(put(p, status_phrase(status)), SLICE("\r\n"));
}

static char *put_field(char *p, struct slice name, struct slice value)
{
    return put(put(put(put(p, name), SLICE(": ")), value), SLICE("\r\n"));
}

static char *put_framing(char *p, const struct http1 *h, const struct answer *a, uint64_t length)
{
    if (h->source.chunked) {
        p = put(p, SLICE("Transfer-Encoding: chunked\r\n"));
    } else if (length != LENGTH_UNKNOWN && !status_has_no_content(a->status)) {
        p = put(put_number(put(p, SLICE("Content-Length: ")), length), SLICE("\r\n"));
    }
    if (h->close) {
        return put(p, SLICE("Connection: close\r\n"));
    }
    return h->head.version == 10 ? put(p, SLICE("Connection: keep-alive\r\n")) : p;
}

static size_t fields_len(const struct answer *a)
{
    size_t len = 0;

    for (size_t i = 0; i < a->field_count; i++) {
        len += a->fields[i].name.len + a->fields[i].value.len + 4;
    }
    return len;
}

static void set_source(struct http1 *h, const struct answer *a, uint64_t length)
{
    h->source = (struct http1_source){
        .kind = a->body,
        .left = length,
        .offset = a->file_offset,
        .bytes = a->bytes.ptr,
        .file = a->file,
        .fill = a->fill,
        .done = h->head.method == REQUEST_HEAD || status_has_no_content(a->status) || a->body == BODY_NONE ||
                length == 0,
    };
    h->file_begin = a->file_offset;
    if (!h->source.done && length != LENGTH_UNKNOWN) {
        h->content_bytes = length;
    }
    if (length == LENGTH_UNKNOWN) {
        h->source.chunked = h->head.version != 10;
        h->close |= h->head.version == 10; /* the end of the connection is the end of the content */
    }
}

void http1_send_head(struct conn *c, const struct answer *a)
{
    struct http1 *h = &c->http1;
    uint64_t length = a->body == BODY_BYTES ? a->bytes.len : a->length;
    bool small = a->body == BODY_BYTES && length <= EXCHANGE_SMALL_BYTES;
    char *room = conn_room(c, HEAD_ROOM + a->type.len + fields_len(a) + (small ? (size_t)length : 0));
    char *p = room;

    if (p == NULL) {
        return;
    }
    set_source(h, a, length);
    p = put_status_line(p, a->status);
    p = put(p, SLICE("Server: plimsoll/" PLIMSOLL_VERSION "\r\n"));
    p = put(p, slice_from(c->worker->date, c->worker->date_len));
    if (a->type.len > 0) {
        p = put_field(p, SLICE("Content-Type"), a->type);
    }
    p = put_framing(p, h, a, length);
    for (size_t i = 0; i < a->field_count; i++) {
        p = put_field(p, a->fields[i].name, a->fields[i].value);
    }
    p = put(p, SLICE("\r\n"));
    if (small && !h->source.done) {
        p = put(p, a->bytes);
        h->source.done = true;
    }
    c->out.end += (size_t)(p - room);
}

/* ---- Content ---- */

/* A step: true to go on, false when it waits (or the connection is closed). */
static bool wait_send(struct conn *c)
{
    c->http1.waits = HTTP1_WAITS_SEND;
    return false;
}

static bool advance(struct conn *c, uint64_t moved)
{
    struct http1_source *s = &c->http1.source;

    s->left -= moved;
    s->offset += moved;
    s->done = s->left == 0;
    c->http1.sent_directly += moved;
    return true;
}

static size_t at_most(uint64_t left, size_t limit)
{
    return left < limit ? (size_t)left : limit;
}

/* Content in memory: what fits goes into `out`; more fills `out` up, and once that is sent goes past it. */
static bool send_memory(struct conn *c, struct slice next)
{
    size_t moved;

    if (c->out.end > c->out.start || next.len <= conn_free_room(c)) {
        size_t n = next.len < conn_free_room(c) ? next.len : conn_free_room(c);
        memcpy(c->out.bytes + c->out.end, next.ptr, n);
        c->out.end += n;
        advance(c, n);
        return c->http1.source.done || conn_flush(c) == CONN_MOVED ? true : wait_send(c);
    }
    if (conn_write(c, next.ptr, next.len, &moved) != CONN_MOVED) {
        return wait_send(c);
    }
    return advance(c, moved);
}

static bool send_pattern(struct conn *c)
{
    const struct http1_source *s = &c->http1.source;
    size_t phase = s->offset % PATTERN_LINE;

    return send_memory(c, slice_from(pattern_bytes() + phase, at_most(s->left, PATTERN_BYTES - phase)));
}

static bool send_bytes(struct conn *c)
{
    const struct http1_source *s = &c->http1.source;

    return send_memory(c, slice_from(s->bytes + s->offset, (size_t)s->left));
}

/* From the file into `out`, behind the head: small files whole, of large ones over TLS the beginning, so that no record
 * carries a head alone. */
static bool copy_file(struct conn *c)
{
    struct http1_source *s = &c->http1.source;
    size_t n = at_most(s->left, s->left <= COPY_FILE_MAX ? conn_free_room(c) : COPY_FILE_MAX);
    ssize_t got = pread(s->file, c->out.bytes + c->out.end, n, (off_t)s->offset);

    if (got <= 0) { /* shorter than it was: the client must see a cut body */
        conn_reset(c);
        return false;
    }
    c->out.end += (size_t)got;
    return advance(c, (uint64_t)got);
}

static bool send_file(struct conn *c)
{
    struct http1_source *s = &c->http1.source;
    size_t moved;
    bool fits = conn_free_room(c) >= COPY_FILE_MAX, tls = stream_is_tls(&c->stream);

    if (fits && (s->left <= COPY_FILE_MAX || (tls && c->out.end > c->out.start && s->offset == c->http1.file_begin))) {
        return copy_file(c);
    }
    if (conn_flush_more(c) != CONN_MOVED ||
        conn_send_file(c, s->file, s->offset, at_most(s->left, DIRECT_MAX), &moved) != CONN_MOVED) {
        return wait_send(c);
    }
    return advance(c, moved);
}

static size_t put_chunk_frame(char *at, size_t len)
{
    static const char HEX[] = "0123456789abcdef";
    char head[CHUNK_HEAD];
    size_t digits = 0;

    for (size_t n = len; n > 0; n >>= 4) {
        digits++;
    }
    for (size_t i = 0; i < digits; i++) {
        head[i] = HEX[len >> 4 * (digits - 1 - i) & 15];
    }
    head[digits] = '\r';
    head[digits + 1] = '\n';
    memmove(at + digits + 2, at + CHUNK_HEAD, len);
    memcpy(at, head, digits + 2);
    memcpy(at + digits + 2 + len, "\r\n", 2);
    return digits + 2 + len + 2;
}

static bool end_fill(struct conn *c)
{
    struct http1_source *s = &c->http1.source;

    if (s->chunked) {
        memcpy(c->out.bytes + c->out.end, "0\r\n\r\n", CHUNK_END);
        c->out.end += CHUNK_END;
    } else if (s->left != LENGTH_UNKNOWN && s->left > 0) {
        conn_reset(c); /* a promise broken: better no end than a wrong one */
        return false;
    }
    s->done = true;
    return true;
}

static bool send_fill(struct conn *c)
{
    struct http1_source *s = &c->http1.source;
    size_t frame = s->chunked ? CHUNK_HEAD + CHUNK_TAIL + CHUNK_END : 0;
    bool end = false;

    if (s->starved) {
        c->http1.waits = HTTP1_WAITS_HANDLER;
        return false;
    }
    if (conn_free_room(c) < FILL_MIN && conn_flush(c) != CONN_MOVED) {
        return wait_send(c);
    }
    char *at = c->out.bytes + c->out.end;
    size_t room = at_most(s->left, conn_free_room(c) - frame);
    s->starved = true; /* unless fill says otherwise, or calls exchange_resume() itself */
    size_t n = s->fill(&c->http1.x, s->chunked ? at + CHUNK_HEAD : at, room, &end);
    if (c->state != CONN_OPEN) {
        return false;
    }
    if (n > 0) {
        s->starved = false;
        c->out.end += s->chunked ? put_chunk_frame(at, n) : n;
        s->left -= s->left != LENGTH_UNKNOWN ? n : 0;
        c->http1.sent_directly += n;
        c->http1.content_bytes += s->left == LENGTH_UNKNOWN ? n : 0;
    }
    return end ? end_fill(c) : true;
}

bool http1_send_body(struct conn *c)
{
    static bool (*const SEND[])(struct conn *) = {
        [BODY_BYTES] = send_bytes,
        [BODY_PATTERN] = send_pattern,
        [BODY_FILE] = send_file,
        [BODY_FILL] = send_fill,
    };
    struct http1 *h = &c->http1;

    while (!h->source.done) {
        if (h->sent_directly > DIRECT_MAX) {
            return wait_send(c);
        }
        if (!SEND[h->source.kind](c) || c->state != CONN_OPEN) {
            return false;
        }
    }
    return true;
}
