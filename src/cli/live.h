/* SPDX-License-Identifier: GPL-3.0-or-later */
/* --live and --live-http: what runs is shown while it runs. The command fills the board; a thread of ours draws it, and
 * one of live/server.h serves it. Nothing of it lies on a measured path.
 *
 * Order: live_new() with everything that may be refused, live_begin() when the signals are those of a run, live_end()
 * before anything else is printed. While a screen is shown, notes wait until live_end(). */
#ifndef PLIMSOLL_CLI_LIVE_H
#define PLIMSOLL_CLI_LIVE_H

#include "cli/load_options.h"
#include "cli/option_values.h"
#include "live/board.h"

struct live;

/* *out NULL: neither was asked for, or a screen alone and there is none (then a note says so). *progress becomes none
 * where a screen takes its place. */
MUST_CHECK int live_new(struct live **out, const struct live_options *o, const char *command,
                        enum progress_mode *progress, const char *who, struct err *err);
void live_begin(struct live *l);
/* The last figures are shown, the terminal is as it was, notes come out. All of these: NULL is fine. */
void live_end(struct live *l);
void live_free(struct live *l);
/* The message on the screen is where the figures are served, or there is none. */
void live_say_where(struct live *l);
struct live_board *live_board_of(struct live *l);
/* Text that would have gone to a stream meanwhile: it is kept and printed by live_end(). False: no screen is shown. */
bool live_keeps_text(struct live *l, struct slice text);

option_parser live_option_address; /* const char *; for --live-http */

/* clang-format off */
#define LIVE_OPTION_ROWS(type, field)                                                                                        \
    { .name = "live",                                                                                                  \
      .help = "show the figures on the whole terminal while it runs; keys: q stop and report, p pause, s save, ? help", \
      .parse = option_flag, .offset = offsetof(type, field.screen) },                                                        \
    { .name = "live-http", .argument = "ADDRESS", .example = "8080",                                                   \
      .help = "serve the figures while it runs: a page, /metrics for Prometheus, /live.json; a bare port is of "       \
              "127.0.0.1 alone, 0 any free one",                                                                       \
      .parse = live_option_address, .offset = offsetof(type, field.http) }
/* clang-format on */

#endif
