/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One log as it is followed, line by line: when it began and ended, its phases, how its copy ended. Private to rounds/.
 */
#ifndef PLIMSOLL_ROUNDS_IMPORT_FOLLOW_H
#define PLIMSOLL_ROUNDS_IMPORT_FOLLOW_H

#include "rounds/end_record.h"
#include "rounds/import.h"
#include "rounds/output.h"
#include "rounds/stamp.h"

struct followed {
    struct stamp first;
    bool has_first;
    uint64_t end_ns; /* of its last line, from its first; in JSON lines from the copy's exec */
    uint32_t steps_back;
    bool whole_seconds;
    bool has_end; /* its last record says how it ended */
    struct end_record end;
    char *words;      /* of the end */
    bool time_failed; /* GNU time's line says that it failed: exit -1, or signal 0 */
    int exit, signal;
    struct output
        streams[2]; /* the last of its output, without stamps; all of it is LINE_STDOUT in a log with stamps */
};

/* reader may be NULL. The caller ends *f with followed_release(), after -1 too. */
MUST_CHECK int follow_log(struct followed *f, const struct rounds_input *in, struct phase_reader *reader,
                          struct err *err);
void followed_release(struct followed *f);

#endif
