/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A number in what a program or a server printed: a field of its JSON, or what a pattern's first group matches. */
#ifndef PLIMSOLL_SUITE_NUMBER_H
#define PLIMSOLL_SUITE_NUMBER_H

#include "base/err.h"
#include "base/slice.h"

/* path: "p99", "result.p99", "runs.0.time". ERR_PEER when the text is not JSON or the field is no number; *absent is
 * true when there simply is no such field (and 0 is returned). A JSON document may stand after other lines. */
MUST_CHECK int number_in_json(struct slice text, const char *path, double *out, bool *absent, struct err *err);
/* The first match counts. ERR_USAGE for a broken pattern. */
MUST_CHECK int number_in_text(struct slice text, const char *pattern, double *out, bool *absent, struct err *err);

#endif
