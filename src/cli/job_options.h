/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The command line of `plimsoll job`: whose scheduler, how many shares, and the command of each. */
#ifndef PLIMSOLL_CLI_JOB_OPTIONS_H
#define PLIMSOLL_CLI_JOB_OPTIONS_H

#include "cli/load_options.h"
#include "cli/options.h"
#include "job/job.h"

/* Texts point into the command line. A number of 0 means "not given". */
struct job_options {
    enum job_engine engine;
    struct strlist words; /* the scheduler, then the command */

    uint64_t shares, per_machine, cpus, memory_bytes, open_files;
    uint64_t start_in_ns, time_limit_ns;
    const char *name, *program, *parts, *store;
    const char *hosts, *hosts_file, *suite_path;
    struct strlist launcher;
    const char *image, *name_space, *claim;
    uint64_t claim_bytes;

    bool apply, keep;
    const char *json;
    enum progress_mode progress;
};

void job_options_init(struct job_options *o);
void job_options_release(struct job_options *o);
void job_options_help(struct buf *out);
/* What the options say by themselves; the command behind -- is job_plan.h's. */
MUST_CHECK int job_options_parse(struct job_options *o, int argc, char **argv, bool *help, struct err *err);

#endif
