/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Stored runs as a table for people: one line a run, with the shortest id that tells it from the others (8 letters at
 * least), its name, kind, start, length, tags, labels and note. */
#ifndef PLIMSOLL_REPORT_RUNS_TABLE_H
#define PLIMSOLL_REPORT_RUNS_TABLE_H

#include "result/listing.h"

/* width: of the terminal, to which long texts are cut; 0: nothing is cut. Control characters come out as \x1b. */
MUST_CHECK int report_runs_table(struct buf *out, const struct listing *runs, unsigned width, struct err *err);

/* "ID, name, load, started ...": the line above the report of a stored run. */
void report_run_heading(struct buf *out, const struct result *r);

#endif
