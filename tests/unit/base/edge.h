/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Bytes placed right before an unreadable page: a parser that looks one byte too far crashes. */
#ifndef PLIMSOLL_TESTS_EDGE_H
#define PLIMSOLL_TESTS_EDGE_H

#include "base/slice.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

struct edge {
    char *map;
    size_t room;
};

static inline struct edge edge_new(void)
{
    const size_t room = (size_t)64 * 1024;
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    struct edge e = { mmap(NULL, room + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), room };

    if (e.map == MAP_FAILED || mprotect(e.map + room, page, PROT_NONE) != 0)
        abort();
    return e;
}

static inline void edge_free(struct edge *e)
{
    munmap(e->map, e->room + (size_t)sysconf(_SC_PAGESIZE));
}

static inline struct slice edge_put(struct edge *e, const char *bytes, size_t len)
{
    char *at = e->map + e->room - len;

    if (len > e->room)
        abort();
    if (len > 0)
        memcpy(at, bytes, len);
    return slice_from(at, len);
}

#endif
