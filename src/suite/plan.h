/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From a suite to what is done one after the other. Pure: no process, no clock, no file.
 *
 * Cells are the product of the dimensions (the last one varies fastest), less those that fit an `exclude` (all of its
 * pairs), plus those of `include`. Steps are samples of cells in the suite's order:
 *   interleaved  a sample of every cell, then the next, so that drift is nobody's effect;
 *   shuffled     the same rounds, each in an order of its own drawn from the seed;
 *   as-written   all samples of a cell, then the next cell.
 * With `against` each cell's sample has two sides, one after the other: AB in even rounds, BA in odd ones. */
#ifndef PLIMSOLL_SUITE_PLAN_H
#define PLIMSOLL_SUITE_PLAN_H

#include "suite/suite.h"

struct plan_cell {
    const char **values; /* by dimension; they belong to the suite */
    char *name;          /* "edge/500/1" */
    /* Budget. */
    bool has_need;
    double need, capacity;               /* connections; of all routers together */
    double worst, worst_capacity;        /* of the fullest router, given the imbalance */
    bool is_over, is_tight;              /* need > capacity; worst > worst_capacity, or a full fit */
    uint64_t client_ports, client_files; /* that the generator needs for it; 0: unknown */
};

struct plan_step {
    uint32_t cell, sample, side;
};

struct plan {
    const struct suite *suite;
    struct plan_cell *cells;
    size_t cell_count;
    struct plan_step *steps;
    size_t step_count;
    uint32_t samples; /* of each cell and side */
    uint32_t sides;   /* 1 or 2 */
    uint64_t seed;
    double estimate_s; /* of everything, from the lengths that the suite names; NAN: not known */
};

/* only: names of cells with * and ?; empty: all. A wrong number, an unknown place or dimension: ERR_CONFIG with its
 * line; nothing left to do, or more than SUITE_CELLS_MAX: ERR_CONFIG too. */
MUST_CHECK int plan_make(struct plan **out, const struct suite *s, const struct strlist *only, uint64_t seed,
                         struct err *err);
void plan_free(struct plan *p);

/* The places of a step: every parameter (of the side), dimension, cell, sample, side. Values belong to plan and suite,
 * but for those the caller adds. */
struct places;
MUST_CHECK int plan_places(const struct plan *p, const struct plan_step *step, struct places **out, struct err *err);

#endif
