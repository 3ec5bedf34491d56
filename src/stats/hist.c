/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/hist.h"

#include "base/pages.h"
#include "stats/slots.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define HIST_BYTES (HIST_SLOTS * sizeof(uint64_t))

_Static_assert(HIST_BYTES % 4096 == 0, "histograms of a pool share no page");

static bool is_empty(const struct hist *h)
{
    return h == NULL || h->_count == 0;
}

/* ---- life ---- */

static void init_over(struct hist *h, uint64_t *slots, bool borrowed)
{
    *h = (struct hist){ ._min_ns = UINT64_MAX, ._slots = slots, ._borrowed = borrowed };
}

int hist_init(struct hist *h, struct err *err)
{
    void *slots;

    memset(h, 0, sizeof(*h));
    if (pages_map(&slots, HIST_BYTES, err) < 0)
        return -1;
    init_over(h, slots, false);
    return 0;
}

void hist_release(struct hist *h)
{
    free(h->_packed);
    if (!h->_borrowed)
        pages_unmap(h->_slots, HIST_BYTES);
    memset(h, 0, sizeof(*h));
}

int hist_new(struct hist **out, struct err *err)
{
    struct hist *h = malloc(sizeof(*h));

    *out = NULL;
    if (h == NULL)
        return err_set(err, ERR_SYSTEM, ENOMEM, "cannot make a histogram");
    if (hist_init(h, err) < 0) {
        free(h);
        return -1;
    }
    *out = h;
    return 0;
}

void hist_free(struct hist *h)
{
    if (h == NULL)
        return;
    hist_release(h);
    free(h);
}

/* One that was read and is to be written after all gets slots. */
static void need_slots(struct hist *h)
{
    struct packed_reader r;
    void *slots;

    if (h->_packed == NULL)
        return;
    if (pages_map(&slots, HIST_BYTES, NULL) < 0)
        BUG("no memory for the slots of a histogram that was read");
    h->_slots = slots;
    for (r = packed_reader_of(h); packed_next(&r);)
        h->_slots[r.slot] = r.count;
    free(h->_packed);
    h->_packed = NULL;
    h->_packed_words = 0;
}

/* Looks before it writes: a slot that is 0 may lie in a page that was never touched, and writing there would take
 * memory. */
void hist_reset(struct hist *h)
{
    need_slots(h);
    if (h->_count > 0) {
        const uint32_t last = hist_slot_of(h->_max_ns);
        for (uint32_t i = hist_slot_of(h->_min_ns); i <= last; i++)
            if (h->_slots[i] != 0)
                h->_slots[i] = 0;
    }
    init_over(h, h->_slots, h->_borrowed);
}

int hist_pool_init(struct hist_pool *pool, size_t n, struct err *err)
{
    void *memory;

    *pool = (struct hist_pool){ 0 };
    if (n > SIZE_MAX / HIST_BYTES)
        return err_set(err, ERR_SYSTEM, ENOMEM, "cannot map %zu histograms", n);
    if (pages_map(&memory, n * HIST_BYTES, err) < 0)
        return err_prefix(err, "cannot make %zu histograms", n);
    *pool = (struct hist_pool){ ._memory = memory, ._capacity = n };
    return 0;
}

void hist_pool_release(struct hist_pool *pool)
{
    pages_unmap(pool->_memory, pool->_capacity * HIST_BYTES);
    *pool = (struct hist_pool){ 0 };
}

int hist_pool_take(struct hist_pool *pool, struct hist *h, struct err *err)
{
    memset(h, 0, sizeof(*h));
    if (pool->_used == pool->_capacity)
        return err_set(err, ERR_LIMIT, 0, "all %zu histograms of the pool are taken", pool->_capacity);
    init_over(h, pool->_memory + pool->_used * HIST_SLOTS, true);
    pool->_used++;
    return 0;
}

/* ---- writing ---- */

void hist_record_n(struct hist *h, uint64_t ns, uint64_t n)
{
    if (n == 0)
        return;
    if (ns > HIST_MAX_NS) {
        h->_overflow += n;
        return;
    }
    need_slots(h);
    h->_count += n;
    h->_sum_ns += ns * n;
    if (ns < h->_min_ns)
        h->_min_ns = ns;
    if (ns > h->_max_ns)
        h->_max_ns = ns;
    h->_slots[hist_slot_of(ns)] += n;
}

static void merge_slots(struct hist *into, const struct hist *from)
{
    const uint32_t last = hist_slot_of(from->_max_ns);

    for (uint32_t i = hist_slot_of(from->_min_ns); i <= last; i++)
        if (from->_slots[i] != 0) /* as in hist_reset(): untouched memory stays untouched */
            into->_slots[i] += from->_slots[i];
}

static void merge_packed(struct hist *into, const struct hist *from)
{
    struct packed_reader r = packed_reader_of(from);

    while (packed_next(&r))
        into->_slots[r.slot] += r.count;
}

void hist_merge(struct hist *into, const struct hist *from)
{
    if (from == NULL)
        return;
    into->_overflow += from->_overflow;
    into->_coarse |= from->_coarse;
    if (from->_count == 0)
        return;
    need_slots(into);
    if (from->_packed != NULL)
        merge_packed(into, from);
    else
        merge_slots(into, from);
    into->_count += from->_count;
    into->_sum_ns += from->_sum_ns;
    if (from->_min_ns < into->_min_ns)
        into->_min_ns = from->_min_ns;
    if (from->_max_ns > into->_max_ns)
        into->_max_ns = from->_max_ns;
}

int hist_copy(struct hist **out, const struct hist *from, struct err *err)
{
    if (hist_new(out, err) < 0)
        return -1;
    hist_merge(*out, from);
    return 0;
}

/* ---- reading ---- */

uint64_t hist_count(const struct hist *h)
{
    return h != NULL ? h->_count : 0;
}

uint64_t hist_sum_ns(const struct hist *h)
{
    return h != NULL ? h->_sum_ns : 0;
}

uint64_t hist_min_ns(const struct hist *h)
{
    return is_empty(h) ? 0 : h->_min_ns;
}

uint64_t hist_max_ns(const struct hist *h)
{
    return h != NULL ? h->_max_ns : 0;
}

uint64_t hist_overflow(const struct hist *h)
{
    return h != NULL ? h->_overflow : 0;
}

double hist_mean_ns(const struct hist *h)
{
    return is_empty(h) ? 0.0 : (double)h->_sum_ns / (double)h->_count;
}

uint64_t hist_lowest_equivalent(uint64_t ns)
{
    const unsigned bits = 64u - (unsigned)__builtin_clzll(ns | (HIST_SUB_COUNT - 1u));
    const unsigned dropped = bits - HIST_SUB_BITS;

    return ns >> dropped << dropped;
}

uint64_t hist_highest_equivalent(uint64_t ns)
{
    const unsigned bits = 64u - (unsigned)__builtin_clzll(ns | (HIST_SUB_COUNT - 1u));

    return ns | ((UINT64_C(1) << (bits - HIST_SUB_BITS)) - 1u);
}

static uint64_t clamp(uint64_t v, uint64_t low, uint64_t high)
{
    return v < low ? low : v > high ? high : v;
}

bool hist_is_coarse(const struct hist *h)
{
    return h != NULL && h->_coarse;
}

static bool same_slots(const struct hist *a, const struct hist *b)
{
    struct hist_iter x, y;
    bool more;

    hist_iter_init(&x, a);
    hist_iter_init(&y, b);
    do {
        more = hist_iter_next(&x);
        if (more != hist_iter_next(&y) || (more && (x.low_ns != y.low_ns || x.count != y.count)))
            return false;
    } while (more);
    return true;
}

bool hist_equal(const struct hist *a, const struct hist *b)
{
    if (hist_count(a) != hist_count(b) || hist_overflow(a) != hist_overflow(b))
        return false;
    if (is_empty(a))
        return true;
    if (a->_sum_ns != b->_sum_ns || a->_min_ns != b->_min_ns || a->_max_ns != b->_max_ns)
        return false;
    return same_slots(a, b);
}

/* A slot's values are taken to lie at its middle, but never outside what was really seen: equal values have no spread.
 */
double hist_stddev_ns(const struct hist *h)
{
    struct hist_iter it;
    double squares = 0.0;

    if (is_empty(h))
        return 0.0;
    const double mean = hist_mean_ns(h);
    hist_iter_init(&it, h);
    while (hist_iter_next(&it)) {
        const double low = (double)clamp(it.low_ns, h->_min_ns, h->_max_ns);
        const double high = (double)clamp(it.high_ns, h->_min_ns, h->_max_ns);
        const double off = (low + high) / 2.0 - mean;
        squares += off * off * (double)it.count;
    }
    return sqrt(squares / (double)h->_count);
}

/* ceil(percentile / 100 * count) in integers: 99.9 / 100 * 1000 is above 999 in binary fractions, and its ceiling 1000.
 */
static uint64_t rank_of(double percentile, uint64_t count)
{
    const uint64_t whole = UINT64_C(100000000000); /* 100 with 9 decimals */

    if (!(percentile > 0.0))
        return 0;
    if (percentile >= 100.0)
        return count;
    const uint64_t share = (uint64_t)llround(percentile * 1e9);
    return (uint64_t)(((unsigned __int128)share * count + whole - 1u) / whole);
}

/* The same for a packed one, which documents are read as by the hundred thousand. */
static void values_at_packed(const struct hist *h, const double *percentiles, size_t n, uint64_t *out)
{
    struct packed_reader r = packed_reader_of(h);
    uint64_t cumulative = 0;
    bool more = true;

    for (size_t i = 0; i < n; i++) {
        const uint64_t rank = rank_of(percentiles[i], h->_count);

        while (more && cumulative < rank) {
            more = packed_next(&r);
            cumulative += more ? r.count : 0;
        }
        if (rank == 0)
            out[i] = h->_min_ns;
        else
            out[i] = cumulative >= rank ? clamp(hist_highest_equivalent(slot_low(r.slot)), h->_min_ns, h->_max_ns)
                                        : h->_max_ns;
    }
}

void hist_values_at(const struct hist *h, const double *percentiles, size_t n, uint64_t *out)
{
    struct hist_iter it;
    bool more = true;

    if (!is_empty(h) && h->_packed != NULL) {
        values_at_packed(h, percentiles, n, out);
        return;
    }
    hist_iter_init(&it, h);
    for (size_t i = 0; i < n; i++) {
        const uint64_t rank = is_empty(h) ? 0 : rank_of(percentiles[i], h->_count);

        while (more && it.cumulative < rank)
            more = hist_iter_next(&it);
        if (rank == 0)
            out[i] = hist_min_ns(h);
        else
            out[i] = it.cumulative >= rank ? clamp(it.high_ns, h->_min_ns, h->_max_ns) : h->_max_ns;
    }
}

uint64_t hist_value_at(const struct hist *h, double percentile)
{
    uint64_t value;

    hist_values_at(h, &percentile, 1, &value);
    return value;
}

uint64_t hist_count_at_or_below(const struct hist *h, uint64_t ns)
{
    struct hist_iter it;
    uint64_t total = 0;

    if (is_empty(h) || ns < hist_lowest_equivalent(h->_min_ns))
        return 0;
    if (ns >= h->_max_ns)
        return h->_count;
    hist_iter_init(&it, h);
    while (hist_iter_next(&it) && it.low_ns <= ns)
        total += it.count;
    return total;
}

void hist_iter_init(struct hist_iter *it, const struct hist *h)
{
    *it = (struct hist_iter){ .hist = h };
    if (is_empty(h))
        return;
    it->_at = h->_packed;
    if (h->_packed == NULL)
        it->_next = hist_slot_of(h->_min_ns);
}

static void stand_at(struct hist_iter *it, uint32_t slot, uint64_t count)
{
    it->low_ns = slot_low(slot);
    it->high_ns = hist_highest_equivalent(it->low_ns);
    it->count = count;
    it->cumulative += count;
    it->_next = slot + 1;
}

static bool next_of_packed(struct hist_iter *it)
{
    struct packed_reader r = { .at = it->_at, .end = it->hist->_packed + it->hist->_packed_words };
    const bool more = packed_next(&r);

    it->_at = r.at;
    if (more)
        stand_at(it, r.slot, r.count);
    return more;
}

bool hist_iter_next(struct hist_iter *it)
{
    const struct hist *h = it->hist;

    if (is_empty(h))
        return false;
    if (h->_packed != NULL)
        return next_of_packed(it);
    const uint32_t last = hist_slot_of(h->_max_ns);
    while (it->_next <= last && h->_slots[it->_next] == 0)
        it->_next++;
    if (it->_next > last)
        return false;
    stand_at(it, it->_next, h->_slots[it->_next]);
    return true;
}

/* The same from the sums that were made when it was read: of the first and the last slot some values are out of
 * reach. */
static bool sum_of_packed_is_possible(const struct hist *h, uint64_t sum_ns, uint64_t min_ns, uint64_t max_ns)
{
    struct packed_reader first = packed_reader_of(h);
    const uint64_t above = hist_highest_equivalent(max_ns) - max_ns, below = min_ns - hist_lowest_equivalent(min_ns);

    (void)packed_next(&first);
    const unsigned __int128 least = (unsigned __int128)h->_lows_ns + (unsigned __int128)below * first.count;
    const unsigned __int128 most = (unsigned __int128)h->_lows_ns + h->_widths_ns;
    return sum_ns >= least && sum_ns + (unsigned __int128)above * h->_last_count <= most;
}

/* The smallest and the largest sum that the counted values can have, min and max being what they are: only the
 * outermost slots reach beyond those. */
static bool sum_is_possible(const struct hist *h, uint64_t sum_ns, uint64_t min_ns, uint64_t max_ns)
{
    struct hist_iter it;
    unsigned __int128 least = 0;
    unsigned __int128 most = 0;

    if (h->_packed != NULL)
        return sum_of_packed_is_possible(h, sum_ns, min_ns, max_ns);

    hist_iter_init(&it, h);
    while (hist_iter_next(&it)) {
        least += (unsigned __int128)clamp(it.low_ns, min_ns, max_ns) * it.count;
        most += (unsigned __int128)clamp(it.high_ns, min_ns, max_ns) * it.count;
    }
    return sum_ns >= least && sum_ns <= most;
}

int hist_set_exact(struct hist *h, uint64_t sum_ns, uint64_t min_ns, uint64_t max_ns, struct err *err)
{
    if (h->_count == 0) {
        if (sum_ns != 0 || min_ns != 0 || max_ns != 0)
            return err_set(err, ERR_PEER, 0, "an empty histogram has a sum, a minimum or a maximum");
        return 0;
    }
    if (min_ns > max_ns || max_ns > HIST_MAX_NS || hist_slot_of(min_ns) != hist_slot_of(h->_min_ns) ||
        hist_slot_of(max_ns) != hist_slot_of(h->_max_ns))
        return err_set(err, ERR_PEER, 0, "minimum %" PRIu64 " ns and maximum %" PRIu64 " ns contradict the histogram",
                       min_ns, max_ns);
    if (!sum_is_possible(h, sum_ns, min_ns, max_ns))
        return err_set(err, ERR_PEER, 0, "the sum %" PRIu64 " ns contradicts the histogram", sum_ns);
    h->_sum_ns = sum_ns;
    h->_min_ns = min_ns;
    h->_max_ns = max_ns;
    return 0;
}
