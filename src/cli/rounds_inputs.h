/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The plan of `plimsoll rounds`, made of what the user said, with everything the plan points to. Nothing is run. */
#ifndef PLIMSOLL_CLI_ROUNDS_INPUTS_H
#define PLIMSOLL_CLI_ROUNDS_INPUTS_H

#include "cli/rounds_options.h"
#include "rounds/phases.h"

struct rounds_inputs {
    struct rounds_plan plan; /* its result is kind "rounds", with its series and phases */
    struct phases *phases;   /* NULL: none */
    struct strlist words[4]; /* command, --compare, --setup, --cleanup */
    char *shell;
};

/* options must outlive inputs. On failure (ERR_USAGE, ERR_CONFIG) nothing is left to release. */
MUST_CHECK int rounds_inputs_make(struct rounds_inputs *in, const struct rounds_options *o, struct err *err);
/* The result goes with it. */
void rounds_inputs_release(struct rounds_inputs *in);
/* A command in one line, without secrets. */
void rounds_command_line(struct buf *out, const struct rounds_command *command);

#endif
