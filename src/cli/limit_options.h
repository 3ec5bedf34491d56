/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a user said on the command line of `plimsoll limit`: the search, and of `plimsoll load`'s options those that say
 * what a request is and where it goes. */
#ifndef PLIMSOLL_CLI_LIMIT_OPTIONS_H
#define PLIMSOLL_CLI_LIMIT_OPTIONS_H

#include "cli/load_options.h"
#include "result/slo.h"

#define LIMIT_ROWS_MAX 128

struct limit_options {
    struct load_options load; /* first: the rows of load have their offsets from here */
    bool has_promise;
    struct slo promise;
    bool of_connections;
    double from, to; /* 0: the default */
    uint64_t step_ns;
    double precision;
    uint64_t confirm_rounds;
    bool strict;
    const char *json, *html;
    struct option_row rows[LIMIT_ROWS_MAX]; /* ours and load's */
    struct option_table table;
};

void limit_options_init(struct limit_options *o); /* the defaults, and the table */
void limit_options_release(struct limit_options *o);
MUST_CHECK int limit_options_parse(struct limit_options *o, int argc, char **argv, bool *help, struct err *err);

#endif
