/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A comparison for other programs, and for a pull request. Failures are the buf's.
 *
 * JSON: {"base", "new", "metric", "min_change", "design", "summary": {verdict: cells}, "overall": {"change",
 * "interval", "p"}, "differences", "notes", "seen": [{"what", "base", "new"}], "cells": [{"cell": {dimension: value},
 * "metric", "base", "new", "change", "interval", "p_adjusted", "q", "verdict", "reason", "tolerance": "pass" | "fail" |
 * null, "samples_base", "samples_new", "samples_needed", "values_base", "values_new"}]} Changes are fractions (-0.12);
 * what is not known is null. Summary and overall are those of the gating metric. CSV: a row per cell and metric, RFC
 * 4180 with line feeds; what is not known is empty. JUnit: a test case per cell and metric: regressed and a broken
 * tolerance are failures, missing, invalid and not comparable are errors, inconclusive and suspect are skipped
 * (failures when strict). Markdown: the summary, what differs, and a table per metric. */
#ifndef PLIMSOLL_REPORT_COMPARE_FORMS_H
#define PLIMSOLL_REPORT_COMPARE_FORMS_H

#include "base/buf.h"
#include "result/comparison.h"

void compare_json(struct buf *out, const struct comparison *c);
void compare_csv(struct buf *out, const struct comparison *c);
void compare_junit(struct buf *out, const struct comparison *c, bool strict);
void compare_markdown(struct buf *out, const struct comparison *c);

#endif
