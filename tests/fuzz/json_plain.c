/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The quick reader of JSON: whatever the bytes, what it takes Jansson takes too, and both read the same, but for
 * percentiles, which it leaves out. */
#include "result/json_plain.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool is_percentile(const char *name)
{
    return name[0] == 'p' && strlen(name) >= 3 && strspn(name + 1, "0123456789") == strlen(name) - 1;
}

/* Positive numbers alone are left out: another value of that name is kept. */
static void prune(json_t *value)
{
    const char *name;
    json_t *member;
    void *next;
    size_t i;

    if (json_is_array(value)) {
        json_array_foreach(value, i, member)
        {
            prune(member);
        }
        return;
    }
    json_object_foreach_safe(value, next, name, member)
    {
        if (is_percentile(name) && json_is_number(member))
            json_object_del(value, name);
        else
            prune(member);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    json_t *quick = json_plain_read(slice_from((const char *)data, size)), *other;

    if (quick == NULL)
        return 0;
    other = json_loadb((const char *)data, size, 0, NULL); /* a percentile may be there twice */
    if (other == NULL)
        abort();
    prune(quick);
    prune(other);
    if (!json_equal(quick, other))
        abort();
    json_decref(quick);
    json_decref(other);
    return 0;
}
