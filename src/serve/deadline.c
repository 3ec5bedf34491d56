/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "serve/deadline.h"

#include <stddef.h>

void deadlines_init(struct deadlines *d)
{
    *d = (struct deadlines){ 0 };
    for (int i = 0; i < DEADLINE_KINDS; i++) {
        d->_queue[i]._prev = d->_queue[i]._next = &d->_queue[i];
    }
}

void deadline_end(struct deadline *w)
{
    if (w->_kind == 0) {
        return;
    }
    w->_prev->_next = w->_next;
    w->_next->_prev = w->_prev;
    w->_kind = 0;
}

void deadline_begin(struct deadlines *d, struct deadline *w, enum deadline_kind kind, uint64_t now_ns)
{
    struct deadline *queue = &d->_queue[kind];

    deadline_end(w);
    if (d->length_ns[kind] == 0) {
        return;
    }
    w->_due_ns = now_ns + d->length_ns[kind];
    w->_kind = (uint8_t)(kind + 1);
    w->_prev = queue->_prev;
    w->_next = queue;
    queue->_prev->_next = w;
    queue->_prev = w;
}

enum deadline_kind deadline_kind(const struct deadline *w)
{
    return w->_kind == 0 ? DEADLINE_NONE : (enum deadline_kind)(w->_kind - 1);
}

struct deadline *deadlines_expired(struct deadlines *d, uint64_t now_ns, enum deadline_kind *kind)
{
    for (int i = 0; i < DEADLINE_KINDS; i++) {
        struct deadline *first = d->_queue[i]._next;
        if (first != &d->_queue[i] && first->_due_ns <= now_ns) {
            deadline_end(first);
            *kind = (enum deadline_kind)i;
            return first;
        }
    }
    return NULL;
}

uint64_t deadlines_next_ns(const struct deadlines *d)
{
    uint64_t next_ns = UINT64_MAX;

    for (int i = 0; i < DEADLINE_KINDS; i++) {
        const struct deadline *first = d->_queue[i]._next;
        if (first != &d->_queue[i] && first->_due_ns < next_ns) {
            next_ns = first->_due_ns;
        }
    }
    return next_ns;
}
