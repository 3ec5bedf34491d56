/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parsers of the values that only `plimsoll rounds` takes, for rows of options.h. */
#ifndef PLIMSOLL_CLI_ROUNDS_VALUES_H
#define PLIMSOLL_CLI_ROUNDS_VALUES_H

#include "cli/options.h"

option_parser rounds_value_sizes;       /* struct rounds_options: "1,2,4,8" */
option_parser rounds_value_order;       /* enum rounds_order */
option_parser rounds_value_rate;        /* double: "2/s", "30/min" */
option_parser rounds_value_expect_exit; /* struct rounds_options: "0,3,10-12" */
option_parser rounds_value_slo;         /* struct slo */
option_parser rounds_value_format;      /* enum rounds_format */
option_parser rounds_value_word;        /* struct strlist: one more word, whatever it holds */
option_parser rounds_value_env;         /* struct strlist: one more NAME=VALUE */

option_redactor rounds_redact_env; /* NAME=*** */

#endif
