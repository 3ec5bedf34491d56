/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What copies printed may hold the secrets that their commands were given: a program that fails likes to repeat its
 * arguments. They are taken, word by word, out of the last lines of failures and out of all that was said of the run.
 */
#ifndef PLIMSOLL_CLI_ROUNDS_SECRETS_H
#define PLIMSOLL_CLI_ROUNDS_SECRETS_H

#include "result/result.h"
#include "rounds/rounds.h"

/* Secrets of the plan's commands, and of --env the values whose names say that they are secret. -1: out of memory, and
 * nothing of the result may be shown. */
MUST_CHECK int rounds_mask(struct result *r, const struct rounds_plan *plan, struct err *err);

#endif
