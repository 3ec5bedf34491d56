/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What each worker counts of its answers, and the Prometheus text of all of them together. A worker writes its own
 * counters alone; readers add them up. */
#ifndef PLIMSOLL_SERVE_METRICS_H
#define PLIMSOLL_SERVE_METRICS_H

#include "base/buf.h"

#include <stdint.h>

struct route;
struct serve_counts;

enum { METRICS_ROUTES = 48, METRICS_BUCKETS = 16, METRICS_CLASSES = 4 /* 2xx to 5xx */ };

/* Of one route. */
struct metrics_row {
    uint64_t by_class[METRICS_CLASSES];
    uint64_t buckets[METRICS_BUCKETS]; /* by the upper bounds of metrics.c; the last has no bound */
    uint64_t sum_ns;
};

struct metrics {
    struct metrics_row rows[METRICS_ROUTES]; /* by route_number() */
    uint64_t cut_off;                        /* answers that did not reach their end */
};

/* One answer that is over. route NULL: none was found. */
void metrics_add(struct metrics *m, const struct route *route, uint16_t status, uint64_t ns);
/* The text of n workers' counts. */
void metrics_write(struct buf *out, const struct metrics *const *workers, const struct serve_counts *counts,
                   unsigned n);

#endif
