/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a person or a script sees on standard error while a suite runs. */
#ifndef PLIMSOLL_CLI_RUN_PROGRESS_H
#define PLIMSOLL_CLI_RUN_PROGRESS_H

#include "cli/progress.h"
#include "suite/runner.h"

void run_progress_show(struct progress *progress, const struct plan *p, const struct runner_progress *now);
/* "edge/1 sample 2 of 3 (b)". */
void run_add_step(struct buf *out, const struct plan *p, const struct plan_step *step);

#endif
