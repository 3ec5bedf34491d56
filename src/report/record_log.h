/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The log with a line per request, as CSV: exact nanoseconds written as seconds.
 *
 * Fast enough to keep up with a run: no printf, one growth of the buffer per line at most. Plain values, so that
 * whoever measures need not be known here. */
#ifndef PLIMSOLL_REPORT_RECORD_LOG_H
#define PLIMSOLL_REPORT_RECORD_LOG_H

#include "base/buf.h"

#define LOG_LINE_ABSENT UINT64_MAX /* a time that does not apply: an empty cell */

struct log_line {
    int64_t due_ns; /* when it was due, from the window's start; negative in the warm-up */
    /* Any of these may be LOG_LINE_ABSENT. */
    uint64_t latency_ns;      /* due to the last byte of the reply */
    uint64_t service_time_ns; /* first byte sent to the last byte of the reply */
    uint64_t connect_ns, tls_ns, send_ns, wait_ns, receive_ns;
    uint64_t bytes_received, body_bytes;
    uint64_t connection; /* ordinal */
    uint32_t target;     /* index */
    uint16_t status;     /* 0: no reply, an empty cell */
    bool reused, warmup, retried, unfinished;
    const char *error; /* kind of failure, a plain word; NULL or "": ok (or unfinished) */
};

/* The line with the columns' names and units. */
void log_line_add_header(struct buf *out);
void log_line_add(struct buf *out, const struct log_line *line);

#endif
