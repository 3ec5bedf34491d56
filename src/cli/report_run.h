/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The page that `plimsoll run --html` writes at its end: the baseline's samples, when there is one, and the run's own.
 */
#ifndef PLIMSOLL_CLI_REPORT_RUN_H
#define PLIMSOLL_CLI_REPORT_RUN_H

#include "report/collection.h"

/* Before the first sample. baseline: what the store is asked for; NULL, or not there: the run stands alone. */
MUST_CHECK int report_run_begin(struct collection *c, const char *baseline, struct err *err);
/* An ended sample, complete. */
MUST_CHECK int report_run_add(struct collection *c, const struct result *r, struct err *err);
/* The file. metric, min_change: the suite's gate; NULL, 0: as comparisons choose. */
MUST_CHECK int report_run_write(struct collection *c, const char *path, const char *title, const char *metric,
                                double min_change, struct err *err);

#endif
