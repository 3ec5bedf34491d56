/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Control groups, of version 2 and, where the machine has no other, of version 1. For watch/ and machine/. */
#ifndef PLIMSOLL_WATCH_CGROUP_H
#define PLIMSOLL_WATCH_CGROUP_H

#include "base/slice.h"

#include <limits.h>

#define CGROUP_MOUNT "/sys/fs/cgroup"

struct cgroup_place {
    const char *root;
    bool is_v2;
    char path[PATH_MAX]; /* below the mount, of version 1 below each controller's: "" or "/system.slice/a.service" */
};

bool cgroup_root_is_v2(const char *root);
/* path may begin with /sys/fs/cgroup, and then, in version 1, with a controller. False: there is no such group. */
bool cgroup_find(struct cgroup_place *out, const char *root, struct slice path);
/* The group that a process is in; false when it is not to be seen. */
bool cgroup_of_process(struct cgroup_place *out, const char *root, uint64_t pid);
/* Cores that its tasks may use together: the tightest limit of it and the groups it is in, its set of processors, and
 * what the machine has. 0: not known. */
double cgroup_capacity(const struct cgroup_place *g);
/* Processors of the machine that run; 0: not known. */
unsigned cgroup_processors(const char *root);

#endif
