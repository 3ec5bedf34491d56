/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Figures of teams that pushed applications to a platform and uploaded files to it (2017; host names replaced). The
 * average of a round is over its copies, those that failed counted as 0 s, as the team's script did. */
#ifndef PLIMSOLL_GOLDEN_PUSH_H
#define PLIMSOLL_GOLDEN_PUSH_H

#include <stddef.h>

static const double PUSH_AT_ONCE[] = { 1, 2, 4, 8, 16, 32 };
#define PUSH_ROUNDS (sizeof(PUSH_AT_ONCE) / sizeof(PUSH_AT_ONCE[0]))

/* Four platforms, by cores of the API, workers, cells. */
static const struct {
    const char *platform;
    double mean_s[PUSH_ROUNDS];
} PUSH_PLATFORMS[] = {
    { "2 cores, 2 workers, 4 cells", { 32.1, 32.295, 33.905, 36.1487, 46.0206, 72.0588 } },
    { "4 cores, 2 workers, 4 cells", { 32.03, 32.165, 34.0025, 34.445, 41.4681, 60.5985 } },
    { "4 cores, 4 workers, 4 cells", { 31.86, 32.225, 33.8175, 35.0112, 41.7462, 55.4847 } },
    { "4 cores, 2 workers, 8 cells", { 31.91, 29.52, 33.37, 32.2413, 27.225, 42.7169 } },
};

/* 16 uploads of 20 MB at once, straight to the store and through a service: when each ended. */
static const double UPLOADS_DIRECT_S[] = { 0.33, 0.46, 0.62, 0.77, 0.86, 1.02, 1.16, 1.38,
                                           1.50, 1.58, 1.79, 1.91, 2.05, 2.20, 2.63, 2.71 };
static const double UPLOADS_SERVICE_S[] = { 2.97, 2.95, 2.95, 2.96, 2.97, 2.96, 2.96, 2.96,
                                            2.95, 2.96, 2.95, 2.95, 2.96, 2.96, 2.96, 3.10 };

#endif
