/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The file of --tolerance, YAML or JSON: a list of rules as touchstone's users have them,
 *     - json_path: test_type/edge/routes/500/requests_per_s      (or a list of these parts)
 *       tolerancy: -15
 *       max_failures: 33                                         (percent; 0 when absent) */
#ifndef PLIMSOLL_CLI_COMPARE_RULES_H
#define PLIMSOLL_CLI_COMPARE_RULES_H

#include "result/tolerance_rules.h"

/* name: for messages. ERR_CONFIG "NAME:LINE: what is wrong", and *out is empty. */
MUST_CHECK int compare_rules_parse(struct tolerance_rules *out, const char *name, struct slice text, struct err *err);

#endif
