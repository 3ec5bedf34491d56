/* Latency histogram: counts values in nanoseconds with a relative error of at most 0.1 %.
 *
 * Layout: HdrHistogram's (Gil Tene, http://hdrhistogram.org): 3 significant digits, so 2048
 * sub-buckets; values 1 ns … 1 h. [essay: summary, derivation, worked example belongs here]
 *
 * Always true: hist_count() equals the number of successful records and merges; sum, min and max are
 * exact (unsigned 64-bit integers). Values above an hour are counted in hist_overflow(), never clipped silently.
 * Not thread-safe: one per worker, merged after the workers have stopped.
 * Never allocates after hist_new(): the counters lie in memory mapped there and touched on first use,
 * so an unused histogram costs a few hundred bytes and a used one a few KiB. Knows nothing about HTTP or output. */
#ifndef PLIMSOLL_STATS_HIST_H
#define PLIMSOLL_STATS_HIST_H

#include "base/buf.h"
#include "base/err.h"

#include <stdbool.h>
#include <stdint.h>

#define HIST_MAX_NS UINT64_C(3600000000000)
#define HIST_SUB_BITS 11u /* 2^11 sub-buckets: 3 significant digits */
#define HIST_SUB_COUNT (1u << HIST_SUB_BITS)
#define HIST_SUB_HALF (HIST_SUB_COUNT / 2u)
#define HIST_SLOTS ((32u + 1u) * HIST_SUB_HALF)

/* Plain data so that hist_record() can be inlined; fields are private to stats/. */
struct hist {
    uint64_t _count;
    uint64_t _sum_ns;
    uint64_t _min_ns; /* UINT64_MAX when empty */
    uint64_t _max_ns;
    uint64_t _overflow;
    uint64_t *_slots; /* HIST_SLOTS counters in mapped memory */
};

/* The caller ends *out with hist_free(). 0, or -1 with *out NULL. */
MUST_CHECK int hist_new(struct hist **out, struct err *err);
void hist_free(struct hist *h); /* NULL is fine */
/* For arrays of histograms inside somebody's struct. */
MUST_CHECK int hist_init(struct hist *h, struct err *err);
void hist_release(struct hist *h);
/* Empties it; clears only the part that was used. */
void hist_reset(struct hist *h);

static inline uint32_t hist_slot_of(uint64_t ns)
{
    const unsigned pow2 = 64u - (unsigned)__builtin_clzll(ns | (HIST_SUB_COUNT - 1u)); /* 11 … */
    const unsigned bucket = pow2 - HIST_SUB_BITS;
    const uint32_t sub = (uint32_t)(ns >> bucket);

    return ((bucket + 1u) << (HIST_SUB_BITS - 1u)) + sub - HIST_SUB_HALF;
}

/* False when ns is above HIST_MAX_NS: counted in hist_overflow() alone. */
static inline bool hist_record(struct hist *h, uint64_t ns)
{
    if (__builtin_expect(ns > HIST_MAX_NS, 0)) {
        h->_overflow++;
        return false;
    }
    h->_count++;
    h->_sum_ns += ns;
    if (ns < h->_min_ns)
        h->_min_ns = ns;
    if (ns > h->_max_ns)
        h->_max_ns = ns;
    h->_slots[hist_slot_of(ns)]++;
    return true;
}

void hist_record_n(struct hist *h, uint64_t ns, uint64_t n);
void hist_merge(struct hist *into, const struct hist *from);
MUST_CHECK int hist_copy(struct hist **out, const struct hist *from, struct err *err);
bool hist_equal(const struct hist *a, const struct hist *b); /* counts, sum, min, max, overflow */

uint64_t hist_count(const struct hist *h); /* NULL counts as empty in all of these */
uint64_t hist_sum_ns(const struct hist *h);
uint64_t hist_min_ns(const struct hist *h); /* 0 when empty */
uint64_t hist_max_ns(const struct hist *h);
uint64_t hist_overflow(const struct hist *h);
double hist_mean_ns(const struct hist *h);   /* exact sum / count; 0 when empty */
double hist_stddev_ns(const struct hist *h); /* of the population, from the slots' middles, around the exact mean */
/* Rank rule: the smallest recorded value v such that at least ceil(q/100 * count) values are <= v, within the
 * resolution: the slot's highest equivalent value, clamped to the exact min and max. percentile in 0..100; 0 gives min. 0 when empty. */
uint64_t hist_value_at(const struct hist *h, double percentile);
/* How many recorded values are <= ns (by slot). */
uint64_t hist_count_at_or_below(const struct hist *h, uint64_t ns);
uint64_t hist_lowest_equivalent(uint64_t ns);
uint64_t hist_highest_equivalent(uint64_t ns);

/* Walks the non-empty slots in rising order. */
struct hist_iter {
    const struct hist *hist;
    uint32_t _next;
    uint64_t low_ns, high_ns; /* the slot's lowest and highest equivalent values */
    uint64_t count;
    uint64_t cumulative;
};
void hist_iter_init(struct hist_iter *it, const struct hist *h);
bool hist_iter_next(struct hist_iter *it);

/* For the owner of the exact figures that a codec can not carry (a document read back): sets sum, min
 * and max. -1 when they contradict the slots (min/max not in the outermost used slots). */
MUST_CHECK int hist_set_exact(struct hist *h, uint64_t sum_ns, uint64_t min_ns, uint64_t max_ns, struct err *err);

#endif
