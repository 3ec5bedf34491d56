/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The runs of a report as one picture.
 *
 * PERCENTILES. A curve for each run, and of one run with several cells for each cell; its samples' histograms are
 * added. TIME. One document as lines of its own; of several, or of a run's samples, a line each, overlaid. ROUNDS. All
 * samples of all runs, as if one run had made them; a series for each run. LIMIT. The limits among them. MATRIX. One
 * run's cells, or those of the second against the first. */
#ifndef PLIMSOLL_REPORT_SVG_REPORT_H
#define PLIMSOLL_REPORT_SVG_REPORT_H

#include "report/collection.h"
#include "report/svg.h"

/* plot NULL: what fits best. metric: of a matrix; NULL: see svg_matrix(). ERR_CONFIG: these runs have no such picture;
 * the hint says which they have, or how to ask. */
MUST_CHECK int report_svg(struct buf *out, const struct collection *c, const enum svg_plot *plot, const char *metric,
                          struct err *err);

#endif
