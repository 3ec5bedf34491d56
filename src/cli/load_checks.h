/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parsers of the values that say what counts as good, for rows of options.h. All of them fill fields of a struct
 * load_options, which they get whole. */
#ifndef PLIMSOLL_CLI_LOAD_CHECKS_H
#define PLIMSOLL_CLI_LOAD_CHECKS_H

#include "cli/options.h"

option_parser load_check_slo; /* "p99<50ms,errors<0.1%" (slo.h), added to what is there */

#endif
