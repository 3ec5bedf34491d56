/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How far another clock, that is seen in whole seconds only, is ahead of ours. Pure numbers.
 *
 * A reply that was asked for at a, came at b (both on our clock) and is dated s was dated at a moment between: the
 * other clock then stood between s and s + 1 second, so the offset lies between s - b and s + 1 s - a. Each reply cuts
 * what all before it left. Most is learnt from one that is asked for when, by the middle of what is left, the other
 * clock's second changes: its date says on which side of the middle the offset is. So n such replies leave 2^-n s, but
 * never less than a round trip.
 *
 * Always true: low_ns <= high_ns, unless the replies contradict each other (another clock answers, or one that
 * stepped).
 */
#ifndef PLIMSOLL_BASE_CLOCK_EDGE_H
#define PLIMSOLL_BASE_CLOCK_EDGE_H

#include <stdbool.h>
#include <stdint.h>

struct clock_edge {
    int64_t low_ns, high_ns; /* to be added to our clock */
    uint32_t replies;
};

/* {0} at first. Times in ns since the epoch, asked <= answered. False when it contradicts what is known, which stays.
 */
bool clock_edge_add(struct clock_edge *e, int64_t asked_ns, int64_t answered_ns, int64_t date_s);
/* The middle of what is left; and how far the offset may be from it. */
int64_t clock_edge_offset_ns(const struct clock_edge *e);
uint64_t clock_edge_resolution_ns(const struct clock_edge *e);
/* When to ask again, not before now: so that the other clock's second changes in the middle of a round trip. */
int64_t clock_edge_next_ns(const struct clock_edge *e, int64_t now_ns, int64_t round_trip_ns);

#endif
