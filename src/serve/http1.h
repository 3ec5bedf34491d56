/* SPDX-License-Identifier: GPL-3.0-or-later */
/* HTTP/1.0 and 1.1 on one connection: requests one after another (pipelined ones wait in the input), their framing and
 * that of the replies. */
#ifndef PLIMSOLL_SERVE_HTTP1_H
#define PLIMSOLL_SERVE_HTTP1_H

#include "http/request_body.h"
#include "http/request_reader.h"
#include "serve/exchange.h"

struct conn;

enum http1_wait {
    HTTP1_WAITS_HEAD,    /* a request has begun */
    HTTP1_WAITS_REQUEST, /* for the next one */
    HTTP1_WAITS_BODY,
    HTTP1_WAITS_HANDLER,
    HTTP1_WAITS_SEND,   /* for room in the socket */
    HTTP1_WAITS_WINDOW, /* HTTP/2: for the client to take more of a reply */
};

/* The reply's content, as far as it is not in the connection's `out`. */
struct http1_source {
    enum body_kind kind;
    bool chunked, done;
    uint64_t left;   /* LENGTH_UNKNOWN: until fill says so */
    uint64_t offset; /* of pattern or file */
    const char *bytes;
    int file;
    size_t (*fill)(struct exchange *x, char *out, size_t room, bool *end);
    bool starved; /* fill had nothing: exchange_resume() will come */
};

struct http1 {
    struct exchange x;
    struct request_head head;
    struct request_reader reader;
    struct request_body body;
    struct http1_source source;
    enum http1_wait waits;
    bool in_exchange;
    bool started;   /* the handler was called */
    bool body_done; /* all of the request was read */
    bool told_end;  /* the handler knows that */
    bool replied;   /* the reply is complete in `out` or sent */
    bool close;     /* after this reply */
    bool gently;    /* the client may be sending still */
    bool closing;   /* the last reply is complete: close once `out` is sent */
    bool aborted;
    uint64_t begin_ns;      /* of the event that completed the head */
    uint64_t content_bytes; /* of the reply, without framing */
    uint64_t file_begin;    /* where the reply starts in its file */
    uint64_t sent_directly; /* in this event, past `out` */
    bool served_one;        /* not the first request of the connection any more */
};

void http1_init(struct conn *c);
/* Goes on as far as possible. */
void http1_run(struct conn *c);
/* The bytes of the request in hand moved. */
void http1_moved(struct conn *c, const char *from, const char *to);
/* The connection is going: ends the exchange. */
void http1_end(struct conn *c);
/* A time-out of head or body: answers 408 when that is still possible. False: it was not, close. */
bool http1_timed_out(struct conn *c);
/* Nothing of a request was seen and nothing of a reply is owed. */
bool http1_is_idle(const struct conn *c);

#endif
