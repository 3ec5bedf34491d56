/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One worker's seconds: an append-only log in mapped memory. The worker writes an entry at the end of each second and
 * publishes it with one atomic store; another thread may read what is published at any time (progress), and everything
 * after the run. */
#ifndef PLIMSOLL_LOAD_INTERVAL_LOG_H
#define PLIMSOLL_LOAD_INTERVAL_LOG_H

#include "base/err.h"
#include "result/result.h"

#include <stdatomic.h>

struct interval_counts {
    uint64_t index; /* the k-th second of the window; the drain is the one after the last */
    uint64_t start_ns, end_ns;
    uint64_t started, ok, failed, bytes;
    uint64_t failed_by_kind[FAIL_KINDS];
    uint64_t in_flight_ns; /* integral of the requests in flight */
    uint64_t in_flight_end;
};

struct interval_log {
    uint8_t *_bytes;
    size_t _size;
    _Atomic size_t _published;
};

MUST_CHECK int interval_log_init(struct interval_log *l, uint64_t expected_intervals, struct err *err);
void interval_log_release(struct interval_log *l);
/* False when the log is full: the caller lets the interval go on. */
bool interval_log_add(struct interval_log *l, const struct interval_counts *counts, const struct hist *latency);

/* Reads from *cursor (0 at first): false when nothing more is published. latency (may be NULL) is merged into. */
bool interval_log_next(const struct interval_log *l, size_t *cursor, struct interval_counts *counts,
                       struct hist *latency);

#endif
