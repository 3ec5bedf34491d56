/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parsers of the values that say what counts as good, for rows of options.h. */
#ifndef PLIMSOLL_CLI_LOAD_CHECKS_H
#define PLIMSOLL_CLI_LOAD_CHECKS_H

#include "cli/options.h"

option_parser load_check_size;    /* uint64_t: 20MB, 1MiB; within min … max */
option_parser load_check_field;   /* struct strlist: one more "NAME: VALUE", or "NAME" */
option_parser load_check_pattern; /* const char *: a pattern that compiles */
/* All of them fill fields of a struct load_options, which they get whole. */
option_parser load_check_body_size; /* "29B" */
option_parser load_check_sha256;    /* 64 hex digits */
option_parser load_check_slo;       /* "p99<50ms,errors<0.1%" (slo.h), added to what is there */

#endif
