/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A connection: its stream, its buffers, its time-out. What the bytes mean is its protocol's business (http1.c).
 *
 * Buffers: while an event is handled the connection has the worker's large ones (conn_enter()); at the end
 * (conn_leave()) what must stay, a piece of a head or of a reply, moves into memory of its own, just large enough. An
 * idle connection therefore has none, and the hot path never allocates. Closing is two-phase: conn_close() ends
 * everything at once but the memory stays until the loop let go of it, and conn_leave() is the last to touch it. */
#ifndef PLIMSOLL_SERVE_CONN_H
#define PLIMSOLL_SERVE_CONN_H

#include "net/loop.h"
#include "net/stream.h"
#include "serve/deadline.h"
#include "serve/http1.h"
#include "serve/http2.h"

enum conn_state {
    CONN_HANDSHAKE, /* TLS; leaves to OPEN */
    CONN_OPEN,      /* leaves to LINGER or CLOSED */
    CONN_LINGER,    /* everything is sent, our side is shut; input is dropped until the client ends too, for its unread
                       reply would be lost by a RST */
    CONN_CLOSED,    /* waits for the loop */
};

/* bytes[start, end) are in use. */
struct conn_buffer {
    char *bytes;
    size_t start, end, size;
    bool lent; /* the worker's */
};

struct conn {
    struct deadline deadline; /* first: a deadline's connection is itself */
    struct stream stream;
    struct watch watch;
    struct worker *worker;
    struct conn *prev, *next;
    enum conn_state state;
    bool eof;           /* the client ended its side */
    bool blocked;       /* the last write could not take everything */
    bool wants_write;   /* reading waits for writability (TLS) */
    bool wants_read;    /* writing waits for readability (TLS) */
    bool progressed;    /* bytes moved in this event */
    bool asked;         /* HTTP/2: a request began in this event */
    bool moved_content; /* HTTP/2: content of a reply went into frames in this event */
    bool timer_closing; /* the exchange's timer is on its way out */
    bool watch_closing;
    uint32_t lingered_bytes;
    uint64_t body_bytes; /* of requests' bodies since the time-out for bodies began */
    bool more;           /* reading again may give something without waiting */
    struct conn_buffer in, out;
    size_t held_at, held_len; /* of `in`, before start: the head of the request in hand, which must stay */
    struct http1 http1;
    struct http2 *http2;   /* NULL: HTTP/1 */
    struct tls_share *tls; /* ours until the end: a handshake still uses what a reload has replaced */
};

/* A new connection of the listener: takes fd. */
void conn_accept(struct worker *w, int fd, bool tls);
/* The time of this connection's deadline is over. */
void conn_expired(struct conn *c, enum deadline_kind kind);
/* The server is stopping: idle ones close now, others after their reply. */
void conn_stop(struct conn *c);
void conn_close(struct conn *c);
void conn_reset(struct conn *c);

/* For callbacks that do not come from the connection's own watch. False: the connection is being handled already (or is
 * closed) and will look itself; nothing must follow. True: do the work, then conn_leave(). */
bool conn_enter(struct conn *c);
void conn_leave(struct conn *c);

/* ---- For the protocol, between enter and leave ---- */

enum conn_io {
    CONN_MOVED,
    CONN_WAIT,  /* nothing now; the loop will tell */
    CONN_ENDED, /* the client ended its side */
    CONN_BROKEN /* the connection is closed */
};
/* Reads once into the free end of `in`. */
enum conn_io conn_read(struct conn *c);
/* Reads once into memory that stays as it is until the event ends, for content that is handed on at once. Only while
 * `in` is not lent. */
enum conn_io conn_read_aside(struct conn *c, struct slice *out);
/* After held_len became 0: back to the worker's buffer, for there is room to read. */
void conn_release_held(struct conn *c);
/* Puts bytes behind those in `in`. False: out of memory. */
bool conn_keep(struct conn *c, struct slice bytes);
/* Writes what is in `out`: CONN_MOVED when all of it. */
enum conn_io conn_flush(struct conn *c);
/* The same, and more is written at once: no packet needs to carry this alone. */
enum conn_io conn_flush_more(struct conn *c);
/* Room for n more bytes in `out` (n <= WORKER_OUT_BYTES / 2), flushed or enlarged when needed. NULL: the connection is
 * closed. */
char *conn_room(struct conn *c, size_t n);
size_t conn_free_room(const struct conn *c);
/* Writes directly (out must be empty); *moved may be less than asked with CONN_MOVED. */
enum conn_io conn_write(struct conn *c, const char *bytes, size_t len, size_t *moved);
enum conn_io conn_send_file(struct conn *c, int file, uint64_t offset, size_t len, size_t *moved);
/* After everything is sent: closes, gently when the client may still be sending. */
void conn_finish(struct conn *c, bool gently);

#endif
