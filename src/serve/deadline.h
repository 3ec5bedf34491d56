/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Time-outs of many connections without a timer for each: every kind has one length, so that its waiters, queued in the
 * order in which they began, end in that order too. Beginning, moving and ending are O(1); one timer for the earliest
 * serves all. */
#ifndef PLIMSOLL_SERVE_DEADLINE_H
#define PLIMSOLL_SERVE_DEADLINE_H

#include <stdint.h>

enum deadline_kind {
    DEADLINE_HEAD,   /* a request's head (or a TLS handshake) is under way */
    DEADLINE_BODY,   /* its body */
    DEADLINE_SEND,   /* its reply */
    DEADLINE_IDLE,   /* between two requests */
    DEADLINE_STREAM, /* the body of one of many requests of a connection: HTTP/2 */
    DEADLINE_LINGER, /* after the last reply, until the client has read it */
    DEADLINE_KINDS,
    DEADLINE_NONE = DEADLINE_KINDS,
};

/* One waiter; zero is "waits for nothing". */
struct deadline {
    struct deadline *_prev, *_next;
    uint64_t _due_ns;
    uint8_t _kind; /* enum deadline_kind + 1; 0: in no queue */
};

struct deadlines {
    uint64_t length_ns[DEADLINE_KINDS]; /* 0: never ends */
    struct deadline _queue[DEADLINE_KINDS];
};

void deadlines_init(struct deadlines *d);
/* Waits for that from now on, instead of whatever it waited for. */
void deadline_begin(struct deadlines *d, struct deadline *w, enum deadline_kind kind, uint64_t now_ns);
void deadline_end(struct deadline *w);
enum deadline_kind deadline_kind(const struct deadline *w);
/* The next waiter whose time is over, taken out of its queue, and what it waited for; NULL when there is none. */
struct deadline *deadlines_expired(struct deadlines *d, uint64_t now_ns, enum deadline_kind *kind);
/* When the earliest ends; UINT64_MAX when nobody waits. */
uint64_t deadlines_next_ns(const struct deadlines *d);

#endif
