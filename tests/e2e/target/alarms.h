/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A heap of points in time: which connection has to go on next. */
#ifndef TARGET_ALARMS_H
#define TARGET_ALARMS_H

#include <stddef.h>
#include <stdint.h>

/* Part of its owner, which is found again through owner. */
struct alarm {
    uint64_t at_ns;
    size_t place; /* in the heap, from 1; 0: not set */
    void *owner;
};

struct alarms {
    struct alarm **heap;
    size_t count, room;
};

void alarms_set(struct alarms *all, struct alarm *a, uint64_t at_ns);
void alarms_cancel(struct alarms *all, struct alarm *a);
struct alarm *alarms_first(const struct alarms *all); /* NULL when none is set */
void alarms_release(struct alarms *all);

uint64_t alarms_now_ns(void); /* CLOCK_MONOTONIC */

#endif
