/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Processes that are started together: each is made, made ready (process group, descriptors, directory) and waits at
 * one gate, until the gate is opened for all of them at once. Then each writes down the time and becomes its program.
 *
 * Until then a child shares this process's memory, as after vfork(), but without stopping it: nothing is copied when it
 * is made, and nothing has to be torn down between the gate and the program, which is what the spread of the starts is
 * made of. It runs on a stack of its own and touches nothing but that and its slot; not even errno, which it shares
 * (raw_syscall.h). Where that can not be had, or under the sanitizers, it is forked. One process alone has nobody to
 * wait for: this process sleeps until it has become its program.
 *
 * In either case memory shared with the children tells the moment of each exec and, when it failed, why: the error that
 * execve() gave, not the status 127 that the shell's habit makes of it.
 *
 * A child is the leader of its own process group, has SIGPIPE and SIGXFSZ as any program expects them, and is killed
 * when this process dies. Not thread-safe; the calling process should have one thread. */
#ifndef PLIMSOLL_ROUNDS_SPAWN_H
#define PLIMSOLL_ROUNDS_SPAWN_H

#include "base/err.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/types.h>

/* What to start. */
struct spawn_job {
    const char *path; /* of the program; no search */
    char *const *argv, *const *envp;
    const char *cwd;  /* NULL: ours */
    int in, out, err; /* become 0, 1 and 2; above 2, close-on-exec */
};

enum spawn_stage { SPAWN_EXEC, SPAWN_CWD, SPAWN_PREPARE };

/* Shared with the child. */
struct spawn_slot {
    uint64_t exec_ns;       /* monotonic; 0: has not come so far */
    int error;              /* errno; 0: none (so far) */
    enum spawn_stage stage; /* what failed */
};

struct spawn_gate;

/* For at most max processes at a time. files: the limit of open files that children get back; NULL: leave it. */
MUST_CHECK int spawn_gate_new(struct spawn_gate **out, uint32_t max, const struct rlimit *files, struct err *err);
void spawn_gate_free(struct spawn_gate *g); /* NULL is fine */

/* Closes the gate for count processes that will be made now. */
void spawn_gate_close(struct spawn_gate *g, uint32_t count);
/* Makes process i < count. Its id, or -1 (ERR_LIMIT, ERR_SYSTEM). *pidfd is the caller's to close. Of one alone: it
 * runs when this returns. job and its texts must stay until the gate is open and the process has ended or become its
 * program; its descriptors can be closed at once. */
MUST_CHECK pid_t spawn_make(struct spawn_gate *g, uint32_t i, const struct spawn_job *job, int *pidfd, struct err *err);
/* Waits until all made so far stand at the gate (or have ended), and opens it. The moment of opening. Of one alone it
 * is the moment at which the gate was closed and everything was ready. */
uint64_t spawn_gate_open(struct spawn_gate *g);
/* Sends home all that stand at the gate: they end without having become their program. */
void spawn_gate_abandon(struct spawn_gate *g);
const struct spawn_slot *spawn_gate_slot(const struct spawn_gate *g, uint32_t i);

#endif
