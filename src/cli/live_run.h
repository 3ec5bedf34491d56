/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From what `plimsoll run` knows while it runs to the figures on the board. A sample is a process of its own: its
 * figures are the last line of its --progress json, as runner.h hands them on. The table is of the cells. */
#ifndef PLIMSOLL_CLI_LIVE_RUN_H
#define PLIMSOLL_CLI_LIVE_RUN_H

#include "cli/live.h"
#include "result/matrix.h"
#include "suite/runner.h"

struct live_run {
    struct live *live; /* NULL: nothing is shown */
    const struct plan *plan;
    double last_s; /* elapsed time of the last line that was read */
};

void live_run_init(struct live_run *l, struct live *live, const struct plan *plan, const char *name);
void live_run_show(struct live_run *l, const struct runner_progress *now);
/* A sample of this cell is over and in the matrix. */
void live_run_sample(struct live_run *l, const struct matrix *m, uint32_t cell);

#endif
