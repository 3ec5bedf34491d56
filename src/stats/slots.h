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

/* The counters of a packed histogram, which were checked when they were read: slot and count of those that are not
 * empty. */
struct packed_reader {
    const uint8_t *at, *end;
    uint32_t next; /* slot */
    uint32_t slot;
    uint64_t count;
};

static inline struct packed_reader packed_reader_of(const struct hist *h)
{
    return (struct packed_reader){ .at = h->_packed, .end = h->_packed + h->_packed_bytes };
}

static inline bool packed_next(struct packed_reader *r)
{
    while (r->at < r->end) {
        uint64_t v = *r->at;
        const size_t used = v < 0x80u ? 1 : varint_get(r->at, (size_t)(r->end - r->at), &v);
        const int64_t n = unzigzag(v);

        r->at += used > 0 ? used : (size_t)(r->end - r->at);
        if (n > 0) {
            r->slot = r->next++;
            r->count = (uint64_t)n;
            return true;
        }
        r->next += n < 0 ? (uint32_t)-n : 1;
    }
    return false;
}

#endif
