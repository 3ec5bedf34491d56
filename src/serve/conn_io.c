/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "serve/conn_internal.h"

#include <stdlib.h>
#include <string.h>

#include "serve/worker.h"

/* ---- Buffers ---- */

void conn_buffer_drop(struct conn_buffer *b)
{
    if (!b->lent) {
        free(b->bytes);
    }
    *b = (struct conn_buffer){ 0 };
}

/* Moves what the buffer holds from `from` on into memory of its own. */
static bool buffer_own(struct conn_buffer *b, size_t from, size_t size)
{
    char *own = malloc(size);

    if (own == NULL) {
        return false;
    }
    if (b->end > from) {
        memcpy(own, b->bytes + from, b->end - from);
    }
    if (!b->lent) {
        free(b->bytes);
    }
    *b = (struct conn_buffer){ .bytes = own, .start = b->start - from, .end = b->end - from, .size = size };
    return true;
}

void conn_buffer_lend(struct conn_buffer *b, char *bytes, size_t size)
{
    size_t len = b->end - b->start;

    if (len > 0) {
        memcpy(bytes, b->bytes + b->start, len);
    }
    free(b->bytes);
    *b = (struct conn_buffer){ .bytes = bytes, .end = len, .size = size, .lent = true };
}

void conn_lend_in(struct conn *c)
{
    if (c->held_len == 0 && !c->in.lent) {
        conn_buffer_lend(&c->in, c->worker->read_bytes, c->worker->read_size);
    }
}

void conn_release_held(struct conn *c)
{
    c->held_at = c->held_len = 0;
    conn_lend_in(c);
}

/* Closes the gap between what is held and what is unread. */
static void close_gap(struct conn *c)
{
    size_t behind = c->held_at + c->held_len;

    if (c->in.start > behind) {
        memmove(c->in.bytes + behind, c->in.bytes + c->in.start, c->in.end - c->in.start);
        c->in.end -= c->in.start - behind;
        c->in.start = behind;
    }
}

bool conn_keep_in(struct conn *c)
{
    const char *before = c->in.bytes + c->held_at;

    if (!c->in.lent) {
        return true;
    }
    if (c->held_len == 0) {
        if (c->in.start == c->in.end) {
            conn_buffer_drop(&c->in);
            return true;
        }
        return buffer_own(&c->in, c->in.start, c->in.end - c->in.start);
    }
    close_gap(c);
    if (!buffer_own(&c->in, c->held_at, c->in.end - c->held_at)) {
        return false;
    }
    c->held_at = 0;
    http1_moved(c, before, c->in.bytes);
    return true;
}

bool conn_keep_out(struct conn *c)
{
    if (c->out.start == c->out.end) {
        conn_buffer_drop(&c->out);
        return true;
    }
    return !c->out.lent || buffer_own(&c->out, c->out.start, c->out.end - c->out.start);
}

bool conn_keep(struct conn *c, struct slice bytes)
{
    const char *before = c->in.bytes;

    close_gap(c);
    if (c->in.end + bytes.len > c->in.size) {
        if (!buffer_own(&c->in, 0, c->in.end + bytes.len)) {
            return false;
        }
        http1_moved(c, before, c->in.bytes);
    }
    memcpy(c->in.bytes + c->in.end, bytes.ptr, bytes.len);
    c->in.end += bytes.len;
    return true;
}

/* ---- Input and output ---- */

static enum conn_io broken(struct conn *c)
{
    conn_close(c);
    return CONN_BROKEN;
}

static enum conn_io read_into(struct conn *c, char *bytes, size_t size, size_t *moved)
{
    *moved = 0;
    if (c->eof) {
        return CONN_ENDED;
    }
    if (!c->more) {
        return CONN_WAIT;
    }
    enum io io = stream_read(&c->stream, bytes, size, moved);
    c->more = io == IO_OK && (*moved == size || stream_has_pending(&c->stream));
    switch (io) {
    case IO_OK:
        c->progressed = true;
        count_add(&c->worker->counts.bytes_received, *moved);
        return CONN_MOVED;
    case IO_WANT_WRITE:
        c->wants_write = true;
        return CONN_WAIT;
    case IO_WANT_READ:
        return CONN_WAIT;
    case IO_EOF:
        c->eof = true;
        return CONN_ENDED;
    case IO_FAILED:
        break;
    }
    return broken(c);
}

/* Makes room behind what is unread: what was consumed already can go, what is held can not. */
static void make_room(struct conn *c)
{
    if (c->in.start == c->in.end) {
        c->in.start = c->in.end = c->held_at + c->held_len;
    } else if (c->in.size - c->in.end < WORKER_READ_BYTES / 2) {
        close_gap(c);
    }
}

enum conn_io conn_read(struct conn *c)
{
    size_t moved;

    make_room(c);
    if (c->in.end == c->in.size) {
        return CONN_WAIT;
    }
    enum conn_io io = read_into(c, c->in.bytes + c->in.end, c->in.size - c->in.end, &moved);
    if (io == CONN_MOVED) {
        c->in.end += moved;
    }
    return io;
}

enum conn_io conn_read_aside(struct conn *c, struct slice *out)
{
    *out = (struct slice){ .ptr = c->worker->read_bytes };
    return read_into(c, c->worker->read_bytes, c->worker->read_size, &out->len);
}

static enum conn_io written(struct conn *c, enum io io, size_t moved)
{
    switch (io) {
    case IO_OK:
        c->progressed = true;
        count_add(&c->worker->counts.bytes_sent, moved);
        return CONN_MOVED;
    case IO_WANT_WRITE:
        c->blocked = true;
        return CONN_WAIT;
    case IO_WANT_READ:
        c->wants_read = true;
        return CONN_WAIT;
    case IO_EOF: /* a file that is shorter than it was */
    case IO_FAILED:
        break;
    }
    return broken(c);
}

enum conn_io conn_write(struct conn *c, const char *bytes, size_t len, size_t *moved)
{
    *moved = 0;
    enum io io = stream_write(&c->stream, bytes, len, moved);
    return written(c, io, *moved);
}

enum conn_io conn_send_file(struct conn *c, int file, uint64_t offset, size_t len, size_t *moved)
{
    *moved = 0;
    enum io io = stream_send_file(&c->stream, file, offset, len, c->worker->out_bytes, WORKER_OUT_BYTES, moved);
    return written(c, io, *moved);
}

static enum conn_io flush(struct conn *c, enum io (*write)(struct stream *, const void *, size_t, size_t *))
{
    while (c->out.start < c->out.end) {
        size_t moved = 0;
        enum io done = write(&c->stream, c->out.bytes + c->out.start, c->out.end - c->out.start, &moved);
        enum conn_io io = written(c, done, moved);
        if (io != CONN_MOVED) {
            return io;
        }
        c->out.start += moved;
    }
    if (c->out.lent) {
        c->out.start = c->out.end = 0;
    } else {
        conn_buffer_lend(&c->out, c->worker->out_bytes, WORKER_OUT_BYTES);
    }
    return CONN_MOVED;
}

enum conn_io conn_flush(struct conn *c)
{
    return flush(c, stream_write);
}

enum conn_io conn_flush_more(struct conn *c)
{
    return flush(c, stream_write_more);
}

size_t conn_free_room(const struct conn *c)
{
    return c->out.size - c->out.end;
}

char *conn_room(struct conn *c, size_t n)
{
    if (conn_free_room(c) >= n) {
        return c->out.bytes + c->out.end;
    }
    enum conn_io io = conn_flush(c);
    if (io == CONN_BROKEN) {
        return NULL;
    }
    if (conn_free_room(c) < n && !buffer_own(&c->out, c->out.start, c->out.end - c->out.start + n)) {
        conn_reset(c);
        return NULL;
    }
    return c->out.bytes + c->out.end;
}
