/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The comparisons at the end of a run: side a with side b, and the run with its baseline. */
#ifndef PLIMSOLL_CLI_RUN_COMPARE_H
#define PLIMSOLL_CLI_RUN_COMPARE_H

#include "result/matrix.h"
#include "result/tolerance_rules.h"
#include "suite/plan.h"

#include <stdio.h>

/* What a run is compared with, its texts filled in; all NULL: nothing. */
struct run_baseline {
    char *name;      /* a tag or a name of stored runs */
    char *tolerance; /* a file of rules */
    struct tolerance_rules rules;
    bool has_rules;
};
/* ERR_CONFIG for rules that can not be read; the caller ends *out with run_baseline_release(), also after -1. */
MUST_CHECK int run_baseline_init(struct run_baseline *out, const struct plan *p, struct err *err);
void run_baseline_release(struct run_baseline *b);

/* code: what the run itself ends with; the worse of both is returned (130, then 1 before 3 before 4 before 0). */
int run_compare(struct matrix *m, const struct suite *s, struct run_baseline *b, bool strict, int code, FILE *to,
                const char *who);

#endif
