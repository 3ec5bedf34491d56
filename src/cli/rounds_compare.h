/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plimsoll rounds --compare: the rounds of A against those of B. */
#ifndef PLIMSOLL_CLI_ROUNDS_COMPARE_H
#define PLIMSOLL_CLI_ROUNDS_COMPARE_H

#include "cli/rounds_options.h"

/* Prints the comparison below the report. The exit code of both: code is the run's own. */
int rounds_compare(const struct result *r, const struct rounds_options *o, int code, const char *who);

#endif
