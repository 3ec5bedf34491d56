/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plimsoll rounds import: the analysis of rounds that were timed elsewhere. */
#ifndef PLIMSOLL_CLI_ROUNDS_IMPORT_H
#define PLIMSOLL_CLI_ROUNDS_IMPORT_H

/* argv[0] is "import". Returns the process's exit code. */
int rounds_import_run(int argc, char **argv);

#endif
