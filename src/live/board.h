/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where the figures of the moment hang: the thread that knows them writes, threads that show them copy. Nobody on the
 * measured path comes here. */
#ifndef PLIMSOLL_LIVE_BOARD_H
#define PLIMSOLL_LIVE_BOARD_H

#include "base/err.h"
#include "live/figures.h"

struct live_board;

MUST_CHECK int live_board_new(struct live_board **out, const char *command, struct err *err);
void live_board_free(struct live_board *b); /* NULL is fine */
/* To write: from take to give nobody else sees them. */
struct live_figures *live_board_take(struct live_board *b);
void live_board_give(struct live_board *b);
void live_board_copy(struct live_board *b, struct live_figures *out);
/* One line that a person should see. */
void live_board_message(struct live_board *b, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#endif
