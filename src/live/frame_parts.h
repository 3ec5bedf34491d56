/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The parts of a frame, each some lines. Private to live/. */
#ifndef PLIMSOLL_LIVE_FRAME_PARTS_H
#define PLIMSOLL_LIVE_FRAME_PARTS_H

#include "live/line.h"

#define LABEL_CELLS 10u

/* What goes first when the room is short: the highest. RANK_ALWAYS stays to the last. */
enum { RANK_ALWAYS, RANK_MAIN, RANK_SECOND, RANK_HEADS, RANK_CHARTS, RANK_ROWS, RANK_SCALES, RANK_MORE, RANK_BLANK };

void frame_blank(struct frame *f, const struct frame_form *form);
void frame_head(struct frame *f, const struct live_figures *x, const struct frame_form *form);
void frame_numbers(struct frame *f, const struct live_figures *x, const struct frame_form *form);
void frame_charts(struct frame *f, const struct live_figures *x, const struct frame_form *form);
void frame_errors(struct frame *f, const struct live_figures *x, const struct frame_form *form);
void frame_table(struct frame *f, const struct live_figures *x, const struct frame_form *form);
void frame_foot(struct frame *f, const struct live_figures *x, const struct frame_form *form);
void frame_help(struct frame *f, const struct live_figures *x, const struct frame_form *form);

#endif
