/* SPDX-License-Identifier: GPL-3.0-or-later */
/* --scan-command: a program that judges a file, as clamscan does: exit code 0 clean, 1 infected, anything else means
 * that it could not tell. It is run without a shell: the command is split into words once (spaces between them; '…',
 * "…" and \ quote), and the file's absolute path is added as the last argument, so that no name of a file can be more
 * than that. It gets no input, none of our descriptors, none of the AWS_ variables, and leads a process group, which is
 * killed as a whole when its time is over. */
#ifndef PLIMSOLL_SERVE_SCAN_H
#define PLIMSOLL_SERVE_SCAN_H

#include "base/err.h"
#include "base/strlist.h"

/* ERR_CONFIG: no word, a quote without its end, no such program. */
MUST_CHECK int scan_split(struct strlist *words, const char *command, struct err *err);

enum scan_verdict { SCAN_CLEAN, SCAN_INFECTED, SCAN_FAILED, SCAN_STOPPED };

struct scan_job {
    char *const *words; /* of scan_split() */
    const char *path;
    uint64_t timeout_ns;
    bool (*is_stopped)(void *arg);
    void *arg;
    char why[300]; /* of SCAN_FAILED: with the last line of what it printed */
};
/* Blocks; any thread. */
enum scan_verdict scan_run(struct scan_job *job);

#endif
