/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A list of owned strings. Always true: items[count] is NULL once anything was added. */
#ifndef PLIMSOLL_BASE_STRLIST_H
#define PLIMSOLL_BASE_STRLIST_H

#include "base/slice.h"

struct strlist {
    char **items;
    size_t count;
};

#define STRLIST_INIT \
    {                \
        NULL, 0      \
    }

/* False when out of memory (nothing added). */
bool strlist_add(struct strlist *l, struct slice text);
bool strlist_contains(const struct strlist *l, struct slice text);
void strlist_release(struct strlist *l);

#endif
