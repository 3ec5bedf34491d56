/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the files of merging share. Private to result/. */
#ifndef PLIMSOLL_RESULT_MERGE_PARTS_H
#define PLIMSOLL_RESULT_MERGE_PARTS_H

#include "result/merge.h"

int merge_no_memory(struct err *err);
/* The nearest multiple of 2^-20; sums of such are exact. */
double merge_exact(double x);
/* Of its start, in ns since the epoch; 0 when it is not known. */
uint64_t merge_start_ns(const char *started);
/* The second of the wall clock to which a result's intervals are counted from its start. */
int64_t merge_first_second(const char *started);

/* merge_plan.c */
/* The parts that a result is made of, appended to out's: itself, or those of a merged one. */
MUST_CHECK int merge_add_parts(struct result *out, const struct result *r, struct err *err);
/* ERR_CONFIG unless r may be merged with sum. */
MUST_CHECK int merge_check(const struct result *sum, const struct result *r, const char *first, const char *source,
                           struct err *err);
MUST_CHECK int merge_config(struct result *sum, const struct result *r, struct err *err);
/* merge_shares.c */
/* What is missing, late, limited or of another start becomes a reason. */
void merge_check_shares(struct result *r);

/* merge_machines.c: what the parts say of their machines, each machine once */
MUST_CHECK int merge_machines(struct result *r, struct err *err);

/* merge_sums.c */
MUST_CHECK int merge_sums(struct result *sum, const struct result *r, struct err *err);
/* merge_watched.c: after the intervals, before anything of sum's time changes */
MUST_CHECK int merge_watched(struct result *sum, const struct result *r, struct err *err);
/* merge_window.c */
MUST_CHECK int merge_intervals(struct result *sum, const struct result *r, struct err *err);
/* Rate, length and mean concurrency of the common window, from the parts and the intervals. */
void merge_window(struct result *r);

#endif
