/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs a plan. Blocks; prints nothing; everything it starts is a process group of its own and is gone when it returns,
 * also after a stop.
 *
 * Order: services, setup, facts, verify; then for each step quiet, before_each, the sample, verify_each, after_each;
 * then summary; then teardown and the services' end, whatever happened.
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
    SAMPLE_INVALID, /* ran, and a rule says so */
    SAMPLE_FAILED,  /* gave no document */
    SAMPLE_NOT_RUN  /* over budget */
};

struct runner_progress {
    const char *
        stage; /* "services", "facts", "setup", "verify", "quiet", "before", "sample", "after", "summary", "teardown" */
    size_t step, steps;          /* done so far, of how many */
    const struct plan_step *now; /* NULL outside of a step */
    unsigned attempt;            /* of the sample, from 1 */
    double elapsed_s, left_s;    /* left: NAN when not known */
    const char *live;            /* the last line of the sample's own progress; NULL: none yet */
};

/* This process is one of several that run the suite: each makes its share of every sample, and all begin a sample at
 * the same moment, which each reckons by itself from the plan. */
struct runner_share {
    const char *share;       /* "2/4"; NULL: this process runs the suite alone */
    uint64_t start_ns;       /* of the first sample, on the wall clock */
    uint64_t gap_ns;         /* from the end of a sample's length to the next one's start, beside the quiet period */
    const char *clock_check; /* for each sample; NULL: none */
};

struct runner {
    const struct plan *plan;
    struct runner_share share;
    const char *program;      /* of plimsoll itself */
    const char *run;          /* the run's id */
    const char *work_dir;     /* output of commands and services, parts of samples; exists */
    const char *documents;    /* folder where on_sample() leaves the documents, for the summary */
    const bool *done;         /* by step: not to be run again (--resume); NULL: none */
    bool over_budget;         /* runs the cells that are over it */
    bool show_verify;         /* on_bytes gets request and reply of each verification */
    const volatile int *stop; /* not 0: end the sample in hand, tear down, return */
    void *arg;
    void (*on_progress)(void *arg, const struct runner_progress *now); /* at least every second */
    /* A sample has ended (retries behind it): r is its document (NULL for SAMPLE_FAILED and SAMPLE_NOT_RUN), note the
     * reason. The callee keeps nothing of it. -1 ends the run. */
    int (*on_sample)(void *arg, const struct plan_step *step, enum sample_outcome outcome, struct result *r,
                     const char *note, struct err *err);
    void (*on_bytes)(void *arg, const char *url, struct slice request, struct slice reply); /* without secrets */
    void (*on_fact)(void *arg, const char *name, const char *value); /* first line of its output */
    void (*on_summary)(void *arg, struct slice text);                /* what a summary's command said */
    void (*on_note)(void *arg, const char *text);                    /* for the report: a route that is not asked */
    void (*on_warning)(void *arg, const char *text);                 /* a teardown that failed, … */
};

/* What processes that share a suite could not agree on by themselves: samples that are no load, or have no length.
 * ERR_CONFIG */
MUST_CHECK int runner_check_shared(const struct plan *p, struct err *err);
/* A cell that the routers do not carry, and that is neither skipped nor run all the same. ERR_CONFIG */
MUST_CHECK int runner_check_budget(const struct plan *p, bool over_budget, struct err *err);
/* When a step's sample is to begin: start + the lengths, quiet periods and gaps before it. */
uint64_t runner_moment_ns(const struct runner *r, size_t step);
/* -1: a service did not come up, a setup or a verification failed (ERR_CONFIG, with the last lines of its output in the
 * hint), or the machine failed us. A stop is no error. */
MUST_CHECK int runner_run(struct runner *r, struct err *err);

#endif
