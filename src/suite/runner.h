/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs a plan. Blocks; prints nothing; everything it starts is a process group of its own and is gone when it returns,
 * also after a stop.
 *
 * Each sample is made by a process of its own: this program (`plimsoll load … --json FILE --no-store`, `plimsoll
 * rounds …`) or the suite's command, so that a sample starts with fresh memory, ports and files, and a crash costs one
 * sample (docs/decisions/0080). Its document gets run, cell, sample, side and metrics and is handed on at once. */
#ifndef PLIMSOLL_SUITE_RUNNER_H
#define PLIMSOLL_SUITE_RUNNER_H

#include "result/result.h"
#include "suite/plan.h"

enum sample_outcome {
    SAMPLE_VALID,
    SAMPLE_INVALID /* ran, and a rule says so */,
    SAMPLE_FAILED /* gave no document */,
    SAMPLE_NOT_RUN /* over budget */
};

struct runner_progress {
    const char *stage; /* "services", "setup", "verify", "quiet", "sample", "after", "teardown" */
    size_t step, steps;
    const struct plan_step *now;
    double elapsed_s, left_s; /* left: NAN when not known */
    const char *live;         /* the last line of the sample's own progress (JSON); NULL: none yet */
};

struct runner {
    const struct plan *plan;
    const char *program;      /* of plimsoll itself */
    const char *run;          /* the run's id */
    const char *work_dir;     /* output of commands and services, parts of samples; exists */
    const bool *done;         /* by step: not to be run again (--resume); NULL: none */
    bool over_budget;         /* runs the cells that are over it */
    bool show_verify;         /* on_bytes gets request and reply of each verification */
    const volatile int *stop; /* 1: end the sample in hand, tear down, return; 2: at once */
    void *arg;
    void (*on_progress)(void *arg, const struct runner_progress *now);
    /* A sample has ended: r is its document (NULL for SAMPLE_FAILED and SAMPLE_NOT_RUN), note the reason. The callee
     * may keep nothing of it. -1 ends the run. */
    int (*on_sample)(void *arg, const struct plan_step *step, enum sample_outcome outcome, struct result *r,
                     const char *note, struct err *err);
    void (*on_bytes)(void *arg, const char *url, struct slice request, struct slice reply);
    struct suite_pairs facts; /* filled: name and first line of output */
};

/* -1: a service did not come up, a setup or a verification failed (ERR_CONFIG when nothing was sent yet, with the last
 * lines of its output in the hint), or the machine failed us. Teardown and services' end happen in every case. */
MUST_CHECK int runner_run(struct runner *r, struct err *err);

#endif
