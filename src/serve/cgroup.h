/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the control group of this process says (version 2). */
#ifndef PLIMSOLL_SERVE_CGROUP_H
#define PLIMSOLL_SERVE_CGROUP_H

#include <stdbool.h>
#include <stdint.h>

/* How long its tasks have been kept from running so far by the group's CPU limit. False: there is none to be read. */
bool cgroup_throttled(uint64_t *ns);

#endif
