/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The parts of a target that were watched while it was under load: "watch" of the result document.
 *
 * A figure is known by its name, the same for all sources: cpu_cores, rss_bytes (memory that processes hold),
 * memory_bytes (of a control group or pod, caches included), threads, throttled_s_per_s, read_bytes_per_s,
 * write_bytes_per_s, net_received_bytes_per_s, net_sent_bytes_per_s, and whatever a metric or a command calls itself.
 * Its series lies beside `intervals`: the value of the i-th belongs to the i-th second of the window.
 *
 * Merging the shares of one run: parts of the same name are different views, or the same view seen twice, which nobody
 * can tell; so they are kept apart, as NAME@ID (the beginning of the run's), and never added. Pure data; the result
 * owns it. */
#ifndef PLIMSOLL_RESULT_WATCHED_H
#define PLIMSOLL_RESULT_WATCHED_H

#include <stddef.h>
#include <stdint.h>

struct watched_figure {
    char *name;
    double mean, max; /* NAN: not known */
    double *series;   /* NAN where a reading failed */
    size_t count;
};

struct watched {
    char *name, *spec;     /* the spec without its secrets */
    double capacity_cores; /* what it could use at most; 0: not known */
    struct watched_figure *figures;
    size_t figure_count;
    uint64_t readings, missed;
};

void watched_free(struct watched *list, size_t count);
/* NULL when it has none of that name. */
const struct watched_figure *watched_figure(const struct watched *w, const char *name);

/* Derived from the means, so that readings that failed do not make it less; NAN: not known.
 * CPU seconds used in a window of that length. */
double watched_cpu_s(const struct watched *w, double window_s);
/* Seconds for which it was kept from running by its CPU limit. */
double watched_throttled_s(const struct watched *w, double window_s);
/* The least of its capacity and of how many threads it had at once; 0: not known. */
double watched_cores(const struct watched *w);

/* How much of its cores it used. */
enum watched_load { WATCHED_UNKNOWN, WATCHED_IDLE, WATCHED_WORKING, WATCHED_BUSY };
#define WATCHED_BUSY_SHARE 0.9
#define WATCHED_IDLE_CORES 0.05 /* of a core, or of all it may use when that is less than one */
enum watched_load watched_load(const struct watched *w);

#endif
