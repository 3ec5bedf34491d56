/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The comparisons at the end of a run: side a with side b, and the run with its baseline. */
#ifndef PLIMSOLL_CLI_RUN_COMPARE_H
#define PLIMSOLL_CLI_RUN_COMPARE_H

#include "result/matrix.h"
#include "suite/suite.h"

#include <stdio.h>

/* code: what the run itself ends with; the worse of both is returned (130, then 1 before 3 before 4 before 0). */
int run_compare(struct matrix *m, const struct suite *s, bool strict, int code, FILE *to, const char *who);

#endif
