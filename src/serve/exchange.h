/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One request and its answer, as a handler sees it: the same for every version of HTTP. A protocol (http1.c) owns the
 * exchange and moves its bytes; a handler answers at once, or later from a callback of the same thread's loop, exactly
 * once.
 *
 * Life: start() of the route is called when the whole body was received and dropped, or, for a route with
 * ROUTE_READS_BODY, as soon as the head is complete; then on_body() gets the content and on_body_end() its end. After
 * exchange_answer() the protocol sends. In the end on_end() is called exactly once whatever happened (sent, client
 * gone, server stopping), and the handler releases what it holds: after it the exchange does not exist any more. A
 * handler that set on_end before it returned from start() may thus keep the pointer until then. */
#ifndef PLIMSOLL_SERVE_EXCHANGE_H
#define PLIMSOLL_SERVE_EXCHANGE_H

#include "base/buf.h"
#include "http/request_reader.h"
#include "net/loop.h"

#include <stdint.h>

struct exchange;
struct route;
struct worker;

struct field {
    struct slice name, value;
};

enum body_kind {
    BODY_NONE,    /* no content; length says what a HEAD of it would (0 for an empty body) */
    BODY_BYTES,   /* bytes; up to EXCHANGE_SMALL_BYTES are copied at once, more must live until on_end */
    BODY_PATTERN, /* length bytes of pattern.h */
    BODY_FILE,    /* length bytes of file from file_offset; the handler closes it in on_end */
    BODY_FILL,    /* what fill() produces */
};

enum { EXCHANGE_SMALL_BYTES = 8 * 1024, EXCHANGE_FIELDS_MAX_BYTES = 6 * 1024, EXCHANGE_FILL_ROOM = 32 * 1024 };

/* The length is not known before the end: chunks, or until close for HTTP/1.0. Only with BODY_FILL. */
#define LENGTH_UNKNOWN UINT64_MAX

struct answer {
    uint16_t status;
    enum body_kind body;
    struct slice type;          /* Content-Type; empty: none */
    uint64_t length;            /* ignored for BODY_BYTES */
    const struct field *fields; /* further ones, together below EXCHANGE_FIELDS_MAX_BYTES; copied */
    size_t field_count;
    struct slice bytes;
    int file;
    uint64_t file_offset;
    /* Writes up to room bytes (room is at least EXCHANGE_FILL_ROOM, or all that is left of a known length), returns how
     * many; *end says that these were the last. 0 without *end: nothing now, exchange_resume() will follow. Never
     * called again after *end. */
    size_t (*fill)(struct exchange *x, char *out, size_t room, bool *end);
};

/* What a protocol does for an exchange. */
struct exchange_protocol {
    void (*answer)(struct exchange *x, const struct answer *a);
    void (*resume)(struct exchange *x);
    void (*abort)(struct exchange *x);
    void (*read_more)(struct exchange *x);
};

struct exchange {
    const struct request_head *head;
    struct slice arg; /* what the route's pattern left open, percent-encoded */
    const struct route *route;
    struct worker *worker;
    bool secure;   /* came over TLS */
    bool has_body; /* content, or at least framing for it, follows the head */

    /* The handler's. */
    void *state;
    uint64_t numbers[2]; /* for handlers that need no more than that */
    void (*on_body)(struct exchange *x, struct slice content);
    void (*on_body_end)(struct exchange *x);
    void (*on_end)(struct exchange *x);
    bool body_paused;     /* set it in on_body(): no more until exchange_read_more(); over HTTP/2 what the client may
                             send already, at most a window (1 MiB), still comes */
    bool end_with_client; /* the client's half-close ends the exchange: nobody would read the answer */
    void (*on_time)(struct exchange *x);

    /* The protocol's. */
    const struct exchange_protocol *_protocol;
    uint16_t _status;  /* 0: not answered */
    unsigned _allowed; /* methods of the path */
    char *_owned;      /* freed at the end */
    struct exchange *_turn_next;
    uint8_t _turn; /* of turns.c */
    /* From here on it survives from one exchange of a connection to the next. */
    struct timer _timer;
    bool _has_timer;
};

/* The answer; never twice. */
void exchange_answer(struct exchange *x, const struct answer *a);
bool exchange_is_answered(const struct exchange *x);
/* Content in one piece. */
void exchange_reply(struct exchange *x, uint16_t status, struct slice type, struct slice bytes);
/* The same with memory from malloc() that is freed at the end. NULL is answered with 500. */
void exchange_reply_owned(struct exchange *x, uint16_t status, struct slice type, char *bytes, size_t len);
/* The buffer's bytes, given away; a failed buffer is answered with 500. */
void exchange_reply_buf(struct exchange *x, uint16_t status, struct slice type, struct buf *bytes);
/* {"error": "...", "status": N}; the text is escaped. */
void exchange_fail(struct exchange *x, uint16_t status, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
/* Also with fields. */
void exchange_fail_fields(struct exchange *x, uint16_t status, const struct field *fields, size_t count,
                          const char *fmt, ...) __attribute__((format(printf, 5, 6)));

/* fill() has something again. */
void exchange_resume(struct exchange *x);
/* The body may go on after body_paused. */
void exchange_read_more(struct exchange *x);
/* Gives up in the middle of an answer: the connection (HTTP/1) or stream ends so that the client sees a cut body.
 * on_end() follows. */
void exchange_abort(struct exchange *x);
/* Calls x->on_time once after delay_ns. */
void exchange_start_timer(struct exchange *x, uint64_t delay_ns);

/* The last argument of a pattern as a decimal number. False: the failure was answered (400), naming what. */
bool exchange_number(struct exchange *x, const char *what, uint64_t max, uint64_t *out);

extern const struct slice TYPE_JSON, TYPE_TEXT, TYPE_HTML, TYPE_BYTES;

#endif
