/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The libraries of others that a room is the door of, with the version that it was built with and the one it runs
 * with: a report of a fault needs both. Each such room has a ROOM/libraries.h with a function that adds its own. */
#ifndef PLIMSOLL_BASE_LIBRARIES_H
#define PLIMSOLL_BASE_LIBRARIES_H

#include <stddef.h>

#define LIBRARIES_MAX 24
#define LIBRARY_VERSION_MAX 24

struct library {
    const char *name;
    char built[LIBRARY_VERSION_MAX], running[LIBRARY_VERSION_MAX]; /* running "": it is part of the program */
};

struct library_list {
    struct library items[LIBRARIES_MAX];
    size_t count;
};

/* Versions may be whole sentences: the first word that begins with a digit counts; a text without one is shown as it
 * is. running NULL: part of the program. More than LIBRARIES_MAX is our bug. */
void library_list_add(struct library_list *l, const char *name, const char *built, const char *running);

#endif
