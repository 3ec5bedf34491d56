/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/hist_codec.h"

#include "stats/slots.h"

/* count, sum, min, max, overflow */
#define FIGURES 5u

size_t hist_pack_max(void)
{
    return (FIGURES + HIST_SLOTS) * VARINT_MAX;
}

/* Eight at a time: between the fastest and the slowest request most slots are empty. */
static uint32_t skip_empty(const uint64_t *slots, uint32_t i, uint32_t last)
{
    while (i + 7u <= last) {
        const uint64_t *s = slots + i;
        if ((s[0] | s[1] | s[2] | s[3] | s[4] | s[5] | s[6] | s[7]) != 0)
            break;
        i += 8u;
    }
    while (i <= last && slots[i] == 0)
        i++;
    return i;
}

uint8_t *slots_put(uint8_t *out, const uint64_t *slots, uint32_t first, uint32_t last)
{
    for (uint32_t i = first; i <= last;) {
        if (slots[i] != 0) {
            out = varint_put(out, zigzag((int64_t)slots[i++]));
            continue;
        }
        const uint32_t next = skip_empty(slots, i, last);
        out = varint_put(out, zigzag(-(int64_t)(next - i)));
        i = next;
    }
    return out;
}

uint8_t *slots_put_all(uint8_t *out, const struct hist *h, uint32_t first)
{
    struct packed_reader r = packed_reader_of(h);

    if (h->_packed == NULL)
        return slots_put(out, h->_slots, first, hist_slot_of(h->_max_ns));
    while (packed_next(&r)) {
        if (r.slot > first)
            out = varint_put(out, zigzag(-(int64_t)(r.slot - first)));
        out = varint_put(out, zigzag((int64_t)r.count));
        first = r.slot + 1;
    }
    return out;
}

size_t hist_pack(const struct hist *h, uint8_t *out)
{
    uint8_t *p = out;

    p = varint_put(p, h->_count);
    p = varint_put(p, h->_overflow);
    if (h->_count == 0)
        return (size_t)(p - out);
    p = varint_put(p, h->_sum_ns);
    p = varint_put(p, h->_min_ns);
    p = varint_put(p, h->_max_ns);
    p = slots_put_all(p, h, hist_slot_of(h->_min_ns));
    return (size_t)(p - out);
}

/* ---- unpacking ---- */

struct reader {
    const uint8_t *at;
    size_t left;
    bool short_of_bytes;
};

static inline uint64_t take(struct reader *r)
{
    uint64_t v = 0;
    size_t used;

    if (r->left > 0 && *r->at < 0x80u) {
        r->left--;
        return *r->at++;
    }
    used = varint_get(r->at, r->left, &v);
    if (used == 0) {
        r->short_of_bytes = true;
        return 0;
    }
    r->at += used;
    r->left -= used;
    return v;
}

/* Adds the counters of slots first to last. False when they are not the ones that the figures speak of. */
static bool take_slots(struct hist *h, struct reader *r, uint32_t first, uint32_t last, uint64_t count)
{
    uint64_t total = 0;
    uint64_t n = 0;

    for (uint32_t i = first; i <= last; i++) {
        const int64_t v = unzigzag(take(r));
        const uint64_t empty = v < 0 ? 0u - (uint64_t)v : 0u;
        if (r->short_of_bytes || v == 0 || empty > last - i)
            return false; /* the last slot is never empty */
        if (empty > 0) {
            if (i == first)
                return false; /* nor is the first */
            i += (uint32_t)empty - 1u;
            n = 0;
            continue;
        }
        n = (uint64_t)v;
        if (__builtin_add_overflow(total, n, &total))
            return false;
        h->_slots[i] += n;
    }
    return n != 0 && total == count;
}

int hist_unpack_into(struct hist *h, const uint8_t *bytes, size_t len, struct err *err)
{
    struct reader r = { .at = bytes, .left = len };

    const uint64_t count = take(&r);
    const uint64_t overflow = take(&r);
    if (count > 0) {
        const uint64_t sum_ns = take(&r);
        const uint64_t min_ns = take(&r);
        const uint64_t max_ns = take(&r);
        if (r.short_of_bytes || min_ns > max_ns || max_ns > HIST_MAX_NS ||
            !take_slots(h, &r, hist_slot_of(min_ns), hist_slot_of(max_ns), count))
            return err_set(err, ERR_PEER, 0, "these %zu bytes are not a packed histogram", len);
        h->_count += count;
        h->_sum_ns += sum_ns;
        h->_min_ns = min_ns < h->_min_ns ? min_ns : h->_min_ns;
        h->_max_ns = max_ns > h->_max_ns ? max_ns : h->_max_ns;
    }
    h->_overflow += overflow;
    if (r.short_of_bytes || r.left != 0)
        return err_set(err, ERR_PEER, 0, "these %zu bytes are not a packed histogram", len);
    return 0;
}

/* ---- sums ---- */

/* A packed histogram on its way: its figures, and the slot in hand. */
struct walk {
    struct reader r;
    uint64_t count, overflow, sum_ns, min_ns, max_ns;
    uint32_t next, slot; /* HIST_SLOTS: behind the last one */
    uint64_t n;
};

static inline void walk_on(struct walk *w)
{
    while (w->r.left > 0 && w->next < HIST_SLOTS) {
        const uint64_t v = take(&w->r);

        if ((v & 1u) == 0 && v > 0) {
            w->slot = w->next++;
            w->n = v >> 1;
            return;
        }
        if (v == 0 || v > 2 * HIST_SLOTS)
            w->r.short_of_bytes = true;
        w->next += w->r.short_of_bytes ? HIST_SLOTS : (uint32_t)(v >> 1) + 1u;
    }
    w->r.short_of_bytes |= w->r.left > 0;
    w->slot = HIST_SLOTS;
    w->n = 0;
}

static struct walk walk_of(struct slice packed)
{
    struct walk w = { .r = { .at = (const uint8_t *)packed.ptr, .left = packed.len }, .min_ns = UINT64_MAX };

    w.count = take(&w.r);
    w.overflow = take(&w.r);
    w.next = HIST_SLOTS;
    if (w.count > 0) {
        w.sum_ns = take(&w.r);
        w.min_ns = take(&w.r);
        w.max_ns = take(&w.r);
        w.next = w.min_ns <= HIST_MAX_NS ? hist_slot_of(w.min_ns) : HIST_SLOTS;
    }
    walk_on(&w);
    return w;
}

static uint8_t *put_figures(uint8_t *out, const struct walk *a, const struct walk *b)
{
    out = varint_put(out, a->count + b->count);
    out = varint_put(out, a->overflow + b->overflow);
    if (a->count + b->count == 0)
        return out;
    out = varint_put(out, a->sum_ns + b->sum_ns);
    out = varint_put(out, a->min_ns < b->min_ns ? a->min_ns : b->min_ns);
    return varint_put(out, a->max_ns > b->max_ns ? a->max_ns : b->max_ns);
}

size_t hist_pack_sum(uint8_t *out, struct slice a, struct slice b)
{
    struct walk x = walk_of(a), y = walk_of(b);
    uint8_t *end = put_figures(out, &x, &y);
    uint32_t next = x.slot < y.slot ? x.slot : y.slot;

    while (x.slot < HIST_SLOTS || y.slot < HIST_SLOTS) {
        const uint32_t slot = x.slot < y.slot ? x.slot : y.slot;
        uint64_t n = 0;

        if (slot > next)
            end = varint_put(end, zigzag(-(int64_t)(slot - next)));
        if (x.slot == slot) {
            n = x.n;
            walk_on(&x);
        }
        if (y.slot == slot) {
            n += y.n;
            walk_on(&y);
        }
        end = varint_put(end, zigzag((int64_t)n));
        next = slot + 1;
    }
    return x.r.short_of_bytes || y.r.short_of_bytes ? 0 : (size_t)(end - out);
}
