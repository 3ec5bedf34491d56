/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The part of compare.h that knows the designs: from samples to an effect per cell and its error. Private to stats/. */
#ifndef PLIMSOLL_STATS_COMPARE_FIT_H
#define PLIMSOLL_STATS_COMPARE_FIT_H

#include "stats/compare.h"

#define COMPARE_MODERATE_DF_MIN 90 /* see compare.h */
#define COMPARE_SESSIONS_MIN 3u

enum { SIDE_BASE, SIDE_NEW, SIDE_HISTORY, SIDES };

/* Effect of one cell on the scale of y. */
struct compare_fit {
    bool ready;     /* it has values on both sides, and all of them are good */
    bool known;     /* the figures from s2 on are */
    double mean[2]; /* of y, base and new */
    double d;
    double s2, df, k; /* var(d) = k s2 before moderating */
    double error, error_df;
    double p_least; /* without any spread: the least p of a permutation test; else 0 */
    double counted; /* samples (or rounds, or sessions) per side that the error rests on */
};

/* One metric under way. y[] holds all samples: those of cell c on side s from starts[c * SIDES + s] on. */
struct compare_work {
    const struct compare_input *in;
    struct compare_output *out;
    struct compare_fit *fits;
    double *y;
    size_t *starts;
    double *scratch_a, *scratch_b, *scratch_c; /* cell_count doubles each */
    size_t *order;
};

static inline const struct compare_samples *compare_side(const struct compare_cell *cell, int side)
{
    return side == SIDE_BASE ? &cell->base : side == SIDE_NEW ? &cell->new : &cell->history;
}
static inline size_t compare_side_count(const struct compare_work *w, size_t cell, int side)
{
    return w->starts[cell * SIDES + (size_t)side + 1] - w->starts[cell * SIDES + (size_t)side];
}

/* Each fills fits[].error of the cells that are ready, and out->overall, moderated, capped and sessions. */
MUST_CHECK int compare_fit_one_session(struct compare_work *w, struct err *err);
MUST_CHECK int compare_fit_interleaved(struct compare_work *w, struct err *err);
MUST_CHECK int compare_fit_sessions(struct compare_work *w, struct err *err);

/* Moderates s2 of the known cells when they have at least df_min degrees of freedom together, and sets their errors. */
void compare_moderate(struct compare_work *w, double df_min);
/* The overall shift: the mean effect of the cells that are ready, and its interval and p from error and df. */
void compare_set_overall(struct compare_work *w, double error, double df);
void compare_set_overall_change(struct compare_work *w);
/* The numbers of rounds or sessions that occur, sorted; the caller frees *out. */
MUST_CHECK int compare_levels(uint32_t **out, size_t *count, const struct compare_work *w, bool sessions,
                              struct err *err);
uint32_t compare_level_index(const uint32_t *levels, size_t count, uint32_t level);
/* 2 / (n_a + n_b over n_a). */
double compare_least_p(double n_a, double n_b);

#endif
