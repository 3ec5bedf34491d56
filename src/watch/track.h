/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From readings at the ticks of a grid to figures: one track for each name.
 *
 * Interval i lies between tick i and tick i+1. Its value is the gauge at its end, or the counter's rise over it divided
 * by the time between the two readings; NAN when a reading that it needs is missing. The mean of a counter is its whole
 * rise divided by the time over which it was seen, so that a reading missed in between loses nothing; that of a gauge
 * the mean of its values. A counter that falls was started anew: that piece is left out. Intervals shorter than
 * TRACK_SHORTEST_NS (the last one may be) have no value of their own, for coarse counters say nothing about them. */
#ifndef PLIMSOLL_WATCH_TRACK_H
#define PLIMSOLL_WATCH_TRACK_H

#include "watch/reading.h"

#define TRACK_SHORTEST_NS UINT64_C(250000000)
#define TRACKS_MAX 64
/* Ten days of seconds; after them figures go on without values for the single intervals. */
#define TRACK_LENGTH_MAX 864000u

struct track {
    char name[READING_NAME_MAX];
    enum reading_kind kind;
    double *values; /* by interval */
    size_t length, _capacity;
    double max; /* of the values; NAN: none */
    double _sum, _seconds, _last;
    uint64_t _last_ns, _count;
    size_t _last_tick;
    bool _has_last;
};

struct tracks {
    struct track items[TRACKS_MAX];
    size_t count;
    size_t ticks; /* as many as were told of, successful or not */
};

void tracks_release(struct tracks *t); /* empty again */
/* The reading of a tick, ticks rising, taken at now_ns. False when memory or room ran out for some of it. */
bool tracks_add(struct tracks *t, const struct reading *r, size_t tick, uint64_t now_ns);
double track_mean(const struct track *t); /* NAN: not known */
/* NAN beyond what was read too. */
double track_value(const struct track *t, size_t interval);

#endif
