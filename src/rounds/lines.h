/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A line of a copy's output with the moment it came. What whoever watches the output (the log, the phases) is given. */
#ifndef PLIMSOLL_ROUNDS_LINES_H
#define PLIMSOLL_ROUNDS_LINES_H

#include "base/slice.h"

enum line_stream { LINE_STDOUT, LINE_STDERR };

/* Longer lines come in pieces of this size. */
#define LINE_MAX_BYTES (64u * 1024u)

struct line {
    uint32_t copy; /* {i}, from 1 */
    enum line_stream stream;
    uint64_t first_ns;  /* its first byte was read, monotonic ns */
    uint64_t time_ns;   /* its end was read */
    struct slice bytes; /* without the line feed; any bytes, NUL and carriage returns too; good during the call */
    bool whole;         /* ends with a line feed; false: a piece of a long line, or what stood there at the end */
};

#endif
