/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parsers of single values, for rows of options.h. Each comment names the field's type. */
#ifndef PLIMSOLL_CLI_OPTION_VALUES_H
#define PLIMSOLL_CLI_OPTION_VALUES_H

#include "cli/options.h"

option_parser option_flag;     /* bool: set */
option_parser option_count;    /* uint64_t: 10, 10k, 2M; within min … max */
option_parser option_u64;      /* uint64_t: digits alone; within min … max */
option_parser option_duration; /* uint64_t, ns: 1.5s, 200ms; min and max in ns */
option_parser option_share;    /* double: 1%, 0.01; 0 … 1 */
option_parser option_text;     /* const char *: points into the command line; not empty, no control characters */
option_parser option_bytes;    /* const char *: any text, empty too */
option_parser option_list;     /* struct strlist: one more entry; not empty, no control characters */
option_parser option_path;     /* const char *: not empty */
option_parser option_names;    /* struct strlist: names separated by commas */
option_parser option_change;   /* double: a share above 0 and below 1 */

/* Redactors. */
option_redactor option_hide; /* all of it */

/* Control characters and DEL would break lines of reports and requests: refused with a hint. */
MUST_CHECK int option_check_printable(const char *text, struct err *err);

#endif
