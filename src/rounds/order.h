/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which round comes when. Interleaved, every size has its turn before any has its second, so that what drifts on the
 * machine or the platform falls on all alike. Two commands (A/B) always run next to each other, A first and B first in
 * turn. */
#ifndef PLIMSOLL_ROUNDS_ORDER_H
#define PLIMSOLL_ROUNDS_ORDER_H

#include "rounds/rounds.h"

struct order_entry {
    uint32_t series, concurrency, sample; /* sample from 1 */
    bool warmup;
};

/* All rounds, the warm-ups first; the caller frees *out. */
MUST_CHECK int order_make(struct order_entry **out, size_t *count, const struct rounds_plan *plan, struct err *err);

#endif
