/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which stored run --resume means, and whether it was made with the same suite. */
#ifndef PLIMSOLL_CLI_RUN_RESUME_H
#define PLIMSOLL_CLI_RUN_RESUME_H

#include "result/result.h"
#include "store/store.h"

/* The member of a sample's configuration that holds plan_mark(). */
#define RUN_SUITE_MARK "suite"

/* store: NULL: nothing was ever stored. ERR_CONFIG when there is none, or there are several. */
MUST_CHECK int run_find(struct runstore *store, const char *reference, struct listing *found, struct err *err);
/* False: its samples would not belong to the same cells. */
bool run_is_of_suite(const struct result *r, const char *mark);

#endif
