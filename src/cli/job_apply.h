/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `plimsoll job --apply`: hands the script or manifest to the scheduler's own program, watches the shares, and ends
 * with the merged result's report and exit code. Ctrl-C cancels the job. */
#ifndef PLIMSOLL_CLI_JOB_APPLY_H
#define PLIMSOLL_CLI_JOB_APPLY_H

#include <limits.h>

#include "cli/job_plan.h"
#include "cli/job_watch.h"
#include "suite/process.h"

/* The exit code. */
int job_apply(const struct job_plan *plan, const struct job_options *o, const char *who);

/* Below: private to job_apply*.c. */

struct job_run {
    const struct job_plan *plan;
    const struct job_options *options;
    const char *who;
    char dir[PATH_MAX]; /* our own, for us alone: scripts, what programs print */
    struct job_watch watch;
    bool cancelled;
    bool keeps_dir; /* something went wrong: what programs said stays there */
};

/* dir/name; out has PATH_MAX bytes. False: too long. */
MUST_CHECK int job_run_path(const struct job_run *run, const char *name, char *out, struct err *err);
/* The script or manifest, in dir/name. */
MUST_CHECK int job_run_write(const struct job_run *run, const char *name, char *path, struct err *err);
/* Runs a program to its end, its output in files; its standard error is the last lines of an error. timeout_ns 0: none.
 * The exit status in *status. */
MUST_CHECK int job_run_client(const struct job_run *run, const char *const *words, const char *out_path,
                              uint64_t timeout_ns, int *status, struct err *err);
/* Prints the report of a merged document, keeps it in the store if asked, and returns its exit code. */
int job_run_report(const struct job_run *run, const char *document, bool store);

/* Of limit and run: prints the summary; its last line says the exit code. ERR_PEER: it has none. */
MUST_CHECK int job_pieces_report(const char *summary, int *code, struct err *err);
/* The merging pod's log: documents go to folder/merged, the summary is printed. */
MUST_CHECK int job_pieces_unpack(struct slice log, const char *folder, int *code, struct err *err);

/* How each is carried out; the exit code in *code. */
MUST_CHECK int job_apply_script(struct job_run *run, int *code, struct err *err); /* mpi, ssh */
MUST_CHECK int job_apply_slurm(struct job_run *run, int *code, struct err *err);
MUST_CHECK int job_apply_kubernetes(struct job_run *run, int *code, struct err *err);

#endif
