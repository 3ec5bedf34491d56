/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A histogram's counters as a sequence of ZigZag varints: what both encodings of hist_codec.h have in common. Private
 * to stats/. */
#ifndef PLIMSOLL_STATS_SLOTS_H
#define PLIMSOLL_STATS_SLOTS_H

#include "stats/hist.h"
#include "stats/varint.h"

/* Slots `first` to `last`; at most VARINT_MAX bytes for each. Returns the end. */
uint8_t *slots_put(uint8_t *out, const uint64_t *slots, uint32_t first, uint32_t last);

/* The same as slots_put() of a histogram from slot first on, whether it has slots or is packed. */
uint8_t *slots_put_all(uint8_t *out, const struct hist *h, uint32_t first);

/* The counters of a packed histogram, of which none is 0, in rising order: each a word of slot << 16 | count; for a
 * count above 65 535 this is 0 there, and two words follow with its lower and its upper half. A histogram is read once
 * and walked several times: this takes a few instructions a slot and no branch that depends on the counts.
 *
 * Their owner also keeps the sums that bound the sum of all values, each slot's count times its lowest value (_lows_ns)
 * and times how much higher its highest value is (_widths_ns), and the last slot's count. */
#define PACKED_COUNT_MAX 0xffffu

struct packed_reader {
    const uint32_t *at, *end;
    uint32_t slot;
    uint64_t count;
};

static inline struct packed_reader packed_reader_of(const struct hist *h)
{
    return (struct packed_reader){ .at = h->_packed, .end = h->_packed + h->_packed_words };
}

static inline bool packed_next(struct packed_reader *r)
{
    if (r->at == r->end)
        return false;
    r->slot = *r->at >> 16;
    r->count = *r->at++ & PACKED_COUNT_MAX;
    if (__builtin_expect(r->count == 0, 0)) {
        r->count = (uint64_t)r->at[1] << 32 | r->at[0];
        r->at += 2;
    }
    return true;
}

/* Behind at, where there is room for three words. Returns the end. */
static inline uint32_t *packed_put(uint32_t *at, uint32_t slot, uint64_t count)
{
    *at++ = slot << 16 | (count <= PACKED_COUNT_MAX ? (uint32_t)count : 0u);
    if (count > PACKED_COUNT_MAX) {
        *at++ = (uint32_t)count;
        *at++ = (uint32_t)(count >> 32);
    }
    return at;
}

/* How much higher a slot's highest value is than its lowest one: 2^bucket - 1. */
static inline uint64_t slot_width(uint32_t slot)
{
    return slot < HIST_SUB_COUNT ? 0 : (UINT64_C(1) << (slot / HIST_SUB_HALF - 1u)) - 1u;
}

/* The lowest value of slot i: index(v) of the essay of hist.h, solved for v. */
static inline uint64_t slot_low(uint32_t i)
{
    const uint32_t bucket = i < HIST_SUB_COUNT ? 0 : i / HIST_SUB_HALF - 1u;

    return (uint64_t)(i - bucket * HIST_SUB_HALF) << bucket;
}

#endif
