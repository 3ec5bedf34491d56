/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The terminal on standard error, taken for a whole screen and given back as it was: settings, cursor and what stood
 * there. It is given back by terminal_leave(), before Ctrl-Z stops the process, and by signal handlers when the process
 * is about to die (SIGSEGV, SIGABRT, SIGQUIT, … and the second Ctrl-C or SIGTERM); only SIGKILL is beyond us.
 *
 * There is one terminal: its state is this file's, and what handlers need of it is async-signal-safe. */
#ifndef PLIMSOLL_CLI_TERMINAL_H
#define PLIMSOLL_CLI_TERMINAL_H

#include "base/slice.h"

/* Why a screen can not be had here, as the end of a sentence; NULL: it can. */
const char *terminal_obstacle(void);
/* Takes it, once; from here on the handlers stand. False: its settings can not be read. */
bool terminal_take(void);
/* Gives it back for good; more than once is fine. */
void terminal_leave(void);

/* For the thread that draws: whether the screen is ours now. Takes it again after Ctrl-Z and fg; *fresh is set when it
 * is empty. */
bool terminal_is_ours(bool *fresh);
void terminal_size(unsigned *columns, unsigned *rows);
/* All of it, or nothing more when the terminal does not take it for a while. */
void terminal_write(struct slice text);
bool terminal_has_keys(void);
int terminal_key_fd(void); /* to wait on; -1: none */
int terminal_key(void);    /* -1: none waits */

bool terminal_wants_colour(void); /* no NO_COLOR, and TERM is no vt100 or the like */
bool terminal_speaks_utf8(void);

#endif
