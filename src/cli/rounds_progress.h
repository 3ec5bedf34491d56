/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a person or a script sees on standard error while rounds run. */
#ifndef PLIMSOLL_CLI_ROUNDS_PROGRESS_H
#define PLIMSOLL_CLI_ROUNDS_PROGRESS_H

#include "cli/progress.h"
#include "rounds/rounds.h"

void rounds_progress_show(struct progress *p, const struct rounds_progress *now);

/* The two forms, one line each without its end. */
void rounds_progress_line(struct buf *out, const struct rounds_progress *now);
void rounds_progress_json(struct buf *out, const struct rounds_progress *now);

#endif
