/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The command line of `plimsoll run`. */
#ifndef PLIMSOLL_CLI_RUN_OPTIONS_H
#define PLIMSOLL_CLI_RUN_OPTIONS_H

#include "cli/load_options.h"
#include "cli/options.h"
#include "cli/share_options.h"

/* Texts point into the command line. */
struct run_options {
    struct strlist files;      /* the suite; one */
    struct strlist sets, only; /* NAME=VALUE; cells */
    struct strlist labels;
    struct strlist command; /* argv without its secrets */
    const char *name, *resume, *json, *markdown, *html, *work_dir;
    uint64_t samples; /* 0: as the suite says */
    uint64_t seed;
    bool has_seed, dry_run, schema, over_budget, verbose, strict, no_store;
    enum progress_mode progress;
    struct live_options live;
    struct share_options share;
    uint64_t gap_ns;
    struct strlist _expanded; /* texts with the share's number in them */
};

void run_options_init(struct run_options *o);
void run_options_release(struct run_options *o);
MUST_CHECK int run_options_parse(struct run_options *o, int argc, char **argv, bool *help, struct err *err);
void run_options_help(struct buf *out);

#endif
