/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A command in one line, cut into words without a shell: blanks separate, '...' and "..." and \ keep together. Nothing
 * is expanded. What only a shell could do (pipes, redirections, variables) is refused, not passed on as text: a program
 * that is handed "|" as an argument fails in ways that take long to understand. */
#ifndef PLIMSOLL_ROUNDS_WORDS_H
#define PLIMSOLL_ROUNDS_WORDS_H

#include "base/err.h"
#include "base/strlist.h"

/* Appends to out. ERR_USAGE: an open quote, something of a shell, or no word at all. */
MUST_CHECK int words_split(struct strlist *out, struct slice text, struct err *err);

#endif
