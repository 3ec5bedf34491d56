/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Texts that are ready, to standard output or error. */
#ifndef PLIMSOLL_CLI_PRINT_H
#define PLIMSOLL_CLI_PRINT_H

#include <stdio.h>

#include "base/buf.h"

/* Writes what the text holds and releases it. Whether it could be written is told when the program ends, as for all of
 * standard output. */
void cli_print(FILE *to, struct buf *text);

#endif
