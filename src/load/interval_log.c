/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "load/interval_log.h"

#include <string.h>

#include "base/pages.h"
#include "stats/hist_codec.h"

struct entry_head {
    struct interval_counts counts;
    uint64_t packed_len;
};

#define TYPICAL_BYTES 8192u
#define ALIGN8(n) (((n) + 7u) & ~(size_t)7u)

int interval_log_init(struct interval_log *l, uint64_t expected_intervals, struct err *err)
{
    const uint64_t at_most = 1u << 20; /* a fortnight; beyond it intervals grow longer */
    void *bytes;
    const uint64_t n = expected_intervals < at_most ? expected_intervals : at_most;

    atomic_init(&l->_published, 0);
    l->_size = (size_t)(n * TYPICAL_BYTES) + 4 * (sizeof(struct entry_head) + hist_pack_max());
    if (pages_map(&bytes, l->_size, err) != 0)
        return -1;
    l->_bytes = bytes;
    return 0;
}

void interval_log_release(struct interval_log *l)
{
    pages_unmap(l->_bytes, l->_size);
    l->_bytes = NULL;
}

bool interval_log_add(struct interval_log *l, const struct interval_counts *counts, const struct hist *latency)
{
    const size_t at = atomic_load_explicit(&l->_published, memory_order_relaxed);
    struct entry_head head = { .counts = *counts };

    if (l->_size - at < sizeof(head) + hist_pack_max() + 8)
        return false;
    head.packed_len = hist_pack(latency, l->_bytes + at + sizeof(head));
    memcpy(l->_bytes + at, &head, sizeof(head));
    atomic_store_explicit(&l->_published, at + ALIGN8(sizeof(head) + head.packed_len), memory_order_release);
    return true;
}

bool interval_log_next(const struct interval_log *l, size_t *cursor, struct interval_counts *counts,
                       struct hist *latency)
{
    struct entry_head head;

    if (*cursor >= atomic_load_explicit(&l->_published, memory_order_acquire))
        return false;
    memcpy(&head, l->_bytes + *cursor, sizeof(head));
    *counts = head.counts;
    if (latency != NULL && hist_unpack_into(latency, l->_bytes + *cursor + sizeof(head), head.packed_len, NULL) != 0)
        BUG("an interval of our own does not unpack");
    *cursor += ALIGN8(sizeof(head) + head.packed_len);
    return true;
}
