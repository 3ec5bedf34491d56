/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The figures of a moment as a screen of text: at most `rows` lines of at most `columns` cells, whatever the figures
 * and the size. Pure. What matters least is left out first where the room is short; the last line tells the keys.
 *
 * Lines hold text and, with colour, SGR sequences that end within their line; nothing else. */
#ifndef PLIMSOLL_LIVE_FRAME_H
#define PLIMSOLL_LIVE_FRAME_H

#include "live/figures.h"

struct frame_form {
    unsigned columns, rows;
    bool colour, utf8;
    bool paused, help;
    bool has_keys; /* somebody can press them */
};

#define FRAME_LINES 200

/* Lines of text in one buffer; a rank says what goes first (the highest) when there are too many. */
struct frame {
    struct buf text;
    struct {
        size_t at, len;
        int rank;
    } lines[FRAME_LINES];
    size_t count;
};

void frame_init(struct frame *f);
void frame_release(struct frame *f);
/* Replaces what was there. */
void frame_draw(struct frame *f, const struct live_figures *figures, const struct frame_form *form);
struct slice frame_line(const struct frame *f, size_t i);

#endif
