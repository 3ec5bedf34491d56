/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How comparison_make() goes about it, step by step. Private to result/. */
#ifndef PLIMSOLL_RESULT_COMPARISON_PARTS_H
#define PLIMSOLL_RESULT_COMPARISON_PARTS_H

#include "result/comparison.h"

/* All of them: -1 when out of memory, or as said. */

/* One fact of each name that occurs on the sides, in the order in which they occur; the caller frees *out. */
MUST_CHECK int comparison_list_facts(const struct comparison *c, const struct fact ***out, size_t *count,
                                     struct err *err);
/* Finds dimensions, then cells with their records. ERR_USAGE for a name of `by` that no record has. */
MUST_CHECK int comparison_find_cells(struct comparison *c, const struct strlist *by, struct err *err);
/* Sets differences; *workload_differs when what was offered is among them. */
MUST_CHECK int comparison_find_differences(struct comparison *c, bool *workload_differs, struct err *err);
/* Sets notes, sightings, requests, failures and fisher. */
MUST_CHECK int comparison_find_notes(struct comparison *c, struct err *err);

/* Where each record lies in time. */
struct comparison_order {
    uint32_t *round[3], *session[3]; /* by side and record */
};
/* Sets the design and fills *out. */
MUST_CHECK int comparison_find_order(struct comparison *c, struct comparison_order *out, bool same_session,
                                     struct err *err);
void comparison_order_release(struct comparison_order *o);

static inline const struct side *comparison_side(const struct comparison *c, int side)
{
    return side == 0 ? c->base : side == 1 ? c->new : c->history;
}
static inline size_t comparison_side_count(const struct comparison *c, int side)
{
    const struct side *s = comparison_side(c, side);

    return s != NULL ? s->count : 0;
}
/* A cell's records of a side. */
static inline const size_t *comparison_members(const struct comparison_cell *cell, int side, size_t *count)
{
    *count = side == 0 ? cell->base_count : side == 1 ? cell->new_count : cell->history_count;
    return side == 0 ? cell->base : side == 1 ? cell->new : cell->history;
}
int comparison_no_memory(struct err *err);

#endif
