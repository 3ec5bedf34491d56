/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The command line of `plimsoll compare`. */
#ifndef PLIMSOLL_CLI_COMPARE_OPTIONS_H
#define PLIMSOLL_CLI_COMPARE_OPTIONS_H

#include "cli/options.h"

enum compare_format { COMPARE_TABLE, COMPARE_MARKDOWN, COMPARE_JSON, COMPARE_CSV, COMPARE_JUNIT };

/* Texts point into the command line. After parsing there is a base, and either new or at least one of sides. */
struct compare_options {
    struct strlist paths;              /* words without an option */
    struct strlist base, new, history; /* files, folders, patterns, all of one side each (history: of one session) */
    struct strlist sides;              /* a side each, against base: NEW and what follows it */
    struct strlist metrics, by, aliases;
    double min_change;
    bool strict, same_session, no_store, per_target, calibrate;
    const char *tolerance; /* a file; NULL: none */
    enum compare_format format;
    const char *output; /* NULL: standard output */
};

void compare_options_init(struct compare_options *o);
void compare_options_release(struct compare_options *o);
MUST_CHECK int compare_options_parse(struct compare_options *o, int argc, char **argv, bool *help, struct err *err);
void compare_options_help(struct buf *out);

#endif
