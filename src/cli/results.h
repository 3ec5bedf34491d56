/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The commands of `plimsoll results`. Each gets its options and returns the exit code. */
#ifndef PLIMSOLL_CLI_RESULTS_H
#define PLIMSOLL_CLI_RESULTS_H

#include "cli/results_options.h"

#define RESULTS_WHO "plimsoll results"

struct listing;

/* A table of the runs, as wide as the terminal, or JSON, to standard output. */
MUST_CHECK int results_print(const struct listing *runs, bool json, struct err *err);
int results_list(const struct results_options *o);
int results_show(const struct results_options *o);
int results_tag(const struct results_options *o);
int results_untag(const struct results_options *o);
int results_note(const struct results_options *o);
int results_rm(const struct results_options *o);
int results_vacuum(const struct results_options *o);
int results_export(const struct results_options *o);
int results_import(const struct results_options *o);
/* The runs that the options name, in that form, to a file ("-": standard output). */
int results_write(const struct results_options *o, enum export_format format, const char *path);
/* To and from a store of objects. */
int results_put(const struct results_options *o);
int results_get(const struct results_options *o);
int results_merge(const struct results_options *o);

#endif
