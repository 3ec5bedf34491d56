/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "live/line.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "live/cells.h"

enum { TEXT_MAX = 512 };

void line_begin(struct line *l, struct frame *f, const struct frame_form *form, int rank)
{
    *l = (struct line){ .frame = f, .form = form, ._start = f->text.len, ._rank = rank };
}

size_t line_left(const struct line *l)
{
    return l->used < l->form->columns ? l->form->columns - l->used : 0;
}

static void styled(struct line *l, enum line_style style, struct slice text, size_t width)
{
    static const char *const CODES[] = {
        [STYLE_PLAIN] = NULL,       [STYLE_STRONG] = "\033[1m", [STYLE_FAINT] = "\033[2m", [STYLE_GOOD] = "\033[32m",
        [STYLE_BAD] = "\033[1;31m", [STYLE_WARN] = "\033[33m",  [STYLE_BAR] = "\033[36m"
    };
    const bool coloured = l->form->colour && CODES[style] != NULL;

    width = width < line_left(l) ? width : line_left(l);
    if (width == 0)
        return;
    if (coloured)
        buf_add_str(&l->frame->text, CODES[style]);
    l->used += cells_add_middle(&l->frame->text, text, width, l->form->utf8);
    if (coloured)
        buf_add_str(&l->frame->text, "\033[0m");
}

void line_add(struct line *l, enum line_style style, const char *fmt, ...)
{
    char text[TEXT_MAX];
    va_list args;

    va_start(args, fmt);
    vsnprintf(text, sizeof(text), fmt, args);
    va_end(args);
    /* Our own words: the end of what does not fit is cut off, and not the middle. */
    if (cells_width(slice_str(text), l->form->utf8) > line_left(l) && line_left(l) > 0) {
        struct buf cut;

        buf_init(&cut, 4 * TEXT_MAX);
        cells_add(&cut, slice_str(text), line_left(l), l->form->utf8);
        styled(l, style, buf_slice(&cut), line_left(l));
        buf_release(&cut);
        return;
    }
    styled(l, style, slice_str(text), line_left(l));
}

void line_add_text(struct line *l, enum line_style style, const char *text, size_t width)
{
    styled(l, style, slice_str(text), width);
}

void line_add_right(struct line *l, enum line_style style, const char *text, size_t width)
{
    const size_t cells = cells_width(slice_str(text), l->form->utf8);

    if (cells < width)
        line_pad_to(l, l->used + width - cells);
    styled(l, style, slice_str(text), width);
}

void line_pad_to(struct line *l, size_t column)
{
    while (l->used < column && line_left(l) > 0) {
        buf_add_char(&l->frame->text, ' ');
        l->used++;
    }
}

void line_end(struct line *l)
{
    struct frame *f = l->frame;

    if (f->count == FRAME_LINES)
        return;
    while (f->text.len > l->_start && f->text.data[f->text.len - 1] == ' ')
        f->text.len--;
    f->lines[f->count].at = l->_start;
    f->lines[f->count].len = f->text.len - l->_start;
    f->lines[f->count++].rank = l->_rank;
}

void line_add_glyph(struct line *l, enum line_style style, unsigned eighths)
{
    if (eighths == 0)
        line_pad_to(l, l->used + 1);
    else
        styled(l, style, slice_str(line_glyph(l->form, eighths)), 1);
}

const char *line_glyph(const struct frame_form *form, unsigned eighths)
{
    static const char *const BLOCKS[] = { " ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█" };
    static const char *const ASCII[] = { " ", ".", ":", "-", "=", "+", "*", "#", "@" };

    return (form->utf8 ? BLOCKS : ASCII)[eighths < 8 ? eighths : 8];
}
