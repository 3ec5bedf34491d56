/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A run of a matrix, for people and for other programs. Pure: a matrix in, text out; failures are the buf's.
 *
 * TEXT. A row per cell (and side) with the means of its valid samples, then what each dimension does to the first
 * metric, falls to a quarter, samples that do not count and why, facts and notes. At most MATRIX_ROWS_MAX rows: the
 * JSON has them all. JSON. {"format": "plimsoll-run", "version": 1, "id", "name", "facts", "metrics", "cells":
 * [{"cell": {…}, "side", "samples", "valid", "metrics": {name: {"mean", "min", "max"}}}], "effects", "collapses",
 * "samples": [{"cell", "side", "sample", "outcome", "id", "note"}]}; what there is not is null. MARKDOWN. The table of
 * cells, for pasting. */
#ifndef PLIMSOLL_REPORT_MATRIX_H
#define PLIMSOLL_REPORT_MATRIX_H

#include "base/buf.h"
#include "base/err.h"
#include "result/matrix.h"

#define MATRIX_ROWS_MAX 200u

MUST_CHECK int report_matrix(struct buf *out, const struct matrix *m, unsigned width, struct err *err);
MUST_CHECK int report_matrix_json(struct buf *out, const struct matrix *m, struct err *err);
void report_matrix_markdown(struct buf *out, const struct matrix *m);

#endif
