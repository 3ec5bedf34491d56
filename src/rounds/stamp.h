/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Stamps of time at the beginning of lines of a log, as ts and its like put them there, and the clock that they are
 * together.
 *
 *   [2017-07-31 03:50:21] text      2017-07-31T03:50:21.123456Z text      2017-07-31 03:50:21,123+02:00 text
 *   Jul 31 03:50:21 text            03:50:21.5 text                      1501473021.123456 text
 *
 * Brackets are optional around each; a colon may follow; then a space, a tab or the end of the line. A time zone counts
 * where it is written. A number alone is a stamp only when it can be a moment since 1970 (nine digits before the point
 * at least).
 *
 * THE CLOCK. Only differences matter. Stamps without a date pass midnight, stamps without a year pass New Year: going
 * back by more than half of a period is going on into the next. What else goes back is either lines that came out of
 * order, a little (STAMP_DISORDER_NS at most): time then stands still until it is caught up; or the clock was set back:
 * time then goes on from where it was, nothing passed at the step, and steps_back counts it. Time never goes back. */
#ifndef PLIMSOLL_ROUNDS_STAMP_H
#define PLIMSOLL_ROUNDS_STAMP_H

#include "base/slice.h"

#define STAMP_DISORDER_NS INT64_C(2000000000)

enum stamp_kind {
    STAMP_MOMENT,      /* ns since 1970 */
    STAMP_OF_YEAR,     /* ns since 1 January of a year of 365 days; 29 February is 1 March */
    STAMP_TIME_OF_DAY, /* ns since midnight */
};

struct stamp {
    enum stamp_kind kind;
    int64_t ns;
    bool whole_seconds; /* has no fraction */
    size_t bytes;       /* of the line, with the space behind it */
};

/* False when the line does not begin with one; *out is then not touched. */
bool stamp_read(struct stamp *out, struct slice line);

struct stamp_clock {
    bool started;
    enum stamp_kind kind;
    int64_t _last_ns, _offset_ns; /* the stamp before, and what its kind and its steps back add */
    uint64_t now_ns;              /* since the first stamp */
    uint32_t steps_back;
    bool whole_seconds; /* no stamp had a fraction */
};

/* {0} is a new one. Returns now_ns. A stamp of another kind than the first stands for no time: it changes nothing. */
uint64_t stamp_clock_read(struct stamp_clock *c, const struct stamp *s);

#endif
