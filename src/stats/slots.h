/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A histogram's counters as a sequence of ZigZag varints: what both encodings of hist_codec.h have in common. Private
 * to stats/. */
#ifndef PLIMSOLL_STATS_SLOTS_H
#define PLIMSOLL_STATS_SLOTS_H

#include "stats/hist.h"
#include "stats/varint.h"

/* Slots `first` to `last`; at most VARINT_MAX bytes for each. Returns the end. */
uint8_t *slots_put(uint8_t *out, const uint64_t *slots, uint32_t first, uint32_t last);

#endif
