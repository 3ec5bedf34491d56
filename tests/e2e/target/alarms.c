/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "alarms.h"

#include "script.h"

#include <stdlib.h>
#include <time.h>

uint64_t alarms_now_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void put(struct alarms *all, size_t place, struct alarm *a)
{
    all->heap[place - 1] = a;
    a->place = place;
}

static void sift_up(struct alarms *all, struct alarm *a)
{
    size_t place = a->place;

    while (place > 1 && all->heap[place / 2 - 1]->at_ns > a->at_ns) {
        put(all, place, all->heap[place / 2 - 1]);
        place /= 2;
    }
    put(all, place, a);
}

static void sift_down(struct alarms *all, struct alarm *a)
{
    size_t place = a->place;

    while (place * 2 <= all->count) {
        size_t child = place * 2;
        if (child < all->count && all->heap[child]->at_ns < all->heap[child - 1]->at_ns)
            child++;
        if (all->heap[child - 1]->at_ns >= a->at_ns)
            break;
        put(all, place, all->heap[child - 1]);
        place = child;
    }
    put(all, place, a);
}

void alarms_set(struct alarms *all, struct alarm *a, uint64_t at_ns)
{
    alarms_cancel(all, a);
    if (all->count == all->room) {
        size_t room = all->room ? all->room * 2 : 64;
        struct alarm **grown = realloc(all->heap, room * sizeof(struct alarm *));
        if (!grown)
            script_die("out of memory");
        all->heap = grown;
        all->room = room;
    }
    a->at_ns = at_ns;
    put(all, ++all->count, a);
    sift_up(all, a);
}

void alarms_cancel(struct alarms *all, struct alarm *a)
{
    size_t place = a->place;
    struct alarm *last;

    if (!place)
        return;
    a->place = 0;
    last = all->heap[--all->count];
    if (last == a)
        return;
    put(all, place, last);
    sift_up(all, last);
    sift_down(all, last);
}

struct alarm *alarms_first(const struct alarms *all)
{
    return all->count ? all->heap[0] : NULL;
}

void alarms_release(struct alarms *all)
{
    free(all->heap);
    *all = (struct alarms){ 0 };
}
