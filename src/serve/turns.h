/* SPDX-License-Identifier: GPL-3.0-or-later */
/* --one-at-a-time: a single-threaded application server has one request in hand, from the start of its handler until
 * its answer is sent (or its client is gone), and the others wait, in the order of their heads' arrival, over all
 * threads and connections. A connection that is idle holds nothing. Calls that the server makes to itself for the
 * request in hand belong to it: they carry a pass, or they would wait for themselves. */
#ifndef PLIMSOLL_SERVE_TURNS_H
#define PLIMSOLL_SERVE_TURNS_H

#include "base/random.h"
#include "serve/exchange.h"

#include <pthread.h>

#define TURN_FIELD "Plimsoll-Turn"

struct turns {
    pthread_mutex_t _lock;
    struct exchange *_holder, *_first, *_last; /* has the turn; wait for it */
    char pass[UUID_TEXT_MAX];                  /* the value of TURN_FIELD */
};

void turns_init(struct turns *t);
void turns_release(struct turns *t);

/* True: it is x's turn (or there are no turns). False: it waits; its body, if it has one, is paused, and
 * exchange_resume() comes when this is to be asked again. */
bool turn_take(struct exchange *x);
/* x is over, whatever it had; any number of times. */
void turn_end(struct exchange *x);
/* For a worker that was woken: if one of its exchanges got the turn, goes on with it. */
void turn_collect(struct worker *w);

#endif
