/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The `config` of a result: what the options resolved to, without secrets. */
#ifndef PLIMSOLL_CLI_LOAD_CONFIG_H
#define PLIMSOLL_CLI_LOAD_CONFIG_H

#include "cli/load_options.h"
#include "load/load.h"
#include "result/result.h"

/* False when out of memory. */
bool load_config_add(struct result *r, const struct load_options *o, const struct load_plan *plan);

#endif
