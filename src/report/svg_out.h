/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Markup of a picture (SVG), piece by piece.
 *
 * Colours are classes, never attributes: one style sheet at the top has them for light and for dark surroundings
 * (prefers-color-scheme), without variables, which not every viewer knows. Every text goes through escape_xml().
 * Lengths are pixels of the picture's own grid, y downwards; numbers are written to a tenth. Failures are the buf's.
 * Private to report/. */
#ifndef PLIMSOLL_REPORT_SVG_OUT_H
#define PLIMSOLL_REPORT_SVG_OUT_H

#include "base/buf.h"

/* Classes s0 ... s7 (strokes) and f0 ... f7 (fills): colours that the colour-blind tell apart. */
#define SVG_SERIES_MAX 8

struct svg {
    struct buf *out;
    double width, height;
};

/* The head: title and description for who can not see it, the title and a line below it for who can. */
void svg_begin(struct svg *s, const char *title, const char *subtitle, const char *description);
void svg_end(struct svg *s);

enum svg_anchor { SVG_START, SVG_MIDDLE, SVG_END };
/* class may be NULL: plain ink. */
void svg_text(struct svg *s, double x, double y, enum svg_anchor anchor, const char *class, const char *fmt, ...)
    __attribute__((format(printf, 6, 7)));
void svg_line(struct svg *s, double x1, double y1, double x2, double y2, const char *class);
void svg_rect(struct svg *s, double x, double y, double width, double height, const char *class);
void svg_dot(struct svg *s, double x, double y, double radius, const char *class);
void svg_cross(struct svg *s, double x, double y, double radius, const char *class);
/* A line through points: those with a y that is no number leave a gap. */
void svg_path_begin(struct svg *s, const char *class);
void svg_path_point(struct svg *s, bool *is_down, double x, double y);
void svg_path_end(struct svg *s);

/* Bytes of text that fit into so many pixels of the usual size, roughly. */
size_t svg_fitting(double width);

#endif
