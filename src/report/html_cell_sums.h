/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The samples of one cell and one run taken together, for what is shown of a cell: latencies and phases of the valid
 * ones, failures and the generator's health of all. Their rows. Private to report/. */
#ifndef PLIMSOLL_REPORT_HTML_CELL_SUMS_H
#define PLIMSOLL_REPORT_HTML_CELL_SUMS_H

#include "report/html_parts.h"

struct cell_sums {
    struct hist *latency, *service_time;
    struct hist *phases[PHASES]; /* NULL: none was recorded */
    uint64_t started, retransmits;
    struct error_entry *errors; /* by kind and detail; examples are cut */
    size_t error_count;
    size_t samples, limited;                   /* loads; those that the generator limited */
    struct strlist reasons;                    /* why it did, each once */
    double cpu_max, lag_p99_s, lateness_p99_s; /* the worst of the samples; 0: not known */
};

/* The caller ends *out with cell_sums_release(), after -1 (out of memory) too. */
MUST_CHECK int cell_sums_init(struct cell_sums *out, struct err *err);
MUST_CHECK int cell_sums_add(struct cell_sums *s, const struct result *r, bool valid, struct err *err);
void cell_sums_release(struct cell_sums *s);

/* Tables of a cell, from one sum for each run of the page. */
void cell_sums_show(struct page *p, const struct cell_sums *sums);

#endif
