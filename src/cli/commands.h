/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The subcommands of plimsoll, as main() sees them.
 *
 * To add one: write cmd_NAME() in a file of its own, add a row to COMMANDS in main.c, a page man/plimsoll-NAME.1 and
 * the words in completions/. The check compares the page with `plimsoll help NAME` in both directions. */
#ifndef PLIMSOLL_CLI_COMMANDS_H
#define PLIMSOLL_CLI_COMMANDS_H

/* argv[0] is the command's own word ("load"; "ab" also when the binary was called by that name). Returns the process's
 * exit code: 0 ok, 1 a declared check failed, 2 usage or configuration and nothing was sent, 3 the run is invalid or
 * this machine failed, 130 interrupted. */
int cmd_load(int argc, char **argv);
int cmd_limit(int argc, char **argv);
int cmd_ab(int argc, char **argv);
int cmd_compare(int argc, char **argv);
int cmd_complete(int argc, char **argv); /* for completions of shells; in no help */
int cmd_doctor(int argc, char **argv);
int cmd_job(int argc, char **argv);
int cmd_mb(int argc, char **argv);
int cmd_report(int argc, char **argv);
int cmd_results(int argc, char **argv);
int cmd_rounds(int argc, char **argv);
int cmd_run(int argc, char **argv);
int cmd_serve(int argc, char **argv);

#endif
