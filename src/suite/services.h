/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The programs that run beside a suite. Each gets a free local port of its own, {port:NAME}, whether it uses it or not.
 * Its output goes to service-NAME.log in the work folder. */
#ifndef PLIMSOLL_SUITE_SERVICES_H
#define PLIMSOLL_SUITE_SERVICES_H

#include "suite/names.h"
#include "suite/process.h"
#include "suite/suite.h"

struct services {
    const struct suite *suite;
    const char *work_dir;
    const volatile int *stop;
    struct process *processes; /* by service */
    size_t *said_before;       /* by service: bytes of its log that are of a start before this one */
    struct service_end {
        bool is_dead;
        int status, signal;
    } * ends; /* by service: it ended by itself, and how */
};

/* Gives every service its port, in names. */
MUST_CHECK int services_init(struct services *v, const struct suite *s, const char *work_dir, const volatile int *stop,
                             struct names *names, struct err *err);
/* Starts those of the run (each_cell false) or of a cell, in order, each waited for. ERR_CONFIG with the last lines of
 * its output when one ends or is not ready in time. */
MUST_CHECK int services_start(struct services *v, bool each_cell, const struct names *names, struct err *err);
/* Ends them, the last one first. */
void services_end(struct services *v, bool each_cell);
/* The name of one that should run and does not, with how it ended in note; NULL: all run. */
const char *services_find_dead(struct services *v, char *note, size_t room);
/* Starts those again that died, or not, as each one's if_it_dies says; on_warning hears of it. ERR_PEER when the run
 * shall stop; else as services_start(). */
MUST_CHECK int services_mend(struct services *v, const struct names *names,
                             void (*on_warning)(void *arg, const char *text), void *arg, struct err *err);
/* {pid:NAME} of each that runs. */
MUST_CHECK int services_add_pids(const struct services *v, struct names *names, struct err *err);
void services_release(struct services *v);

#endif
