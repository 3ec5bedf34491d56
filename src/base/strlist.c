/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/strlist.h"

#include <stdlib.h>

/* Pointers allocated when `need` are used: known from the count alone, so the list carries no capacity. */
static size_t slots_for(size_t need)
{
    size_t slots = 4;

    while (slots < need)
        slots *= 2;
    return slots;
}

static bool grow(struct strlist *l)
{
    const size_t need = l->count + 2; /* the new item and the NULL behind it */

    if (l->items != NULL && slots_for(l->count + 1) == slots_for(need))
        return true;
    char **items = reallocarray(l->items, slots_for(need), sizeof(*items));
    if (items == NULL)
        return false;
    items[l->count] = NULL;
    l->items = items;
    return true;
}

bool strlist_add(struct strlist *l, struct slice text)
{
    char *copy = slice_dup(text);

    if (copy == NULL)
        return false;
    if (!grow(l)) {
        free(copy);
        return false;
    }
    l->items[l->count++] = copy;
    l->items[l->count] = NULL;
    return true;
}

bool strlist_contains(const struct strlist *l, struct slice text)
{
    for (size_t i = 0; i < l->count; i++)
        if (slice_eq(slice_str(l->items[i]), text))
            return true;
    return false;
}

void strlist_release(struct strlist *l)
{
    for (size_t i = 0; i < l->count; i++)
        free(l->items[i]);
    free(l->items);
    *l = (struct strlist)STRLIST_INIT;
}
