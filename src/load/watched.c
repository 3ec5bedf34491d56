/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "load/collect.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "http/redact.h"
#include "watch/watcher.h"

enum { SPEC_MAX_BYTES = 64 * 1024 };

/* As many values as there are intervals: those of the window's last, short one may be missing. */
static bool take_figure(struct watched_figure *f, const struct track *t, size_t intervals)
{
    f->name = slice_dup(slice_str(t->name));
    f->mean = track_mean(t);
    f->max = t->max;
    f->series = calloc(intervals > 0 ? intervals : 1, sizeof(*f->series));
    if (f->name == NULL || f->series == NULL)
        return false;
    for (size_t i = 0; i < intervals; i++)
        f->series[i] = track_value(t, i);
    f->count = intervals;
    return true;
}

static bool take_part(struct watched *w, const struct watcher_part *p, size_t intervals)
{
    struct buf spec;
    bool ok;

    buf_init(&spec, SPEC_MAX_BYTES);
    redact_url(&spec, slice_str(p->spec));
    w->name = slice_dup(slice_str(p->name));
    w->spec = buf_detach(&spec);
    w->capacity_cores = p->capacity_cores;
    w->readings = p->readings;
    w->missed = p->missed;
    w->figures = calloc(p->tracks.count > 0 ? p->tracks.count : 1, sizeof(*w->figures));
    ok = w->name != NULL && w->spec != NULL && w->figures != NULL;
    for (size_t i = 0; i < p->tracks.count && ok; i++) {
        const struct track *t = &p->tracks.items[i];

        if (isnan(track_mean(t)))
            continue; /* said only once: nothing is known of it over time */
        w->figure_count++;
        ok = take_figure(&w->figures[w->figure_count - 1], t, intervals);
    }
    return ok;
}

static void warn(struct result *r, const struct watcher_part *p)
{
    struct buf why;

    if (p->trouble[0] == '\0')
        return;
    buf_init(&why, SPEC_MAX_BYTES);
    redact_url(&why, slice_str(p->trouble));
    result_add_warning(r, "watching %s: %s (%.0f s after the start; %llu of %llu readings are missing)", p->name,
                       buf_ok(&why) && why.len > 0 ? why.data : "it failed", p->trouble_at_s,
                       (unsigned long long)p->missed, (unsigned long long)(p->missed + p->readings));
    buf_release(&why);
}

int collect_watched(struct result *r, const struct watcher *watcher, struct err *err)
{
    const size_t n = watcher_part_count(watcher);

    if (n == 0)
        return 0;
    r->watched = calloc(n, sizeof(*r->watched));
    if (r->watched == NULL)
        return err_set(err, ERR_SYSTEM, ENOMEM, "no memory for the result");
    for (size_t i = 0; i < n; i++) {
        const struct watcher_part *p = watcher_part(watcher, i);

        r->watched_count++;
        if (!take_part(&r->watched[i], p, r->interval_count))
            return err_set(err, ERR_SYSTEM, ENOMEM, "no memory for the result");
        if (p->readings + p->missed > 0)
            warn(r, p);
    }
    return 0;
}
