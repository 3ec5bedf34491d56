/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rounds that were timed elsewhere, as a result of kind "rounds".
 *
 * What a text is, its content tells:
 *   log        lines with stamps of time (stamp.h): one copy, from its first stamp to its last; its phases are followed
 *   JSON lines what --log-dir keeps of a copy: {"t": 0.5, "stream": "stdout", "line": "..."}
 *   durations  a number of seconds a line, one per copy
 *   roundup    "Starting round of 4", then durations, "Average 33.9 seconds", and "Rounds:" at the end
 *   CSV        a row per copy (duration_s) or per round (average_s, failed); columns that are not known to be ours tell
 *              platforms apart
 *   hyperfine  what its --export-json writes: every time is a round of one
 *   document   a result of plimsoll rounds
 *
 * GNU time words a failure in a line of its own ("Command exited with non-zero status 1") before the time it took. That
 * line is a failure, never a duration: the number behind it is the failed copy's, unless the number of copies is known
 * and says that every line is a copy of its own. A published average that counts failures is kept as it is, and a
 * warning says what it is without them. */
#ifndef PLIMSOLL_ROUNDS_IMPORT_H
#define PLIMSOLL_ROUNDS_IMPORT_H

#include "result/result.h"
#include "rounds/phases.h"

struct rounds_input {
    const char *name;     /* for messages, and of the series of a text that has none */
    uint32_t concurrency; /* how many ran at once; 0: as many as there are */
    uint32_t group;       /* logs of one group and concurrency are the copies of one round */
    struct slice text;
};

/* phases may be NULL: logs are then followed by the first list that comes with the program and says anything of them.
 * The result must be new and of kind "rounds". Its rounds are summed and scaled, its totals, warnings and verdict set.
 * ERR_CONFIG "NAME:LINE: …" for what can not be read. */
MUST_CHECK int rounds_import(struct result *result, const struct rounds_input *inputs, size_t count,
                             const struct phases *phases, struct err *err);

#endif
