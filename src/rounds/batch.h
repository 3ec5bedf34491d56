/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs a set of processes to their ends: starts them together or on a schedule, reads what they print, stops those that
 * take too long (TERM, later KILL, to the whole process group), and reaps each with its usage.
 *
 * One loop over epoll: exits (pidfds) come before output in every turn, and a turn reads a bounded amount, so that the
 * moment of an exit does not depend on how much the others print. batch_run() returns when every process has ended;
 * what a process left behind may still hold its pipes: that is not waited for, and seen in `held`. */
#ifndef PLIMSOLL_ROUNDS_BATCH_H
#define PLIMSOLL_ROUNDS_BATCH_H

#include "rounds/output.h"
#include "rounds/program.h"
#include "rounds/spawn.h"

struct batch;

struct batch_process {
    /* The caller's. */
    struct program program;
    uint32_t index; /* {i} */
    void *arg;

    /* What became of it. */
    bool started; /* there was a process; else error says why not, or it was stopped before its turn */
    bool ended;
    int error;              /* errno: it did not become its program */
    enum spawn_stage stage; /* what failed then */
    pid_t pid;
    uint64_t exec_ns, exit_ns; /* monotonic; exec_ns is there before its first line */
    int status;                /* as of wait() */
    struct rusage usage;       /* with the children it waited for */
    bool timed_out, stopped;   /* stopped: because of the stop flag */
    bool held;                 /* its pipes were still open somewhere when it had ended */
    struct output streams[2];  /* LINE_STDOUT, LINE_STDERR */

    struct spawn_job _job;
    int _pidfd;
    uint64_t _stop_at_ns, _kill_at_ns; /* UINT64_MAX: not */
};

struct batch_config {
    double rate_per_s;   /* 0: all at once */
    uint64_t timeout_ns; /* 0: none */
    uint64_t kill_after_ns;
    const volatile int *stop; /* NULL: nothing stops it */
    void *arg;
    void (*on_tick)(void *arg); /* now and then, at least ten times a second */
    void (*on_line)(void *arg, const struct batch_process *p, const struct line *line); /* NULL: no lines are cut */
    /* Its output is complete, unless held. */
    void (*on_end)(void *arg, struct batch_process *p, uint64_t release_ns);
};

/* For at most max processes at a time. files: the limit of open files that they get; NULL: ours. */
MUST_CHECK int batch_new(struct batch **out, uint32_t max, const struct rlimit *files, struct err *err);
void batch_free(struct batch *b); /* NULL is fine */
/* Descriptors that max processes need, besides those of the caller. */
uint64_t batch_files(uint32_t max);

/* Fills processes (program, index and arg are there); *release_ns: the gate's opening, or the first one's place in the
 * schedule. batch_process_release() each afterwards, also after -1: a process could not be made (ERR_LIMIT,
 * ERR_SYSTEM), and those that were there have been ended. */
MUST_CHECK int batch_run(struct batch *b, struct batch_process *processes, uint32_t count,
                         const struct batch_config *config, uint64_t *release_ns, struct err *err);
/* Its output and its program. */
void batch_process_release(struct batch_process *p);

#endif
