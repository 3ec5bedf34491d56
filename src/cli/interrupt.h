/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Ctrl-C, SIGTERM and (but under nohup) SIGHUP during a run: the first ends the window early, the second quits at once
 * with exit code 130.
 *
 * Signal dispositions belong to the whole process, hence the one mutable global of this program, hidden in here. */
#ifndef PLIMSOLL_CLI_INTERRUPT_H
#define PLIMSOLL_CLI_INTERRUPT_H

#include <stdbool.h>

/* From here on these signals are counted, and the first is acknowledged on standard error when that is a terminal.
 * Before, they end the process as usual. */
void interrupt_install(void);
/* As ab and mb have it: without a word, and the second ends the process with 128 + its number. */
void interrupt_install_silent(void);
/* While a screen is shown the first is not acknowledged: the screen does it. */
void interrupt_hush(bool hush);
/* Called, in the handler, before the second ends the process. */
void interrupt_before_quit(void (*hook)(void));
/* For load_plan.stop: 0, or 1 once interrupted; the caller may set it too. */
volatile int *interrupt_flag(void);
/* From any thread. */
bool interrupt_is_asked(void);
/* Writing to a closed pipe shall be an error that is reported, not the death of the process. */
void interrupt_ignore_sigpipe(void);

enum { INTERRUPT_EXIT_CODE = 130 };

#endif
