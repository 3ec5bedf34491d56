/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a user said on the command line of `plimsoll rounds`, value by value; rounds_inputs.h makes a plan of it. */
#ifndef PLIMSOLL_CLI_ROUNDS_OPTIONS_H
#define PLIMSOLL_CLI_ROUNDS_OPTIONS_H

#include "cli/load_options.h"
#include "rounds/rounds.h"

#define ROUNDS_SIZES_MAX 64u
#define ROUNDS_EXITS 256u

enum rounds_format { ROUNDS_TEXT, ROUNDS_ROUNDUP, ROUNDS_MARKDOWN, ROUNDS_CSV };

/* Texts point into the command line. */
struct rounds_options {
    uint32_t sizes[ROUNDS_SIZES_MAX];
    size_t size_count;
    uint64_t samples, warmup;
    enum rounds_order order;
    uint64_t pause_ns;
    double rate_per_s;
    bool keep_going;
    const char *compare;

    struct strlist words; /* the command */
    const char *setup, *cleanup;
    bool ignore_setup, shell;
    uint64_t timeout_ns, kill_after_ns, setup_timeout_ns;
    const char *input, *cwd;
    struct strlist env;
    bool has_expect_exit;
    uint8_t expect_exit[ROUNDS_EXITS];
    double max_errors;
    bool strict;
    struct slo slo;

    char *log_dir;
    const char *phases;
    bool verbose;
    enum rounds_format format;
    struct load_outputs outputs;
    enum progress_mode progress;
    struct live_options live;
    const char *name;
    struct strlist labels;
    bool no_store, dry_run;

    struct strlist command; /* the words as typed, without secrets */
};

void rounds_options_init(struct rounds_options *o); /* the defaults */
void rounds_options_release(struct rounds_options *o);
MUST_CHECK int rounds_options_parse(struct rounds_options *o, int argc, char **argv, bool *help, struct err *err);
void rounds_options_help(struct buf *out);

#endif
