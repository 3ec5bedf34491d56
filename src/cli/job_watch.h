/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the shares of a job say while they run: read from files that grow, shown on standard error.
 * A share's figures become one line on a terminal, or an object each; what it has to tell (warnings, errors) is told
 * with its number before it, everything else that a scheduler prints as it is. */
#ifndef PLIMSOLL_CLI_JOB_WATCH_H
#define PLIMSOLL_CLI_JOB_WATCH_H

#include "cli/progress.h"
#include "job/job.h"

struct job_watch_share {
    struct job_progress now;
    bool seen;
};

/* A file that may not be there yet. */
struct job_watch_file {
    char *path;
    uint64_t share; /* whose it is; 0: its lines say so (job_line()) */
    uint64_t offset;
    struct buf rest; /* of a line without end */
};

struct job_watch {
    enum job_engine engine;
    const char *who;
    struct progress progress;
    struct job_watch_share *shares;
    uint64_t share_count;
    struct job_watch_file *files;
    size_t file_count;
};

MUST_CHECK int job_watch_init(struct job_watch *w, const struct job *job, enum progress_mode mode, const char *who,
                              struct err *err);
void job_watch_release(struct job_watch *w);
MUST_CHECK int job_watch_add(struct job_watch *w, const char *path, uint64_t share, struct err *err);
/* Reads what is new and shows it. */
void job_watch_turn(struct job_watch *w);
/* For the time after: the line is taken away. */
void job_watch_end(struct job_watch *w);

#endif
