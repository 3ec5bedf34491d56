/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the two files of the batch share: batch.c decides when, batch_process.c makes, reads and closes one process. */
#ifndef PLIMSOLL_ROUNDS_BATCH_INTERNAL_H
#define PLIMSOLL_ROUNDS_BATCH_INTERNAL_H

#include "rounds/batch.h"

enum { BATCH_EVENTS = 256 };
/* In exits: there is output to read. Elsewhere the index of a process (exits), or twice that and the stream (outputs).
 */
#define BATCH_OUTPUT UINT32_MAX

struct batch {
    struct spawn_gate *gate;
    uint32_t max;
    int exits;   /* epoll of the pidfds and of outputs */
    int outputs; /* epoll of the pipes */
    int null;    /* /dev/null */
    char *scratch;

    /* Of the run in hand. */
    struct batch_process *processes;
    uint32_t count, made /* had their turn */, running;
    const struct batch_config *config;
    bool stopping;
    uint64_t release_ns, due_ns /* of the next one, on a schedule */, deadline_ns, tick_ns;
};

void batch_process_init(struct batch_process *p, bool stopped);
uint32_t batch_startable(const struct batch *b); /* whose program was found */
/* The next one has its turn. One that can not become its program has ended with an error, which is no failure here. */
MUST_CHECK int batch_start_one(struct batch *b, struct err *err);
/* From process first on, for those that run. */
void batch_set_deadlines(struct batch *b, uint32_t first, uint64_t start_ns);
void batch_unwatch_exit(struct batch *b, struct batch_process *p);
/* A bounded amount of what is there. */
void batch_read_some(struct batch *b);
/* What is left in the pipes of a process that has ended. */
void batch_drain(struct batch *b, struct batch_process *p);
/* Closes the pipes that are still held. */
void batch_let_go(struct batch *b);

#endif
