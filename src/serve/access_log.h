/* SPDX-License-Identifier: GPL-3.0-or-later */
/* --access-log: one JSON line for each answer. Every worker gathers its lines and writes them together: when its buffer
 * is full, and at least twice a second. Lines are never mixed: each write is of whole lines, to a file open for
 * appending. Secrets in paths are ***. */
#ifndef PLIMSOLL_SERVE_ACCESS_LOG_H
#define PLIMSOLL_SERVE_ACCESS_LOG_H

#include "base/buf.h"
#include "base/err.h"

struct exchange;

struct access_entry {
    const struct exchange *x;
    int fd; /* of the connection */
    uint64_t content_bytes;
    uint64_t ns;
    bool complete;
};

/* Opens the file ("-": standard output). -1 with ERR_CONFIG. */
MUST_CHECK int access_log_open(int *out, const char *path, struct err *err);
/* Adds a line to what is gathered. */
void access_log_add(struct buf *lines, const struct access_entry *entry);
/* Writes what is gathered, if any. */
void access_log_flush(struct buf *lines, int file);

enum { ACCESS_LOG_FULL = 48 * 1024, ACCESS_LOG_MAX = 256 * 1024 };

#endif
