/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "serve/turns.h"

#include "serve/site.h"
#include "serve/worker.h"

/* Of struct exchange's _turn; all but TURN_NONE under the lock. */
enum { TURN_NONE, TURN_WAITING, TURN_GRANTED /* and its worker does not know yet */, TURN_HELD };

void turns_init(struct turns *t)
{
    *t = (struct turns){ ._holder = NULL };
    pthread_mutex_init(&t->_lock, NULL);
    uuid_make(t->pass);
}

void turns_release(struct turns *t)
{
    pthread_mutex_destroy(&t->_lock);
}

static struct turns *turns_of(const struct worker *w)
{
    return w->config->one_at_a_time ? &w->site->turns : NULL;
}

static void append(struct turns *t, struct exchange *x)
{
    x->_turn_next = NULL;
    if (t->_first == NULL) {
        t->_first = x;
    } else {
        t->_last->_turn_next = x;
    }
    t->_last = x;
}

static void take_out(struct turns *t, struct exchange *x)
{
    struct exchange *before = NULL;

    for (struct exchange *e = t->_first; e != NULL && e != x; e = e->_turn_next) {
        before = e;
    }
    if (before == NULL) {
        t->_first = x->_turn_next;
    } else {
        before->_turn_next = x->_turn_next;
    }
    if (t->_last == x) {
        t->_last = before;
    }
}

bool turn_take(struct exchange *x)
{
    struct turns *t = turns_of(x->worker);

    if (t == NULL || slice_eq(request_head_field(x->head, SLICE(TURN_FIELD)), slice_str(t->pass))) {
        return true;
    }
    pthread_mutex_lock(&t->_lock);
    if (t->_holder == NULL) {
        t->_holder = x;
    } else if (x->_turn == TURN_NONE) {
        append(t, x);
        x->_turn = TURN_WAITING;
    }
    bool taken = t->_holder == x;
    if (taken) {
        x->_turn = TURN_HELD;
    }
    pthread_mutex_unlock(&t->_lock);
    x->body_paused = !taken;
    return taken;
}

/* With the lock held. The worker to wake up, or NULL. */
static struct worker *pass_on(struct turns *t)
{
    struct exchange *next = t->_first;

    t->_holder = next;
    if (next == NULL) {
        return NULL;
    }
    take_out(t, next);
    next->_turn = TURN_GRANTED;
    return next->worker;
}

void turn_end(struct exchange *x)
{
    struct turns *t = turns_of(x->worker);
    struct worker *wakes = NULL;

    if (t == NULL) {
        return;
    }
    pthread_mutex_lock(&t->_lock);
    if (x->_turn == TURN_WAITING) {
        take_out(t, x);
    } else if (x->_turn != TURN_NONE) {
        wakes = pass_on(t);
    }
    x->_turn = TURN_NONE;
    if (wakes != NULL) {
        wakeup_send(&wakes->wakeup); /* within the lock: the worker lives as long as its exchange waits */
    }
    pthread_mutex_unlock(&t->_lock);
}

void turn_collect(struct worker *w)
{
    struct turns *t = turns_of(w);
    struct exchange *x = NULL;

    if (t == NULL) {
        return;
    }
    pthread_mutex_lock(&t->_lock);
    if (t->_holder != NULL && t->_holder->worker == w && t->_holder->_turn == TURN_GRANTED) {
        x = t->_holder;
    }
    pthread_mutex_unlock(&t->_lock);
    if (x != NULL) {
        exchange_resume(x); /* it is this worker's, so nobody else ends it meanwhile */
    }
}
