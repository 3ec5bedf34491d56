/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Scales, and the frame with ticks that stands around curves. Private to report/. */
#ifndef PLIMSOLL_REPORT_SVG_AXES_H
#define PLIMSOLL_REPORT_SVG_AXES_H

#include "report/svg_out.h"

/* Values low ... high lie from pixel `from` to pixel `to`, evenly or by their logarithm. */
struct svg_scale {
    double low, high;
    bool is_log;
    double from, to;
};

/* Around lowest ... highest (not NAN): from 0 when even, by powers of ten cut to 1, 2 or 5 when logarithmic; never of
 * no width. A logarithmic scale needs lowest > 0. */
struct svg_scale svg_scale_around(double lowest, double highest, bool is_log, double from, double to);
/* NAN for what it can not show; clamped to the ends. */
double svg_scale_at(const struct svg_scale *scale, double value);

#define SVG_TICKS_MAX 32
/* Round values on the scale, rising; at most about `most`. */
size_t svg_ticks(double out[SVG_TICKS_MAX], const struct svg_scale *scale, unsigned most);

struct svg_panel {
    double left, top, right, bottom;
};

/* "6.39 ms", "1,200": what a tick says. */
typedef const char *svg_label(char *out, size_t size, double value);
svg_label svg_label_time;   /* of seconds */
svg_label svg_label_number; /* 12.3 k */
/* Lines across with their values on the left; what is the axis' name above it. */
void svg_axis_left(struct svg *s, const struct svg_panel *p, const struct svg_scale *y, svg_label *label,
                   const char *name);
/* Ticks below. */
void svg_axis_below(struct svg *s, const struct svg_panel *p, const struct svg_scale *x, svg_label *label,
                    const char *name);
/* A short line in the series' colour and its name, at *x, which moves on. thin: dashed. */
void svg_legend(struct svg *s, double *x, double y, unsigned series, bool thin, const char *name);

#endif
