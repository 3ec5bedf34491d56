/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where a watched part's readings come from: one small set of functions for each kind (pid.c, cgroup.c, ...). Private
 * to watch/.
 *
 * Each part is read by a thread of its own, so that a source may wait, up to its own time-out; when cancel_fd becomes
 * readable it gives up at once. */
#ifndef PLIMSOLL_WATCH_SOURCE_H
#define PLIMSOLL_WATCH_SOURCE_H

#include "base/buf.h"
#include "base/err.h"
#include "watch/reading.h"

struct source;

struct source_ops {
    /* 0, or -1: nothing could be read, err says why. */
    int (*read)(struct source *s, struct reading *out, struct err *err);
    void (*close)(struct source *s);
    /* Figures that were asked for by name and were in no reading since the last call, one behind the other; NULL:
     * nobody asks by name. */
    void (*add_unseen)(struct source *s, struct buf *out);
};

/* First member of every source's own struct. */
struct source {
    const struct source_ops *ops;
    double capacity_cores; /* what it can use at most; 0: not known */
};

struct source_context {
    const char *root; /* "" but in tests: /proc and /sys are looked for below it */
    int cancel_fd;    /* becomes readable when the run is over; -1: never */
};

/* Each takes what follows "kind:". The context's root must outlive the source. Wrong specs are ERR_USAGE, things that
 * are not there ERR_CONFIG, both with a hint. */
typedef int source_opener(struct source **out, struct slice what, const struct source_context *context,
                          struct err *err);
source_opener pid_open, cgroup_open, unit_open, kubectl_open, command_open, prom_open;

#endif
