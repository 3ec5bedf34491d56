/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The file of mb's -o: a line for each reply, written while the run goes on by the engine's own log thread, so that no
 * worker waits for it. */
#ifndef PLIMSOLL_CLI_MB_RESPONSES_H
#define PLIMSOLL_CLI_MB_RESPONSES_H

#include "base/buf.h"
#include "base/strlist.h"
#include "load/load.h"

struct mb_responses {
    int fd; /* -1: none */
    const struct strlist *names;
    uint64_t wall_offset_ns; /* from the monotonic clock to the time of day */
    int sys_error;           /* of the first failed write */
    struct buf lines;
};

/* For load_plan.on_records. */
void mb_responses_add(struct mb_responses *r, const struct load_record *records, size_t count);
/* One record as a line, for tests too. */
void mb_responses_line(const struct mb_responses *r, const struct load_record *record, struct buf *out);

#endif
