/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One share of a limit's confirmation: no search, whose every trial decides the next, but the rounds at a level that is
 * known, and one 10 % above it, each a run of all shares together. A round's result goes to a file of its own; whether
 * the promise was kept is said of the merged ones. */
#ifndef PLIMSOLL_CLI_LIMIT_SHARE_H
#define PLIMSOLL_CLI_LIMIT_SHARE_H

#include "cli/limit_options.h"
#include "load/load.h"

/* What --share needs beside itself. ERR_USAGE */
MUST_CHECK int limit_share_check(const struct limit_options *o, struct err *err);
/* From the start of the first round to the end of the last. */
uint64_t limit_share_length_ns(const struct limit_options *o);
/* plan: of load_inputs.h, with its stop. The exit code: 0, 2 (nothing was sent), 3 (a round is invalid, or was not
 * written), 130. */
int limit_share_run(const struct limit_options *o, const struct load_plan *plan, const char *who);

#endif
