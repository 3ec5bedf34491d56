/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Results as a picture, for a README or a wiki: one SVG without script, font or address of anything outside.
 *
 * PERCENTILES. Latency over 1/(1-p): 90 %, 99 %, 99.9 % lie equally far apart; solid from the due time, dashed from the
 * first byte. A curve of n requests ends at 1 - 1/n: what is beyond has not been measured. Promises are lines across.
 * TIME. Second by second: replies asked for and got, p50, p99 and maximum, failures. Where there are more seconds than
 * points, each point's lowest and highest stay. A p99 of fewer than 100 requests is not drawn.
 * MATRIX. A square for each cell; its figure is the samples' mean, as comparisons take it; of two runs the change.
 * ROUNDS. Every copy's duration over the number of copies at once, failed ones as crosses, and copies per second with
 * the fitted law.
 * LIMIT. Of a search: every trial's p99 and p50, and its ok replies, over what was asked for; promises are lines
 * across, the safe level and the one that broke lines upright.
 *
 * Pure: results in, text out. */
#ifndef PLIMSOLL_REPORT_SVG_H
#define PLIMSOLL_REPORT_SVG_H

#include "base/buf.h"
#include "base/err.h"
#include "result/limit.h"
#include "result/side.h"

/* id, name, what it shows */
#define SVG_PLOTS(X)                                                                     \
    X(SVG_PERCENTILES, "percentiles", "latency by percentile, a curve for each run")     \
    X(SVG_TIME, "time", "rate, latency and failures, second by second")                  \
    X(SVG_MATRIX, "matrix", "a square for each cell of a suite; of two runs the change") \
    X(SVG_ROUNDS, "rounds", "durations of copies at once, and how it scales")            \
    X(SVG_LIMIT, "limit", "latency and ok replies by the rate asked for, of a limit")

enum svg_plot {
#define SVG_ENUM(id, name, what) id,
    SVG_PLOTS(SVG_ENUM)
#undef SVG_ENUM
        SVG_PLOT_COUNT
};
const char *svg_plot_name(enum svg_plot plot);
/* False: no plot is called so. */
bool svg_plot_parse(enum svg_plot *out, struct slice name);

struct svg_run {
    const char *name;
    const struct result *result;
};

/* At most SVG_RUNS_MAX runs. ERR_CONFIG when there is nothing of that kind in them; the sentence says what is missing.
 */
#define SVG_RUNS_MAX 8
struct svg_limit_of {
    const char *name;
    const struct limit_report *report;
};
MUST_CHECK int svg_limit(struct buf *out, const struct svg_limit_of *limits, size_t count, struct err *err);
MUST_CHECK int svg_percentiles(struct buf *out, const struct svg_run *runs, size_t count, struct err *err);
MUST_CHECK int svg_time(struct buf *out, const struct svg_run *run, struct err *err);
/* Several overlaid; runs of one name have one colour. */
MUST_CHECK int svg_times(struct buf *out, const struct svg_run *runs, size_t count, struct err *err);
MUST_CHECK int svg_rounds(struct buf *out, const struct svg_run *run, struct err *err);
/* base may be NULL: no change is shown. metric NULL: requests_per_s, else mean_ok_s, else the first there is. */
MUST_CHECK int svg_matrix(struct buf *out, const struct side *side, const struct side *base, const char *metric,
                          struct err *err);

#endif
