/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The parts of a rounds document that come from the command line: name, labels, the command, the configuration. */
#ifndef PLIMSOLL_CLI_ROUNDS_CONFIG_H
#define PLIMSOLL_CLI_ROUNDS_CONFIG_H

#include "cli/rounds_inputs.h"

/* False: no memory, and a part is missing. */
bool rounds_config_add(struct result *r, const struct rounds_options *o, const struct rounds_inputs *in);

#endif
