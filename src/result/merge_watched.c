/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "result/merge_parts.h"

/* So many values of f from the second `offset` of the whole on; what lies outside of the part is not known. */
static bool place(struct watched_figure *f, size_t values, size_t offset, size_t count)
{
    double *series = calloc(count > 0 ? count : 1, sizeof(*series));

    if (series == NULL)
        return false;
    for (size_t i = 0; i < count; i++)
        series[i] = i >= offset && i - offset < values ? f->series[i - offset] : NAN;
    free(f->series);
    f->series = series;
    f->count = count;
    return true;
}

static bool copy_figure(struct watched_figure *to, const struct watched_figure *from)
{
    *to = (struct watched_figure){ .name = strdup(from->name), .mean = from->mean, .max = from->max };
    to->series = calloc(from->count > 0 ? from->count : 1, sizeof(*to->series));
    if (to->name == NULL || to->series == NULL)
        return false;
    if (from->count > 0)
        memcpy(to->series, from->series, from->count * sizeof(*to->series));
    to->count = from->count;
    return true;
}

/* "gateway@1f0c9a7e": with the beginning of the run's id; as it is when it has been merged. */
static char *name_of(const struct watched *w, const struct result *r)
{
    struct buf name;
    char *text;

    buf_init(&name, SIZE_MAX);
    buf_add_str(&name, w->name);
    if (r->part_count == 0)
        buf_printf(&name, "@%.8s", r->id);
    text = buf_detach(&name);
    buf_release(&name);
    return text;
}

static bool copy_part(struct watched *to, const struct watched *from, const struct result *r)
{
    *to = (struct watched){ .name = name_of(from, r),
                            .spec = from->spec != NULL ? strdup(from->spec) : NULL,
                            .capacity_cores = from->capacity_cores,
                            .readings = from->readings,
                            .missed = from->missed,
                            .figures = calloc(from->figure_count + 1, sizeof(*to->figures)) };
    if (to->name == NULL || to->figures == NULL || (from->spec != NULL && to->spec == NULL))
        return false;
    for (size_t i = 0; i < from->figure_count; i++) {
        to->figure_count++;
        if (!copy_figure(&to->figures[i], &from->figures[i]))
            return false;
    }
    return true;
}

static bool place_all(struct watched *w, size_t values_max, size_t offset, size_t count)
{
    for (size_t i = 0; i < w->figure_count; i++) {
        const size_t values = w->figures[i].count < values_max ? w->figures[i].count : values_max;

        if (!place(&w->figures[i], values, offset, count))
            return false;
    }
    return true;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct watched *)a)->name, ((const struct watched *)b)->name);
}

/* sum->started is still that of the parts before, its intervals are those of all. */
int merge_watched(struct result *sum, const struct result *r, struct err *err)
{
    const char *started = strcmp(r->started, sum->started) < 0 ? r->started : sum->started;
    const int64_t first = merge_first_second(started);
    const size_t moved = (size_t)(merge_first_second(sum->started) - first);
    const size_t offset = (size_t)(merge_first_second(r->started) - first);
    struct watched *grown;

    for (size_t i = 0; i < sum->watched_count; i++)
        if (!place_all(&sum->watched[i], SIZE_MAX, moved, sum->interval_count))
            return merge_no_memory(err);
    if (r->watched_count == 0)
        return 0;
    grown = reallocarray(sum->watched, sum->watched_count + r->watched_count, sizeof(*grown));
    if (grown == NULL)
        return merge_no_memory(err);
    sum->watched = grown;
    for (size_t i = 0; i < r->watched_count; i++) {
        struct watched *w = &grown[sum->watched_count++];

        if (!copy_part(w, &r->watched[i], r) || !place_all(w, r->interval_count, offset, sum->interval_count))
            return merge_no_memory(err);
    }
    qsort(grown, sum->watched_count, sizeof(*grown), by_name);
    return 0;
}
