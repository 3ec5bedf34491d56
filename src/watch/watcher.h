/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Watches the parts of a target (processes, control groups, pods, anything that says figures of itself) while a load is
 * offered, each part once a second.
 *
 * Each part has a thread of its own, which sleeps between its readings: a part that hangs delays no other, and those
 * who offer the load share nothing with any. Readings lie on a grid: at the start of the window, each second after it,
 * and at its end; interval i is between two of them and so beside the i-th interval of the load. A reading that fails
 * leaves a gap and its reason, and ends nothing.
 *
 * In this order, from one thread; from watcher_start() again for the next run:
 *     watcher_new(&w, specs, NULL, &err);      everything that can be wrong is told here
 *     watcher_start(w, &err);
 *     watcher_begin(w, start_ns, end_ns);      may be left out: then nothing is read
 *     watcher_end(w, now);                     the window is over earlier; may be left out
 *     watcher_join(w);                         waits for the last readings, a second or, for those that hang, three
 *     watcher_part(w, i) ...                   figures of the run
 *     watcher_free(w);
 * Times are clock_now_ns()'s.
 */
#ifndef PLIMSOLL_WATCH_WATCHER_H
#define PLIMSOLL_WATCH_WATCHER_H

#include "base/err.h"
#include "base/strlist.h"
#include "watch/track.h"

#define WATCHER_PARTS_MAX 64

struct watcher_part {
    char *name, *spec;     /* as given: the spec may hold secrets */
    double capacity_cores; /* what it can use at most, as far as limits of it and of the machine tell; 0: not known */
    struct tracks tracks;
    uint64_t readings, missed; /* of the grid's moments */
    char trouble[384];         /* why the first of them was missed; "" */
    double trouble_at_s;       /* from the window's start */
    char unseen[384];          /* figures asked for by name that no reading had, while there were readings; "" */
};

struct watcher;

/* specs: "NAME=KIND:WHAT" each. root: where /proc and /sys are looked for; NULL: "". -1: a spec is wrong (ERR_USAGE),
 * or names what is not there (ERR_CONFIG). */
MUST_CHECK int watcher_new(struct watcher **out, const struct strlist *specs, const char *root, struct err *err);
void watcher_free(struct watcher *w); /* NULL is fine, here and below */
MUST_CHECK int watcher_start(struct watcher *w, struct err *err);
/* end_ns UINT64_MAX: not known yet. */
void watcher_begin(struct watcher *w, uint64_t start_ns, uint64_t end_ns);
void watcher_end(struct watcher *w, uint64_t end_ns);
void watcher_join(struct watcher *w);

size_t watcher_part_count(const struct watcher *w);
/* Its figures stand still between watcher_join() and the next watcher_start(). */
const struct watcher_part *watcher_part(const struct watcher *w, size_t i);

/* One spec by itself, for options: ERR_USAGE; what it names is not looked for. */
MUST_CHECK int watcher_check_spec(struct slice spec, struct slice *name, struct err *err);

#endif
