/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One page that answers: a self-contained HTML file of one or more runs.
 *
 * Every figure stands in a table that needs no script; what the page's script draws is drawn from the JSON embedded in
 * it, and its texts are escaped like all others. No figure is made in the script: verdicts, changes and intervals are
 * those of result/comparison.h, percentiles those of the histograms. The first run is the base of all comparisons.
 *
 * SIZE. Below HTML_BYTES_MAX for a suite of 100 cells: series are thinned, each bucket keeping its least and its
 * greatest value, the more documents the fewer points; documents are embedded whole while they fit, then without their
 * intervals, then not at all, and the page says which. */
#ifndef PLIMSOLL_REPORT_HTML_H
#define PLIMSOLL_REPORT_HTML_H

#include "base/buf.h"
#include "report/collection.h"

#define HTML_BYTES_MAX 2000000u

struct html_options {
    const char *title;             /* NULL: the runs' names */
    const struct strlist *metrics; /* the first one gates; NULL or empty: as comparisons choose */
    double min_change;             /* 0: 3 % */
    bool same_session;             /* the user vouches for it */
    const struct side *history;    /* sessions of unchanged code; may be NULL */
};

/* -1: out of memory, a document that can not be read, or (ERR_USAGE) a metric that no run has. */
MUST_CHECK int report_html(struct buf *out, const struct collection *c, const struct html_options *options,
                           struct err *err);
/* False: this build has no charts (Meson's option "charts"), its pages are tables alone. */
bool report_html_has_charts(void);

#endif
