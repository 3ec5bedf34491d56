/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a plan looks like before it is run. */
#ifndef PLIMSOLL_CLI_RUN_PLAN_H
#define PLIMSOLL_CLI_RUN_PLAN_H

#include "suite/plan.h"

/* --dry-run: what the suite is about, its parameters, every cell with its need, the order, the time. */
void run_plan_text(struct buf *out, const struct plan *p);
/* One line before a run: "12 cells x 3 samples, interleaved, about 4 min". */
void run_plan_line(struct buf *out, const struct plan *p);
/* Warnings of the budget, a sentence each. */
void run_plan_warnings(struct buf *out, const struct plan *p);

#endif
