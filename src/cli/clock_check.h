/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How far this machine's clock is off, measured before a start that several machines agreed on. */
#ifndef PLIMSOLL_CLI_CLOCK_CHECK_H
#define PLIMSOLL_CLI_CLOCK_CHECK_H

#include "base/err.h"
#include "base/slice.h"

#include <stdint.h>

struct clock_estimate {
    int64_t offset_ns;      /* to be added to this machine's wall clock */
    uint64_t resolution_ns; /* the offset lies within so much of it */
    char by[160];           /* who says so: "Date of http://10.0.0.1/", "chrony" */
};

/* When "this machine's wall clock" shows what, and how long the check may take. */
struct clock_frame {
    int64_t wall_minus_monotonic_ns;
    uint64_t until_ns; /* monotonic; a second is taken for the least that can be known */
    uint64_t start_ns; /* on a clock that is right: half of the time until then is enough; 0: not known */
};

/* what: a URL, HOST or HOST:PORT whose replies carry a Date, or "chrony". ERR_USAGE, ERR_PEER. */
MUST_CHECK int clock_check(struct clock_estimate *out, const char *what, const struct clock_frame *frame,
                           struct err *err);
/* What `chronyc tracking` prints. */
MUST_CHECK int clock_check_read_chrony(struct clock_estimate *out, struct slice text, struct err *err);

#endif
