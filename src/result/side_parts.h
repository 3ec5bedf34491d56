/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What records of every kind of run have in common. Private to result/. */
#ifndef PLIMSOLL_RESULT_SIDE_PARTS_H
#define PLIMSOLL_RESULT_SIDE_PARTS_H

#include "result/side.h"

/* Who, when, labels, configuration, host, name. */
bool side_add_run_facts(struct record *r, const struct result *result);
/* Whether it is valid, and the first thing to say about it. */
bool side_add_reason(struct record *r, const struct result *result);
/* A record per round of every series. */
bool side_add_all_rounds(struct side *s, const struct result *result, const char *source);

/* "latency_p99" and the like, of a histogram. */
bool side_add_times(struct record *r, const char *of, const struct hist *h, const struct result *result);
bool side_add_error_share(struct record *r, const struct totals *t);
bool side_add_errors(struct record *r, const struct error_entry *errors, size_t count);
bool side_add_statuses(struct record *r, const uint64_t status[STATUS_MAX]);

#endif
