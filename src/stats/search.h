/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The highest level (of a rate, of connections) that keeps a promise: pure numbers, whoever asks runs the trials.
 *
 * SUMMARY. The level is doubled until the promise breaks (exponential search), the gap between the highest kept and the
 * lowest broken level is then halved in ratio (bisection by the geometric mean) until it is narrower than the
 * precision, and the level found must keep the promise in several more rounds, while one above it must break it
 * (confirmation).
 *
 * NOISE. A trial that breaks once may have met a hiccup: it is run again, and only two breaks in a row count. A level
 * that does not stand its confirmation becomes the lowest broken one, and the search goes down from there in steps that
 * double; a level above that keeps the promise after all sends it up again, at most SEARCH_REOPENINGS times. So the
 * number of trials is bounded: search_trials_max().
 *
 * WORKED EXAMPLE. From 100, precision 2 %, a target that carries 2000: kept 100, 200, 400, 800, 1600; broken 3200
 * (twice); kept 2263? broken (twice); 1903 kept; 2075 broken; 1987 kept; 2030 broken; 2008 broken; 1987 and 2008 are
 * within 2 %: 1987 is run three times more, then 2186, which breaks: between 1987 and 2008. */
#ifndef PLIMSOLL_STATS_SEARCH_H
#define PLIMSOLL_STATS_SEARCH_H

#include <stdbool.h>

#define SEARCH_REOPENINGS 3u
#define SEARCH_ABOVE 1.1 /* the confirmation's other level, as a multiple of the one found */

enum search_stage {
    SEARCH_EXPAND,  /* doubling, or halving while nothing was kept */
    SEARCH_BISECT,  /* between kept and broken */
    SEARCH_CONFIRM, /* the level found, again */
    SEARCH_PROVE,   /* the level above it, which must break */
    SEARCH_RETREAT, /* the level found did not stand: lower ones */
    SEARCH_OVER,
};
const char *search_stage_text(enum search_stage s);

struct search_config {
    double from, to;         /* first level, and the highest that is tried; 0 < from <= to */
    double precision;        /* width of the interval as a share: 0.02 */
    bool whole;              /* levels are whole numbers */
    unsigned confirm_rounds; /* at least 1 */
};

struct search {
    struct search_config _config;
    enum search_stage stage;
    double level;  /* to try next, unless the search is over */
    double kept;   /* the highest level that keeps the promise; 0: none was found */
    double broken; /* the lowest that breaks it; INFINITY: none did */
    bool confirmed;
    unsigned trials;
    unsigned _breaks, _rounds, _reopenings, _retreats;
};

void search_init(struct search *s, const struct search_config *config);
/* How the trial at s->level went. False when the search is over. */
bool search_take(struct search *s, bool kept);
/* More trials than any search of this configuration needs. */
unsigned search_trials_max(const struct search_config *config);

#endif
