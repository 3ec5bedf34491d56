/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Least squares for "group + level + noise" with holes: y of an observation is its group's mean (a cell on one side)
 * plus the effect of its level (the round, or the session), plus noise. Private to stats/.
 *
 * The groups' means are eliminated first, which leaves L equations for L levels:
 *     A = diag(n_l) - sum over groups of v v' / n_g,      v: how often each level occurs in the group
 * A is singular (a constant may move between groups and levels), so its pseudo-inverse P is used, by singular values;
 * what is shown of the levels are differences within what is connected, which do not depend on the choice. For the
 * balanced case this is the mean over the groups by level. */
#ifndef PLIMSOLL_STATS_EFFECTS_H
#define PLIMSOLL_STATS_EFFECTS_H

#include "base/err.h"

#include <stddef.h>
#include <stdint.h>

struct effects_observation {
    uint32_t level;
    double y;
};

struct effects {
    size_t levels, rank;
    double *inverse; /* P, levels x levels */
    double *level;   /* effect of each */
};

/* starts has groups + 1 entries: group g owns observations starts[g] ... starts[g + 1] - 1. The caller ends *out with
 * effects_release(), after a failure too. */
MUST_CHECK int effects_fit(struct effects *out, const struct effects_observation *obs, const size_t *starts,
                           size_t groups, size_t levels, struct err *err);
void effects_release(struct effects *e);

/* Of one group. */
struct effects_group {
    double mean;    /* its y without the levels' effects */
    double squares; /* of the residuals */
    double df_used; /* how many of the levels' degrees of freedom it pays for; all groups together: rank */
};
void effects_group(struct effects_group *out, const struct effects *e, const struct effects_observation *obs, size_t n);
/* w'Pw for w = share of each level in a - share in b: what the levels add to the variance of mean(a) - mean(b). */
double effects_contrast(const struct effects *e, const struct effects_observation *a, size_t n_a,
                        const struct effects_observation *b, size_t n_b);

#endif
