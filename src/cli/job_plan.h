/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From the command line of `plimsoll job` to a struct job. */
#ifndef PLIMSOLL_CLI_JOB_PLAN_H
#define PLIMSOLL_CLI_JOB_PLAN_H

#include "base/clock.h"
#include "cli/job_command.h"
#include "cli/job_options.h"
#include "job/job.h"

struct job_plan {
    struct job_command command;
    struct job job; /* points into the options and into here */
    struct job_word *words;
    struct job_variable *variables;
    char start_at[CLOCK_RFC3339_MAX];
    struct strlist notes; /* what is to be known beside the text: files that every machine needs */
};

/* wall_ns: now. Texts of o must outlive it. ERR_USAGE. */
MUST_CHECK int job_plan_init(struct job_plan *p, const struct job_options *o, uint64_t wall_ns, struct err *err);
void job_plan_release(struct job_plan *p);
/* Puts the secrets into the environment of the processes that will be started. ERR_CONFIG: a variable that the command
 * names is not set. */
MUST_CHECK int job_plan_set_environment(const struct job_plan *p, struct err *err);

#endif
