/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The parts of one run, measured by several processes at once, as the one run they are.
 *
 * Always true: counts, sums and histograms are added exactly, so that every percentile is that of one process that saw
 * all requests; nothing is averaged. The result does not depend on the order of the parts, nor on whether some of them
 * were merged before: its document is the same, byte by byte. For this
 *   - what is not a count is either the same in all parts, or else empty (a name), or a set (labels, reasons: sorted),
 * or an extreme (started is the earliest, errors' examples are of the first);
 *   - numbers that are no integers are rounded to multiples of 2^-20 before they are added, which makes the addition of
 *     doubles exact, or computed anew from the parts, whose windows and rates the result keeps (result_part);
 *   - intervals lie on whole seconds of the wall clock: a part's interval belongs to the second that its start is
 * nearest to. The rate counts the common window only, from the latest start to the earliest end: whole seconds of
 * intervals that all parts have. Where there are none (short runs, no intervals) it is the sum of the parts' rates;
 * parts that did not run at the same time have no rate, and a warning says so. duration_s is the length of that window.
 *
 * Figures of a whole machine (local ports, TIME_WAIT, segments sent again) count once for each machine, not for each
 * part that ran there: parts whose hosts agree in name, kernel, CPU, CPUs and memory ran on one.
 *
 * Refused (ERR_CONFIG): a part that is there already, other kinds than "load", another plan (config, but for what a
 * share differs in), another version of the program, histograms of another layout. A part that is invalid makes the
 * whole invalid; its reasons are kept, each with the part's id. Pure: no files, no clock. */
#ifndef PLIMSOLL_RESULT_MERGE_H
#define PLIMSOLL_RESULT_MERGE_H

#include "result/result.h"

struct merge {
    struct result *sum; /* NULL before the first part */
    char *first;        /* what the first part is called, for messages */
};

/* {0} at first. source: what to call the part. After -1 only merge_release(). */
MUST_CHECK int merge_add(struct merge *m, const struct result *part, const char *source, struct err *err);
/* The caller frees *out. ERR_USAGE when nothing was added. */
MUST_CHECK int merge_finish(struct merge *m, struct result **out, struct err *err);
void merge_release(struct merge *m);

#endif
