/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The form that --format asks for, of plimsoll rounds and its import. */
#ifndef PLIMSOLL_CLI_ROUNDS_FORMS_H
#define PLIMSOLL_CLI_ROUNDS_FORMS_H

#include "cli/outputs.h"
#include "cli/rounds_options.h"

struct report_form rounds_form(enum rounds_format format, bool verbose);

#endif
