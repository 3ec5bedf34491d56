/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One of several processes that carry out one plan together, each a share of it.
 *
 * Everything that can be counted is numbered through over the whole plan and dealt like cards (load/deal.h). So the
 * shares add up to the plan exactly, the first ones get what is left over, and none depends on what another does.
 *   connections  numbered in turn by target, in proportion: their numbers are the turns of the open model
 *   requests     of a schedule: by the turns, so in proportion to connections; else one by one. {seq} is the number
 *   feed         its rows, as requests: no row is in two shares, also after the last one
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

#endif
