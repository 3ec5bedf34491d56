/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Processes as /proc shows them. For watch/ and machine/. */
#ifndef PLIMSOLL_WATCH_PROCESS_LIST_H
#define PLIMSOLL_WATCH_PROCESS_LIST_H

#include "base/buf.h"

struct process_stat {
    uint64_t pid, parent;
    bool is_zombie;
    uint64_t cpu_ticks;      /* of its threads, also those that ended */
    uint64_t children_ticks; /* of its children that ended and were waited for, theirs included */
    uint64_t threads, start_ticks, rss_pages;
};

/* text: the line of /proc/PID/stat, whose second word may hold anything. */
bool process_stat_parse(struct process_stat *out, struct slice text);
bool process_stat_read(struct process_stat *out, const char *root, uint64_t pid, struct buf *scratch);

struct process_ids {
    uint64_t *items;
    size_t count, _capacity;
};
#define PROCESS_IDS_MAX 65536u
void process_ids_release(struct process_ids *l);
/* Once each. False when out of memory or room. */
bool process_ids_add(struct process_ids *l, uint64_t pid);
/* Adds all descendants of those that are in it already: from the kernel's lists of children where it has them, else
 * from a look at every process. */
bool process_ids_add_descendants(struct process_ids *l, const char *root, struct buf *scratch);

#endif
