/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "load/record_ring.h"

#include <time.h>

#include "base/pages.h"

#define RING_MASK (RECORD_RING_SLOTS - 1u)

int record_ring_init(struct record_ring *r, struct err *err)
{
    void *slots;

    atomic_init(&r->_head, 0);
    atomic_init(&r->_tail, 0);
    r->waits = 0;
    if (pages_map(&slots, RECORD_RING_SLOTS * sizeof(*r->_slots), err) != 0)
        return -1;
    r->_slots = slots;
    return 0;
}

void record_ring_release(struct record_ring *r)
{
    pages_unmap(r->_slots, RECORD_RING_SLOTS * sizeof(*r->_slots));
    r->_slots = NULL;
}

static void wait_for_room(struct record_ring *r, uint64_t head)
{
    const struct timespec pause = { .tv_nsec = 100000 };

    r->waits++;
    while (head - atomic_load_explicit(&r->_tail, memory_order_acquire) == RECORD_RING_SLOTS)
        nanosleep(&pause, NULL);
}

void record_ring_push(struct record_ring *r, const struct load_record *record)
{
    const uint64_t head = atomic_load_explicit(&r->_head, memory_order_relaxed);

    if (head - atomic_load_explicit(&r->_tail, memory_order_acquire) == RECORD_RING_SLOTS)
        wait_for_room(r, head);
    r->_slots[head & RING_MASK] = *record;
    atomic_store_explicit(&r->_head, head + 1, memory_order_release);
}

size_t record_ring_drain(struct record_ring *r,
                         void (*take)(void *arg, const struct load_record *records, size_t count), void *arg)
{
    uint64_t tail = atomic_load_explicit(&r->_tail, memory_order_relaxed);
    const uint64_t head = atomic_load_explicit(&r->_head, memory_order_acquire);
    size_t taken = 0;

    while (tail != head) {
        const uint64_t to_end = RECORD_RING_SLOTS - (tail & RING_MASK);
        const size_t n = (size_t)(head - tail < to_end ? head - tail : to_end);

        take(arg, &r->_slots[tail & RING_MASK], n);
        tail += n;
        taken += n;
        atomic_store_explicit(&r->_tail, tail, memory_order_release);
    }
    return taken;
}
