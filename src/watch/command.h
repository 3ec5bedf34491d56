/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A program run for what it prints, bounded in time and size.
 *
 * It leads a process group of its own, which is killed in the end whatever happened: nothing that it began is left
 * behind, and Ctrl-C on the terminal does not reach it. */
#ifndef PLIMSOLL_WATCH_COMMAND_H
#define PLIMSOLL_WATCH_COMMAND_H

#include "base/buf.h"
#include "base/err.h"

#define COMMAND_OUTPUT_MAX_BYTES (1024u * 1024u)
#define COMMAND_TIMEOUT_NS UINT64_C(5000000000)

struct command_call {
    const char *name;        /* in messages */
    const char *const *argv; /* argv[0] is looked for in PATH */
    uint64_t timeout_ns;
    int cancel_fd; /* -1: none */
};

/* What it printed goes into *out, in place of what that held. -1 (ERR_PEER, ERR_SYSTEM) when it is not there, takes
 * longer than its time-out, prints more than *out can hold, ends with another status than 0, or cancel_fd
 * becomes readable; err quotes the first line of what it said to standard error. */
MUST_CHECK int command_run(struct buf *out, const struct command_call *call, struct err *err);

#endif
