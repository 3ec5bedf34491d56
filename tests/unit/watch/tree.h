/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A folder that stands for / in tests: files of /proc and /sys as the test wants them. */
#ifndef PLIMSOLL_TESTS_WATCH_TREE_H
#define PLIMSOLL_TESTS_WATCH_TREE_H

#include <limits.h>

struct tree {
    char root[64];
};

void tree_make(struct tree *t);
void tree_remove(struct tree *t);
/* path begins with '/'; folders above it are made. */
void tree_put(const struct tree *t, const char *path, const char *text);
void tree_link(const struct tree *t, const char *path, const char *to);
void tree_drop(const struct tree *t, const char *path); /* a file, or a folder with all in it */
/* /proc/PID/stat of a process with these figures, in ticks and pages. */
void tree_put_process(const struct tree *t, unsigned pid, unsigned parent, unsigned start, unsigned user,
                      unsigned system, unsigned waited, unsigned threads, unsigned rss_pages);

#endif
