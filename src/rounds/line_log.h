/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The output of one copy on disk, twice: NAME.log as ts(1) stamps it, with the local time in whole seconds, and
 * NAME.jsonl, a JSON object per line:
 *     {"t": 0.012345678, "stream": "stdout", "line": "Uploading app..."}
 * t is in seconds from the copy's exec to the moment at which the line's end was read. A piece of a very long line, and
 * what had no line end when the copy ended, has "whole": false. The last record of both says how the copy ended
 * (end_record.h). Buffered; what can not be written is told once. */
#ifndef PLIMSOLL_ROUNDS_LINE_LOG_H
#define PLIMSOLL_ROUNDS_LINE_LOG_H

#include "base/buf.h"
#include "base/err.h"
#include "rounds/end_record.h"
#include "rounds/lines.h"

#include <time.h>

/* From the monotonic clock to the local time, once for the whole run: a wall clock that steps changes nothing. The text
 * of the second in hand is kept. */
struct line_stamp {
    uint64_t wall_ns, monotonic_ns; /* the same moment */
    time_t second;                  /* of text */
    char text[32];                  /* "Mar 01 12:34:56 " */
};

void line_stamp_init(struct line_stamp *s);

struct line_log {
    struct line_stamp *stamp;
    int text_fd, json_fd;
    struct buf text, json;
    uint64_t start_ns; /* set it before the first line */
    int open_stream;   /* whose line has not ended; -1: none */
    int error;         /* errno of the first write that failed */
};

/* DIRECTORY/NAME.log and .jsonl, made anew. */
MUST_CHECK int line_log_open(struct line_log *l, struct line_stamp *stamp, const char *directory, const char *name,
                             struct err *err);
void line_log_add(struct line_log *l, const struct line *line);
/* Nothing is added behind it. */
void line_log_end(struct line_log *l, const struct end_record *end);
/* Writes what is left. The errno of the first write that failed, or 0. */
int line_log_close(struct line_log *l);

#endif
