/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/compare_fit.h"

#include <stdlib.h>

static int by_number(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

    return (x > y) - (x < y);
}

static size_t unique(uint32_t *x, size_t n)
{
    size_t kept = 0;

    qsort(x, n, sizeof(*x), by_number);
    for (size_t i = 0; i < n; i++)
        if (kept == 0 || x[i] != x[kept - 1])
            x[kept++] = x[i];
    return kept;
}

int compare_levels(uint32_t **out, size_t *count, const struct compare_work *w, bool sessions, struct err *err)
{
    const struct compare_input *in = w->in;
    size_t n = 0;

    *out = calloc(w->starts[in->cell_count * SIDES] + 1, sizeof(**out));
    if (*out == NULL)
        return err_set(err, ERR_SYSTEM, 0, "out of memory");
    for (size_t c = 0; c < in->cell_count; c++)
        for (int side = SIDE_BASE; side < (sessions ? SIDES : SIDE_HISTORY); side++) {
            const struct compare_samples *s = compare_side(&in->cells[c], side);

            for (size_t i = 0; i < s->count; i++)
                (*out)[n++] = sessions ? s->items[i].session : s->items[i].round;
        }
    *count = unique(*out, n);
    if (*count > COMPARE_LEVELS_MAX)
        return err_set(err, ERR_LIMIT, 0, "%zu %s, at most %u can be compared", *count,
                       sessions ? "sessions" : "rounds", COMPARE_LEVELS_MAX);
    return 0;
}

uint32_t compare_level_index(const uint32_t *levels, size_t count, uint32_t level)
{
    const uint32_t *at = bsearch(&level, levels, count, sizeof(level), by_number);

    if (at == NULL)
        BUG("level %u of a sample was not collected", level);
    return (uint32_t)(at - levels);
}
