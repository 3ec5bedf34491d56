/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where a run has its files, and who may write them: one run at a time has a work folder, and one process at a time
 * makes a run's samples. */
#ifndef PLIMSOLL_CLI_RUN_WORK_H
#define PLIMSOLL_CLI_RUN_WORK_H

#include "result/result.h"

#include <limits.h>

struct run_work {
    char dir[PATH_MAX];       /* output of commands, services and samples */
    char documents[PATH_MAX]; /* a folder in it: the samples' documents, for the summary */
    bool is_ours;             /* a temporary one */
    struct run_lock {
        int fd; /* -1: none */
        char path[PATH_MAX];
    } of_dir, of_run;
};
#define RUN_WORK_NONE ((struct run_work){ .of_dir.fd = -1, .of_run.fd = -1 })

/* dir: as given; NULL: a temporary one is made. ERR_CONFIG when it is no folder, or another run has it. */
MUST_CHECK int run_work_open(struct run_work *w, const char *dir, const char *run, struct err *err);
/* For as long as this process lives nobody else goes on with that run. ERR_CONFIG with who has it. A store that can not
 * be written locks nothing. */
MUST_CHECK int run_work_lock_run(struct run_work *w, const char *run, struct err *err);
/* As NNNNN.json, step from 0. */
MUST_CHECK int run_work_keep(const struct run_work *w, size_t step, const struct result *r, struct err *err);
/* keep: a temporary folder stays too. */
void run_work_close(struct run_work *w, bool keep);
/* A folder with all in it. */
void run_work_remove(const char *path);

#endif
