/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What router benchmarks call their figures, in the documents that they index and in touchstone's rules and tables,
 * and what we call them. Their latencies are in microseconds. */
#ifndef PLIMSOLL_RESULT_ROUTER_NAMES_H
#define PLIMSOLL_RESULT_ROUTER_NAMES_H

#include "base/slice.h"

struct router_name {
    const char *field;  /* "latency_95pctl" */
    const char *metric; /* "latency_p95" */
    bool in_us;         /* else requests per second */
};
extern const struct router_name ROUTER_NAMES[];
extern const size_t ROUTER_NAME_COUNT;

/* NULL when router benchmarks have no such field. */
const struct router_name *router_name_of_field(struct slice field);
/* "avg(NAME)" is NAME: ours are means already; of other texts the text itself. */
struct slice router_name_without_avg(struct slice text);

#endif
