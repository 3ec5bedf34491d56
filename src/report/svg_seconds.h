/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A run second by second as points of a picture: at most SECONDS_POINTS, each with the lowest and the highest of its
 * seconds. Private to report/. */
#ifndef PLIMSOLL_REPORT_SVG_SECONDS_H
#define PLIMSOLL_REPORT_SVG_SECONDS_H

#include "report/svg_axes.h"
#include "result/result.h"

enum { SECONDS_POINTS = 400 };

/* One interval's figures; a group of them keeps the lowest and the highest of each. */
enum second_line { SECOND_RATE, SECOND_P50, SECOND_P99, SECOND_MAX, SECOND_LINES };

struct second_point {
    double t_s;
    double low[SECOND_LINES], high[SECOND_LINES]; /* NAN: not known */
    double failed_per_s;
};

struct seconds {
    struct second_point points[SECONDS_POINTS];
    size_t count;
    double end_s, rate_asked;
    uint64_t failed;
    double highest[SECOND_LINES], lowest_latency, most_failed;
};

/* Into a zeroed *s; of a run that has intervals. */
MUST_CHECK int seconds_collect(struct seconds *s, const struct result *r, struct err *err);
/* The middle of a point's seconds. */
double seconds_middle(const struct seconds *s, size_t point);
/* A lone point is a dot; fill: its class. */
void seconds_draw(struct svg *svg, const struct seconds *s, const struct svg_scale *x, const struct svg_scale *y,
                  enum second_line line, const char *class, const char *fill);

#endif
