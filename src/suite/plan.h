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

#include "suite/budget.h"
#include "suite/names.h"

struct plan_cell {
    char **values; /* by dimension */
    char *name;    /* "edge/500/1"; "all" without a matrix */
    struct cell_need need;
    uint64_t length_ns; /* of a sample, from what the suite names; 0: not known */
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
    uint64_t quiet_ns;    /* between samples */
    struct routes routes; /* of a cluster, when the suite's "routes" names a file; has_routes */
    bool has_routes;
    double estimate_s; /* of everything, from the lengths that the suite names; NAN: not known */
};

/* only: names of cells with * and ?; empty: all. A wrong number, an unknown place or dimension: ERR_CONFIG with its
 * line; nothing left to do, or more than SUITE_CELLS_MAX: ERR_CONFIG too. */
MUST_CHECK int plan_make(struct plan **out, const struct suite *s, const struct strlist *only, uint64_t seed,
                         struct err *err);
void plan_free(struct plan *p);

/* The places of a step: every parameter (of the side), dimension, cell, sample, side, dir. The caller may add to them
 * and ends them with names_release(). */
MUST_CHECK int plan_names(const struct plan *p, const struct plan_step *step, struct names *out, struct err *err);

/* The same before anything runs: what only the runner knows has a value that stands in for it. */
MUST_CHECK int plan_trial_names(const struct plan *p, const struct plan_step *step, struct names *out, struct err *err);

/* Those of no step: the parameters of the first side, and dir. */
MUST_CHECK int plan_parameters(const struct plan *p, struct names *out, struct err *err);

/* Every text of the suite has names that will be known where it is filled in. ERR_CONFIG for the first that has not,
 * with its line. */
MUST_CHECK int plan_check_texts(const struct plan *p, struct err *err);
/* Tells suites apart that make other samples: parameters, cells, what a sample is. 8 letters. */
#define PLAN_MARK_MAX 9
void plan_mark(const struct plan *p, char out[PLAN_MARK_MAX]);

#endif
