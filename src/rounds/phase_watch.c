/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "base/units.h"
#include "rounds/phases.h"

/* Readers by the copy's index - 1; made when a copy's first line comes, kept for the next round. */
struct phase_watch {
    const struct phases *phases;
    struct phase_reader **readers;
    size_t count;
};

int phase_watch_new(struct phase_watch **out, const struct phases *p, struct err *err)
{
    *out = calloc(1, sizeof(**out));
    if (*out == NULL)
        return err_set(err, ERR_SYSTEM, ENOMEM, "no memory to follow phases");
    (*out)->phases = p;
    return 0;
}

void phase_watch_free(struct phase_watch *w)
{
    if (w == NULL)
        return;
    for (size_t i = 0; i < w->count; i++)
        phase_reader_free(w->readers[i]);
    free(w->readers);
    free(w);
}

static bool make_room(struct phase_watch *w, size_t count)
{
    struct phase_reader **grown;

    if (count <= w->count)
        return true;
    grown = reallocarray(w->readers, count, sizeof(*grown));
    if (grown == NULL)
        return false;
    w->readers = grown;
    while (w->count < count)
        grown[w->count++] = NULL;
    return true;
}

bool phase_watch_line(struct phase_watch *w, const struct line *line)
{
    struct phase_reader **reader;

    if (line->copy == 0 || !make_room(w, line->copy))
        return false;
    reader = &w->readers[line->copy - 1];
    if (*reader == NULL && phase_reader_new(reader, w->phases, NULL) != 0)
        return false;
    phase_reader_take(*reader, line->bytes, line->time_ns);
    return true;
}

void phase_watch_copy(struct phase_watch *w, struct rounds_copy *copy, uint64_t start_ns)
{
    struct phase_reader *reader = copy->index > 0 && copy->index <= w->count ? w->readers[copy->index - 1] : NULL;
    const double duration_s = isnan(copy->duration_s) ? 0 : copy->duration_s;

    if (reader == NULL)
        return;
    if (copy->phases != NULL)
        phase_reader_end(reader, start_ns, start_ns + (uint64_t)(duration_s * NS_PER_S), copy->phases);
    phase_reader_clear(reader);
}
