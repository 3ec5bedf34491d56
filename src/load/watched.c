/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "load/watched.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "http/redact.h"

enum { SPEC_MAX_BYTES = 64 * 1024 };

void load_redact_spec(struct buf *out, struct slice spec)
{
    if (slice_starts(spec, SLICE("cmd:")) && redact_is_suspect(slice_drop(spec, 4)))
        buf_add_str(out, "cmd:***");
    else
        redact_url(out, spec);
}

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
    load_redact_spec(&spec, slice_str(p->spec));
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

    if (p->unseen[0] != '\0')
        result_add_warning(r, "watching %s: no reading had %s", p->name, p->unseen);
    if (p->trouble[0] == '\0')
        return;
    buf_init(&why, SPEC_MAX_BYTES);
    redact_url(&why, slice_str(p->trouble));
    result_add_warning(r, "watching %s: %s (%.0f s after the start; %llu of %llu readings are missing)", p->name,
                       buf_ok(&why) && why.len > 0 ? why.data : "it failed", p->trouble_at_s,
                       (unsigned long long)p->missed, (unsigned long long)(p->missed + p->readings));
    buf_release(&why);
}

static size_t seconds_of(const struct watcher *watcher)
{
    size_t ticks = 0;

    for (size_t i = 0; i < watcher_part_count(watcher); i++)
        if (watcher_part(watcher, i)->tracks.ticks > ticks)
            ticks = watcher_part(watcher, i)->tracks.ticks;
    return ticks > 0 ? ticks - 1 : 0;
}

int load_add_watched(struct result *r, const struct watcher *watcher, struct err *err)
{
    const size_t n = watcher_part_count(watcher);
    const size_t intervals = r->interval_count > 0 ? r->interval_count : seconds_of(watcher);

    if (n == 0)
        return 0;
    r->watched = calloc(n, sizeof(*r->watched));
    if (r->watched == NULL)
        return err_set(err, ERR_SYSTEM, ENOMEM, "no memory for the result");
    for (size_t i = 0; i < n; i++) {
        const struct watcher_part *p = watcher_part(watcher, i);

        r->watched_count++;
        if (!take_part(&r->watched[i], p, intervals))
            return err_set(err, ERR_SYSTEM, ENOMEM, "no memory for the result");
        if (p->readings + p->missed > 0)
            warn(r, p);
    }
    return 0;
}
