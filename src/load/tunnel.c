/* SPDX-License-Identifier: GPL-3.0-or-later */
/* CONNECT (RFC 9110 9.3.6): a fresh connection to a proxy becomes one to the target. Its time is part of connecting. */
#include "load/loader.h"

#include "base/clock.h"

#define PIECE_BYTES (16u * 1024u)
/* Reads before other connections get their turn. */
#define ROUNDS_MAX 16

static void fail(struct client *c, enum fail_kind kind, int sys, const char *note)
{
    const struct failure why = { .kind = kind, .sys = sys, .note = note };

    client_open_failed(c, &why, clock_now_ns());
}

void tunnel_begin(struct client *c)
{
    c->state = CLIENT_TUNNEL;
    c->sent_bytes = 0;
    reply_begin(&c->reply, true); /* what follows a 2xx head is the tunnel, whatever the fields say */
    tunnel_events(c);
}

/* True when all of the request is out. */
static bool send_request(struct client *c)
{
    const struct buf *request = &c->target->connect_request;

    while (c->sent_bytes < request->len) {
        size_t moved;
        const enum io io = stream_write(&c->stream, request->data + c->sent_bytes, request->len - c->sent_bytes,
                                        &moved);

        if (io == IO_FAILED) {
            fail(c, FAIL_RESET, c->stream.sys_error, "");
            return false;
        }
        if (io != IO_OK) {
            watch_change(c->watch, WATCH_READ | WATCH_WRITE);
            return false;
        }
        c->sent_bytes += moved;
    }
    watch_change(c->watch, WATCH_READ);
    return true;
}

static void answered(struct client *c, bool more_bytes)
{
    char note[FAILURE_NOTE_MAX];

    if (c->reply.status < 200 || c->reply.status > 299) {
        snprintf(note, sizeof(note), "the proxy answered CONNECT with status %u", c->reply.status);
        fail(c, FAIL_CONNECT_REFUSED, 0, note);
    } else if (more_bytes) {
        fail(c, FAIL_BAD_MESSAGE, 0, "bytes after the proxy's answer to CONNECT");
    } else {
        c->connected_ns = clock_now_ns();
        client_start_tls(c, c->connected_ns);
    }
}

/* True when it should be asked for more. */
static bool read_reply(struct client *c)
{
    struct loader *w = c->loader;
    size_t moved, consumed;
    const enum io io = stream_read(&c->stream, w->scratch, PIECE_BYTES, &moved);

    if (io == IO_WANT_READ || io == IO_WANT_WRITE)
        return false;
    if (io != IO_OK) {
        fail(c, io == IO_EOF ? FAIL_CLOSED_EARLY : FAIL_RESET, io == IO_EOF ? 0 : c->stream.sys_error,
             io == IO_EOF ? "the proxy ended the connection instead of answering CONNECT" : "");
        return false;
    }
    w->in_hand = slice_from(w->scratch, moved); /* the example, should it fail */
    switch (reply_feed(&c->reply, w->scratch, moved, &consumed)) {
    case REPLY_MORE:
        w->in_hand = (struct slice){ 0 };
        return true;
    case REPLY_DONE:
        answered(c, consumed < moved);
        break;
    case REPLY_BODY:
    case REPLY_BAD:
        fail(c, FAIL_BAD_MESSAGE, 0, reply_reason(&c->reply));
        break;
    case REPLY_HEAD_TOO_LARGE:
        fail(c, FAIL_HEADER_TOO_LARGE, 0, "");
        break;
    }
    w->in_hand = (struct slice){ 0 };
    return false;
}

void tunnel_events(struct client *c)
{
    if (!send_request(c))
        return;
    for (unsigned round = 0; round < ROUNDS_MAX; round++)
        if (!read_reply(c))
            return;
}
