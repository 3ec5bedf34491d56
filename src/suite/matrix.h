/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What makes a plan works on, and the making of its cells. */
#ifndef PLIMSOLL_SUITE_MATRIX_H
#define PLIMSOLL_SUITE_MATRIX_H

#include "suite/plan.h"

struct maker {
    struct plan *plan;
    const struct suite *suite;
    struct names parameters;
    struct strlist *values; /* by dimension, filled in */
    struct err *err;
};

/* Fills the plan's cells from the dimensions, exclude and include, and keeps those that fit `only`. */
MUST_CHECK int matrix_make(struct maker *m, const struct strlist *only);
void matrix_free_cell(const struct suite *s, struct plan_cell *cell);

#endif
