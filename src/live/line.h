/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One line of a frame while it is written: it knows how many cells are left, and takes no more. Private to live/. */
#ifndef PLIMSOLL_LIVE_LINE_H
#define PLIMSOLL_LIVE_LINE_H

#include "live/frame.h"

enum line_style { STYLE_PLAIN, STYLE_STRONG, STYLE_FAINT, STYLE_GOOD, STYLE_BAD, STYLE_WARN, STYLE_BAR };

struct line {
    struct frame *frame;
    const struct frame_form *form;
    size_t used, _start;
    int _rank;
};

void line_begin(struct line *l, struct frame *f, const struct frame_form *form, int rank);
void line_add(struct line *l, enum line_style style, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
/* Text from outside, in at most so many cells. */
void line_add_text(struct line *l, enum line_style style, const char *text, size_t width);
/* Right-aligned in so many cells. */
void line_add_right(struct line *l, enum line_style style, const char *text, size_t width);
void line_pad_to(struct line *l, size_t column);
size_t line_left(const struct line *l);
void line_end(struct line *l);
/* One of line_glyph(), in one cell. */
void line_add_glyph(struct line *l, enum line_style style, unsigned eighths);
/* Glyphs of rising height, 0 … 8; 0 is empty. */
const char *line_glyph(const struct frame_form *form, unsigned eighths);

#endif
