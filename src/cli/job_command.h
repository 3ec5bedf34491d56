/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The command behind -- of `plimsoll job`: load, limit or run, read as each reads itself, so that its mistakes are told
 * now and not N times later, and its secrets are known. */
#ifndef PLIMSOLL_CLI_JOB_COMMAND_H
#define PLIMSOLL_CLI_JOB_COMMAND_H

#include "cli/job_options.h"
#include "cli/limit_options.h"
#include "cli/run_options.h"

/* Texts point into the command line and into here. */
struct job_command {
    enum job_kind kind;
    const struct load_options *load; /* what a request is and where it goes; NULL: a suite says it */
    const struct share_options *share;
    const struct strlist *words; /* without secrets; as many as were given */
    uint64_t needed_ns;          /* from the start to the end of the last sample; 0: not known */
    uint64_t spare_ns;           /* how much longer it may take */
    struct strlist pieces;       /* of struct job */
    struct buf suite;            /* text of the file */
    size_t suite_word;           /* which of the words names it */

    struct load_options _load;
    struct limit_options _limit;
    struct run_options _run;
};

/* words: "load", ... ERR_USAGE, ERR_CONFIG. Released also when it failed. */
MUST_CHECK int job_command_init(struct job_command *c, int count, char **words, struct err *err);
void job_command_release(struct job_command *c);

#endif
