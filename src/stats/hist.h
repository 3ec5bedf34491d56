/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Latency histogram: counts values in nanoseconds with a relative error of at most 0.1 %.
 *
 * Always true: hist_count() equals the number of successful records and merges; sum, min and max are
 * exact (unsigned 64-bit integers). Values above an hour are counted in hist_overflow(), never clipped silently.
 * Not thread-safe: one per worker, merged after the workers have stopped.
 * Never allocates after hist_new(): the counters lie in memory mapped there and touched on first use,
 * so an unused histogram costs a few hundred bytes and a used one a few KiB. Knows nothing about HTTP or output.
 *
 * SUMMARY. Values run from 0 ns to 1 h, a range of 3.6e12: one counter per nanosecond is out of the question, and
 * equal steps of a millisecond would tell nothing about a reply of 200 us. So the steps grow with the values, as the
 * marks of a slide rule do: a value is kept to its 11 most significant bits, the rest is dropped. The layout is that of
 * HdrHistogram with 3 significant digits (Gil Tene, http://hdrhistogram.org), so its other implementations read us.
 *
 * LAYOUT. Let k = HIST_SUB_BITS = 11. Bucket 0 holds 2^k = 2048 slots of width 1: the values 0 ... 2047 exactly. Bucket
 * b >= 1 holds the values of [2^(k-1+b), 2^(k+b)) in 2^(k-1) = 1024 slots of width 2^b: only the upper half of its
 * range is new, the lower half being what bucket b - 1 covers already, and better. A value v >= 2048 lies in bucket b =
 * bits(v) - k, where bits(v) is the position of its highest set bit plus one; v >> b is then in 1024 ... 2047. So
 *
 *     index(v) = b * 1024 + (v >> b)      (for v < 2048, where b = 0, this is v itself)
 *
 * which rises by one from slot to slot, across the borders of the buckets too. An hour has 42 bits, so b <= 31 and
 * there are (32 + 1) * 1024 = 33 792 slots: 264 KiB of address space.
 *
 * DERIVATION of the error. The slot of v >= 2048 spans 2^b values, and v >= 1024 * 2^b. Whichever value of the slot
 * stands for v, it differs from it by at most 2^b - 1, so
 *
 *     |shown - v| / v  <=  (2^b - 1) / (1024 * 2^b)  <  1 / 1024  =  0.0977 %  <  0.1 %
 *
 * and below 2048 ns the width is 1 and the error 0. A percentile is shown as its slot's highest value, but never above
 * the exact maximum: it is at most 0.1 % too high and never too low.
 *
 * WORKED EXAMPLE. v = 1 000 000 ns (1 ms): 2^19 <= v < 2^20, so bits(v) = 20, b = 9, the width is 2^9 = 512, v >> 9 is
 * 1953 and index(v) = 9 * 1024 + 1953 = 11 169. The slot is 1953 * 512 ... 1954 * 512 - 1 = 999 936 ... 1 000 447 ns.
 * If 900 requests took 1 ms and 100 took 100 ms, p90 has rank ceil(0.90 * 1000) = 900; the 900th value is in this slot
 * and 1 000 447 is shown, 0.045 % above the truth. p95 has rank 950: the slot of 100 ms ends at 100 007 935, above the
 * exact maximum, so exactly 100 000 000 is shown. */
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
    uint64_t *_slots; /* HIST_SLOTS counters in mapped memory; all zero outside the slots of min ... max */
    bool _borrowed;   /* they belong to a hist_pool */
    bool _coarse;     /* see hist_is_coarse() */
    /* One that was read from a document has no slots: it stays the list of those that were not empty (slots.h), some
     * thousand bytes instead of some pages, until something is merged into it. hist_record() is not for it. */
    uint32_t *_packed;
    size_t _packed_words;
    uint64_t _lows_ns, _widths_ns; /* of a packed one: what hist_set_exact() wants to know of the slots (slots.h) */
    uint64_t _last_count;
};

/* The caller ends *out with hist_free(). 0, or -1 with *out NULL. */
MUST_CHECK int hist_new(struct hist **out, struct err *err);
void hist_free(struct hist *h); /* NULL is fine */
/* For histograms inside somebody's struct. On -1 *h is zeroed, and so it is after hist_release(); releasing a zeroed
 * one is fine, and reading it gives an empty histogram, but recording needs an initialised one. */
MUST_CHECK int hist_init(struct hist *h, struct err *err);
void hist_release(struct hist *h);
/* Empties it; clears only the part that was used. */
void hist_reset(struct hist *h);

/* Counters for many histograms in one mapping. A mapping of its own per histogram costs a system call each, and the
 * kernel allows 65 530 mappings a process (vm.max_map_count): with thousands of targets take them from a pool. They lie
 * wherever their owner wants them, are used like any other, and end with hist_release(), which leaves the memory to the
 * pool; the pool must outlive them. */
struct hist_pool {
    uint64_t *_memory;
    size_t _capacity;
    size_t _used;
};

/* Room for n histograms: 264 KiB of address space each, touched on first use. */
MUST_CHECK int hist_pool_init(struct hist_pool *pool, size_t n, struct err *err);
void hist_pool_release(struct hist_pool *pool); /* a zeroed pool is fine */
/* Like hist_init(), without a system call. Fails (ERR_LIMIT) only when all n are taken. */
MUST_CHECK int hist_pool_take(struct hist_pool *pool, struct hist *h, struct err *err);

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
void hist_merge(struct hist *into, const struct hist *from); /* NULL adds nothing */
MUST_CHECK int hist_copy(struct hist **out, const struct hist *from, struct err *err);
/* Some of its values were counted in another layout, wider slots or other limits, before they came here (a document of
 * another program): its counts are right, its values need not be within 0.1 %. */
bool hist_is_coarse(const struct hist *h);
bool hist_equal(const struct hist *a, const struct hist *b); /* counts, sum, min, max, overflow */

uint64_t hist_count(const struct hist *h); /* NULL counts as empty in all of these */
uint64_t hist_sum_ns(const struct hist *h);
uint64_t hist_min_ns(const struct hist *h); /* 0 when empty */
uint64_t hist_max_ns(const struct hist *h);
uint64_t hist_overflow(const struct hist *h);
double hist_mean_ns(const struct hist *h);   /* exact sum / count; 0 when empty */
double hist_stddev_ns(const struct hist *h); /* of the population, from the slots' middles, around the exact mean */
/* Rank rule: the smallest recorded value v such that at least ceil(q/100 * count) values are <= v, within the
 * resolution: the slot's highest equivalent value, clamped to the exact min and max. percentile in 0..100 (outside: the
 * nearer end; taken to 9 decimals, so that 99.9 of 1000 values is the 999th whatever the binary fraction); 0 gives min.
 * 0 when empty. */
uint64_t hist_value_at(const struct hist *h, double percentile);
/* The same for many in one walk; percentiles rise. */
void hist_values_at(const struct hist *h, const double *percentiles, size_t n, uint64_t *out);
/* How many recorded values are <= ns: those of ns's whole slot included. */
uint64_t hist_count_at_or_below(const struct hist *h, uint64_t ns);
uint64_t hist_lowest_equivalent(uint64_t ns);
uint64_t hist_highest_equivalent(uint64_t ns);

/* Walks the non-empty slots in rising order. */
struct hist_iter {
    const struct hist *hist;
    uint32_t _next;
    const uint32_t *_at;      /* of a packed one */
    uint64_t low_ns, high_ns; /* the slot's lowest and highest equivalent values */
    uint64_t count;
    uint64_t cumulative;
};
void hist_iter_init(struct hist_iter *it, const struct hist *h);
bool hist_iter_next(struct hist_iter *it);

/* For the owner of the exact figures that a codec can not carry (a document read back): sets sum, min
 * and max. -1 (ERR_PEER, nothing changed) when they contradict the slots: min or max not in the outermost used slots,
 * or a sum that no values of these slots can have. */
MUST_CHECK int hist_set_exact(struct hist *h, uint64_t sum_ns, uint64_t min_ns, uint64_t max_ns, struct err *err);

#endif
