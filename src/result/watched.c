/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "result/watched.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void watched_free(struct watched *list, size_t count)
{
    for (size_t i = 0; list != NULL && i < count; i++) {
        for (size_t k = 0; list[i].figures != NULL && k < list[i].figure_count; k++) {
            free(list[i].figures[k].name);
            free(list[i].figures[k].series);
        }
        free(list[i].figures);
        free(list[i].name);
        free(list[i].spec);
    }
    free(list);
}

const struct watched_figure *watched_figure(const struct watched *w, const char *name)
{
    for (size_t i = 0; i < w->figure_count; i++)
        if (strcmp(w->figures[i].name, name) == 0)
            return &w->figures[i];
    return NULL;
}

static double over_window(const struct watched *w, const char *name, double window_s)
{
    const struct watched_figure *f = watched_figure(w, name);

    return f != NULL ? f->mean * window_s : NAN;
}

double watched_cpu_s(const struct watched *w, double window_s)
{
    return over_window(w, "cpu_cores", window_s);
}

double watched_throttled_s(const struct watched *w, double window_s)
{
    return over_window(w, "throttled_s_per_s", window_s);
}

double watched_cores(const struct watched *w)
{
    const struct watched_figure *threads = watched_figure(w, "threads");
    double cores = w->capacity_cores;

    if (threads != NULL && threads->max >= 1 && (cores == 0 || threads->max < cores))
        cores = threads->max;
    return cores;
}

enum watched_load watched_load(const struct watched *w)
{
    const struct watched_figure *cpu = watched_figure(w, "cpu_cores");
    const double cores = watched_cores(w), idle = cores > 0 && cores < 1 ? cores : 1;

    if (cpu == NULL || isnan(cpu->mean))
        return WATCHED_UNKNOWN;
    if (cpu->mean <= WATCHED_IDLE_CORES * idle)
        return WATCHED_IDLE;
    return cores > 0 && cpu->mean >= WATCHED_BUSY_SHARE * cores ? WATCHED_BUSY : WATCHED_WORKING;
}
