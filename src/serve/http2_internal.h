/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What http2.c (the connection and its streams) and http2_content.c (what the answers carry) share. */
#ifndef PLIMSOLL_SERVE_HTTP2_INTERNAL_H
#define PLIMSOLL_SERVE_HTTP2_INTERNAL_H

#include "http/h2_server.h"
#include "serve/conn.h"
#include "serve/http2.h"

struct stream2 {
    struct exchange x;
    struct conn *conn;
    struct stream2 *prev, *next;
    int32_t id;
    struct deadline deadline; /* of its body */
    uint64_t body_bytes;      /* since that began */
    struct request_head head;
    char *head_bytes;
    uint64_t begin_ns, received, dropped, content_bytes;
    size_t unconsumed; /* came while the handler had paused the body: the window that is not given back yet */
    struct buf held;   /* content that came before the handler started */
    bool started, body_done, told_end, answered_all;
    struct http1_source source; /* of the answer's content */
    char *filled;               /* what fill() made: its pieces are larger than a frame may be */
    size_t filled_at, filled_len;
    bool filled_end;
};

struct http2 {
    struct h2_server *h2;
    struct stream2 *streams;
    bool over; /* the protocol has ended: close when everything is sent */
    bool stopping;
};

uint64_t http2_content_length(const struct answer *a);
/* The answer's content becomes the stream's source. False: out of memory. */
bool http2_content_begin(struct stream2 *s, const struct answer *a);
/* read_body of struct h2_server_events. */
long http2_content_read(void *stream, char *out, size_t len, bool *end);
/* The client has not been sent all of it yet. */
bool http2_content_is_left(const struct stream2 *s);

#endif
