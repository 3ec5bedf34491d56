/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "rounds/places.h"

enum place { PLACE_COPY, PLACE_ROUND, PLACE_N, PLACE_UUID, PLACES };

static const struct slice NAMES[PLACES] = {
    [PLACE_COPY] = { "{i}", 3 },
    [PLACE_ROUND] = { "{round}", 7 },
    [PLACE_N] = { "{n}", 3 },
    [PLACE_UUID] = { "{uuid}", 6 },
};

static enum place place_at(struct slice text)
{
    unsigned i = 0;

    while (i < PLACES && !slice_starts(text, NAMES[i]))
        i++;
    return (enum place)i;
}

static void add_place(struct buf *out, enum place place, const struct places *p)
{
    if (place == PLACE_UUID)
        buf_add_str(out, p->uuid);
    else
        buf_printf(out, "%u", (unsigned)(place == PLACE_COPY ? p->copy : place == PLACE_ROUND ? p->round : p->n));
}

void places_fill(struct buf *out, struct slice text, const struct places *p)
{
    while (text.len > 0) {
        const ptrdiff_t brace = slice_find(text, '{');
        const size_t before = brace < 0 ? text.len : (size_t)brace;
        enum place place;

        buf_append(out, text.ptr, before);
        text = slice_drop(text, before);
        if (text.len == 0)
            return;
        place = place_at(text);
        if (place < PLACES)
            add_place(out, place, p);
        else
            buf_add_char(out, '{');
        text = slice_drop(text, place < PLACES ? NAMES[place].len : 1);
    }
}

bool places_in(struct slice text)
{
    for (size_t i = 0; i < text.len; i++)
        if (text.ptr[i] == '{' && place_at(slice_drop(text, i)) < PLACES)
            return true;
    return false;
}
