/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One of several processes that carry out one plan together, each a share of it. Pure numbers.
 *
 * Everything that can be counted is numbered through over the whole plan and dealt like cards: share i of n owns the
 * numbers k with k mod n = i. So the shares add up to the plan exactly, the first ones get what is left over, none
 * depends on what another does, and share i's requests lie between those of its neighbours in every schedule.
 *   connections  numbered target by target: 3 targets of 1 connection each go to 3 shares
 *   requests     {seq}, and with a schedule the time that they are due (load/schedule.h)
 *   feed         its rows: no row is in two shares, also after the last one
 *   random       each share's streams are derived from the seed and the numbers above */
#ifndef PLIMSOLL_LOAD_SHARE_H
#define PLIMSOLL_LOAD_SHARE_H

#include <stdint.h>

struct load_share {
    uint32_t index; /* from 0; command lines and documents count from 1 */
    uint32_t count; /* 0 and 1: the whole plan */
};

static inline uint32_t load_share_count(struct load_share s)
{
    return s.count > 1 ? s.count : 1;
}

/* How many of the numbers below n are the share's. */
static inline uint64_t load_share_of(struct load_share s, uint64_t n)
{
    return n > s.index ? (n - s.index - 1) / load_share_count(s) + 1 : 0;
}

/* How many of first … first + n - 1 are. */
static inline uint64_t load_share_between(struct load_share s, uint64_t first, uint64_t n)
{
    return load_share_of(s, first + n) - load_share_of(s, first);
}

/* The number over the whole plan of the share's k-th. */
static inline uint64_t load_share_number(struct load_share s, uint64_t k)
{
    return k * load_share_count(s) + s.index;
}

#endif
