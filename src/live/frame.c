/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "live/frame.h"

#include <string.h>

#include "live/frame_parts.h"

enum { TEXT_MAX_BYTES = 1 << 20 };

void frame_init(struct frame *f)
{
    memset(f, 0, sizeof(*f));
    buf_init(&f->text, TEXT_MAX_BYTES);
}

void frame_release(struct frame *f)
{
    buf_release(&f->text);
}

struct slice frame_line(const struct frame *f, size_t i)
{
    return slice_from(f->text.data + f->lines[i].at, f->lines[i].len);
}

void frame_blank(struct frame *f, const struct frame_form *form)
{
    struct line l;

    line_begin(&l, f, form, RANK_BLANK);
    line_end(&l);
}

/* The last of those with the highest rank. */
static void drop_one(struct frame *f)
{
    size_t worst = 0;

    for (size_t i = 1; i < f->count; i++)
        if (f->lines[i].rank >= f->lines[worst].rank)
            worst = i;
    memmove(&f->lines[worst], &f->lines[worst + 1], (f->count - worst - 1) * sizeof(f->lines[0]));
    f->count--;
}

static void fit(struct frame *f, size_t rows)
{
    while (f->count > rows)
        drop_one(f);
}

void frame_draw(struct frame *f, const struct live_figures *x, const struct frame_form *form)
{
    buf_clear(&f->text);
    f->count = 0;
    if (form->rows == 0 || form->columns == 0)
        return;
    frame_head(f, x, form);
    if (form->help) {
        frame_help(f, x, form);
    } else {
        frame_blank(f, form);
        frame_numbers(f, x, form);
        frame_blank(f, form);
        frame_charts(f, x, form);
        frame_blank(f, form);
        frame_errors(f, x, form);
        frame_table(f, x, form);
    }
    frame_foot(f, x, form);
    fit(f, form->rows);
}
