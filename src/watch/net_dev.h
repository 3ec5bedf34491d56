/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Bytes that a network namespace received and sent, its loopback left out. Private to watch/. */
#ifndef PLIMSOLL_WATCH_NET_DEV_H
#define PLIMSOLL_WATCH_NET_DEV_H

#include "watch/reading.h"

/* Whether the process has a network of its own, as in a container: the machine's says nothing about one process. */
bool net_dev_is_own(const char *root, uint64_t pid);
/* Of the process's namespace, as counters; nothing when it can not be read. */
void net_dev_read(struct reading *out, const char *root, uint64_t pid);
/* text: /proc/PID/net/dev. */
void net_dev_sum(struct slice text, uint64_t *received, uint64_t *sent);

#endif
