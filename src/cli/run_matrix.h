/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From a plan and its samples to the matrix that is reported. */
#ifndef PLIMSOLL_CLI_RUN_MATRIX_H
#define PLIMSOLL_CLI_RUN_MATRIX_H

#include "result/matrix.h"
#include "suite/sample.h"

MUST_CHECK int run_matrix_init(struct matrix *m, const struct plan *p, const char *name, const char *run,
                               struct err *err);
/* step: its number in the plan. */
MUST_CHECK int run_matrix_add(struct matrix *m, size_t step, enum sample_outcome outcome, const struct result *r,
                              const char *note, struct err *err);
/* The step that a stored sample was made for; SIZE_MAX: none of this plan. */
size_t run_matrix_find(const struct plan *p, const struct result *r);
/* The label by which a stored sample tells its side. */
#define RUN_SIDE_LABEL "side"

#endif
