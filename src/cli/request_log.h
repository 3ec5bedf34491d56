/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The file of --log: a line per ended request, written while the run goes on, by the engine's own log thread. */
#ifndef PLIMSOLL_CLI_REQUEST_LOG_H
#define PLIMSOLL_CLI_REQUEST_LOG_H

#include "base/buf.h"
#include "load/load.h"

struct request_log {
    const char *path;
    int fd;             /* -1: no log */
    uint64_t origin_ns; /* the start of the window, which times of the log count from */
    int sys_error;      /* of the first failed write; nothing is written after it */
    struct buf lines;
};

/* path NULL: no log, every other call does nothing. ERR_CONFIG when it can not be opened. */
MUST_CHECK int request_log_open(struct request_log *log, const char *path, struct err *err);
/* For load_plan.on_records; window_start_ns as load_window_start_ns() says it. Write errors wait for
 * request_log_close(): a run is worth more than its log. */
void request_log_add(struct request_log *log, const struct load_record *records, size_t count,
                     uint64_t window_start_ns);
/* ERR_SYSTEM when anything was not written. */
MUST_CHECK int request_log_close(struct request_log *log, struct err *err);

#endif
