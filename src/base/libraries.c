/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/libraries.h"

#include <stdio.h>
#include <string.h>

#include "base/err.h"

static void copy_version(char out[LIBRARY_VERSION_MAX], const char *text)
{
    const char *at = text != NULL ? text + strcspn(text, "0123456789") : "";

    if (text != NULL && *at == '\0')
        snprintf(out, LIBRARY_VERSION_MAX, "%s", text);
    else
        snprintf(out, LIBRARY_VERSION_MAX, "%.*s", (int)strcspn(at, " \t,"), at);
}

void library_list_add(struct library_list *l, const char *name, const char *built, const char *running)
{
    struct library *added;

    if (l->count == LIBRARIES_MAX)
        BUG("more than %d libraries", LIBRARIES_MAX);
    added = &l->items[l->count++];
    added->name = name;
    copy_version(added->built, built);
    copy_version(added->running, running);
}
