/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Processes that outlive the copy that made them. While there is a struct orphans this process is a subreaper: what
 * loses its parent below it becomes its child, so that nothing can get away, not with a double fork and not with a
 * session of its own. Children that it had before are left alone. */
#ifndef PLIMSOLL_ROUNDS_ORPHANS_H
#define PLIMSOLL_ROUNDS_ORPHANS_H

#include "base/err.h"
#include "base/strlist.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct orphan {
    pid_t pid, group, session;
    char *name; /* its command line, printable and cut */
};

struct orphans; /* for the whole run */

MUST_CHECK int orphans_new(struct orphans **out, struct err *err);
void orphans_free(struct orphans *o); /* NULL is fine */

/* Reaps what has ended; none of our own children may be running. True when others still do. */
bool orphans_any(const struct orphans *o);
/* Waits a moment for those beyond the first `known` to end by themselves. True when more are still there. */
bool orphans_settle(const struct orphans *o, size_t known);
/* Those there are now, below this process; *count 0 also when /proc can not be read. The caller ends them with
 * orphans_list_free(). */
struct orphan *orphans_list(const struct orphans *o, size_t *count);
void orphans_list_free(struct orphan *list, size_t count);
/* TERM to all of them, KILL after a while, until none is left. */
void orphans_stop(const struct orphans *o, uint64_t kill_after_ns);

#endif
