/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The one way plimsoll tells a person that something went wrong: on standard error, the command first, then the
 * sentence, then how to mend it. */
#ifndef PLIMSOLL_CLI_COMPLAIN_H
#define PLIMSOLL_CLI_COMPLAIN_H

#include "base/err.h"
#include "base/slice.h"

/* Prints "plimsoll load: sentence" and, when there is one, "  hint: …". Returns the exit code of the error's kind. */
int cli_complain(const char *who, const struct err *err);
/* The same for what could not be written to standard output. Nothing is said when its reader has left (`| head`): the
 * exit code is then that of a program which SIGPIPE has ended, as a shell tells it. */
int cli_complain_of_output(const char *who, const struct err *err);
#define CLI_EXIT_READER_LEFT 141
/* One line on standard error: "plimsoll load: …", in one write: launchers that mark the lines of many processes mark
 * every piece that they read. */
void cli_note(const char *who, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* From here on both hand their texts to sink instead; NULL: as before. While a screen stands on standard error. */
void cli_notes_to(void (*sink)(void *arg, struct slice text), void *arg);

#endif
