/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Ended requests on their way from one worker to the thread that writes them: a ring for one producer and one consumer.
 * The worker never formats and never blocks on a file; when the ring is full it waits (nothing is lost) and the wait is
 * counted. */
#ifndef PLIMSOLL_LOAD_RECORD_RING_H
#define PLIMSOLL_LOAD_RECORD_RING_H

#include "load/load.h"

#include <stdatomic.h>

#define RECORD_RING_SLOTS 16384u /* a power of two */

struct record_ring {
    struct load_record *_slots; /* NULL: records are not wanted */
    _Atomic uint64_t _head;     /* written by the worker */
    char _apart[64];
    _Atomic uint64_t _tail; /* written by the reader */
    uint64_t waits;
};

MUST_CHECK int record_ring_init(struct record_ring *r, struct err *err);
void record_ring_release(struct record_ring *r);
void record_ring_push(struct record_ring *r, const struct load_record *record);
/* Hands what is there to take() in at most two batches; returns how many. */
size_t record_ring_drain(struct record_ring *r,
                         void (*take)(void *arg, const struct load_record *records, size_t count), void *arg);

#endif
