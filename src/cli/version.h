/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plimsoll --version: the program's own version, and that of each library it was built with and runs with. */
#ifndef PLIMSOLL_CLI_VERSION_H
#define PLIMSOLL_CLI_VERSION_H

/* Prints it; returns the exit code. */
int version_print(void);

#endif
