/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a search for the limit found, for people: the safe level with its interval first, why it goes no further, then
 * the curve. Pure; failures are the buf's. */
#ifndef PLIMSOLL_REPORT_LIMIT_H
#define PLIMSOLL_REPORT_LIMIT_H

#include "base/units.h"
#include "result/limit.h"

#define LIMIT_LEVEL_MAX (UNITS_TEXT_MAX + 16)
/* "1,987/s", "0.5/s", "37 connections". */
const char *limit_level_text(char out[LIMIT_LEVEL_MAX], const struct limit_report *r, double level);
/* Sentences that text and page have in common. "1,987/s; the limit lies between it and 2,008/s" */
void limit_say_safe(struct buf *out, const struct limit_report *r);
void limit_say_confirmed(struct buf *out, const struct limit_report *r); /* "in 3 more rounds" */
void limit_say_broke(struct buf *out, const struct limit_report *r); /* "at 2,008/s: p99<50ms (52 ms)"; or nothing */
/* Of a trial: how busy the target's parts were, "at 1,987/s gateway was busy (...)"; nothing when none was watched. */
void limit_say_parts(struct buf *out, const struct limit_report *r, const struct limit_trial *t);
#define LIMIT_CONNECTIONS_SENTENCE \
    "all were busy and none was slow: with more of them (-c, --grow) the target may carry more"
/* The last trial that kept the promise at the level found; NULL: there is none. */
const struct limit_trial *limit_safe_trial(const struct limit_report *r);
/* Copies in rising order of their level, the caller frees them (not what they point to); NULL: no memory. */
struct limit_trial *limit_sorted_trials(const struct limit_report *r);

void report_limit(struct buf *out, const struct limit_report *r, unsigned width); /* width 0: 80 */
/* One trial as a line without its end, for progress: "1,600/s  kept  p50 1.02 ms  p99 3.40 ms". */
void report_limit_trial(struct buf *out, const struct limit_report *r, const struct limit_trial *t);

#endif
