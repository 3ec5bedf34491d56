/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/clock_edge.h"

#define SECOND INT64_C(1000000000)

bool clock_edge_add(struct clock_edge *e, int64_t asked_ns, int64_t answered_ns, int64_t date_s)
{
    const int64_t low = date_s * SECOND - answered_ns, high = (date_s + 1) * SECOND - asked_ns;

    if (e->replies == 0) {
        *e = (struct clock_edge){ low, high, 1 };
        return true;
    }
    if (low > e->high_ns || high < e->low_ns)
        return false;
    e->low_ns = low > e->low_ns ? low : e->low_ns;
    e->high_ns = high < e->high_ns ? high : e->high_ns;
    e->replies++;
    return true;
}

int64_t clock_edge_offset_ns(const struct clock_edge *e)
{
    return e->low_ns + (e->high_ns - e->low_ns) / 2;
}

uint64_t clock_edge_resolution_ns(const struct clock_edge *e)
{
    return (uint64_t)(e->high_ns - e->low_ns + 1) / 2;
}

int64_t clock_edge_next_ns(const struct clock_edge *e, int64_t now_ns, int64_t round_trip_ns)
{
    const int64_t theirs = now_ns + round_trip_ns / 2 + clock_edge_offset_ns(e);

    return now_ns + (SECOND - theirs % SECOND) % SECOND;
}
