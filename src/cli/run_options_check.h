/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a suite gives to load, rounds and checks, judged as these would, before anything is started: a mistake costs no
 * set-up. Each cell (and side) has its own words, filled in as for its sample; what only a run knows ({port:NAME},
 * {work}) has a value that stands in for it. Files that are named are not opened: the set-up may make them. */
#ifndef PLIMSOLL_CLI_RUN_OPTIONS_CHECK_H
#define PLIMSOLL_CLI_RUN_OPTIONS_CHECK_H

#include "suite/plan.h"

/* The first that is refused: its error, with "FILE:LINE: " of the option before it and, where there are several, the
 * cell. */
MUST_CHECK int run_options_check(const struct plan *p, struct err *err);

#endif
