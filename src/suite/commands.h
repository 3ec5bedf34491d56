/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The commands of a suite: setup, facts, before_each and the like. Each is given to the shell in the suite's folder,
 * its output goes to WHAT.log in the work folder. */
#ifndef PLIMSOLL_SUITE_COMMANDS_H
#define PLIMSOLL_SUITE_COMMANDS_H

#include "suite/names.h"
#include "suite/suite.h"

struct commands_place {
    const struct suite *suite;
    const char *work_dir;
    const volatile int *stop; /* not 0: the command in hand is ended; NULL: nothing stops them */
    void (*on_warning)(void *arg, const char *text);
    void *arg;
};

/* what: "setup". out_path: its standard output; NULL: to the log. ERR_CONFIG when it fails or takes too long, with its
 * last lines in the hint; ERR_SYSTEM for a stop. */
MUST_CHECK int suite_command_run(const struct commands_place *at, const struct suite_command *c,
                                 const struct names *names, const char *what, const char *out_path, struct err *err);
/* All of a list, in order, up to the first that fails. One that may fail is a warning and passed over. */
MUST_CHECK int commands_run(const struct commands_place *at, const struct suite_commands *list,
                            const struct names *names, const char *what, struct err *err);
/* All of a list, whatever happens; failures are warnings. */
void commands_run_all(const struct commands_place *at, const struct suite_commands *list, const struct names *names,
                      const char *what);
/* Its standard output, all of it up to 1 MiB, appended to out. */
MUST_CHECK int commands_output(const struct commands_place *at, const struct suite_command *c,
                               const struct names *names, const char *what, struct buf *out, struct err *err);

#endif
