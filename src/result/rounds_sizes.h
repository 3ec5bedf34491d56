/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The rounds of each series and size taken together: what a size costs on average, and where its time goes. From here
 * the scaling law is fitted, promises are judged and reports are written.
 *
 * The duration of a round is the mean of its copies that were ok; of a round that was imported with its average alone
 * that average, whatever it counts. A size's duration is the mean of its rounds' durations. */
#ifndef PLIMSOLL_RESULT_ROUNDS_SIZES_H
#define PLIMSOLL_RESULT_ROUNDS_SIZES_H

#include "result/rounds.h"

struct rounds_size {
    uint32_t series, concurrency;
    size_t rounds;
    uint64_t ok, failed, unfinished;
    double *means;      /* durations of the rounds that have one */
    double *discounted; /* mean_discounted_s of the same rounds */
    size_t mean_count;
    bool counts_failures; /* an average alone stands for a round in which some failed */
    double duration_s;    /* mean of means; NAN: none */
    double discounted_s;  /* mean of discounted */
    double makespan_s;    /* mean; NAN: not known */
    /* Of the ok copies of which a phase was seen; a phase that was not seen took no time. */
    size_t followed;   /* how many copies */
    double *phases;    /* mean of each; NULL: nothing was followed */
    double other_s;    /* in none of them; 0 when phases overlap so far that nothing is left */
    double followed_s; /* mean duration of those copies */
};

struct rounds_sizes {
    struct rounds_size *items; /* by series, then rising in concurrency */
    size_t count;
};

/* The caller ends *out with rounds_sizes_release(), after -1 too, which means out of memory. */
MUST_CHECK int rounds_sizes_of(struct rounds_sizes *out, const struct rounds_result *r, struct err *err);
void rounds_sizes_release(struct rounds_sizes *s);
/* Those of a series: *count of them from the pointer on. */
const struct rounds_size *rounds_sizes_of_series(const struct rounds_sizes *s, uint32_t series, size_t *count);

/* The phases of one group, or phases alone, as rows of a report. */
struct rounds_part {
    const char *name;
    bool is_group;
    size_t phase; /* of one that is none */
};
/* Mean time of a size in a part. */
double rounds_part_s(const struct rounds_result *r, const struct rounds_size *size, const struct rounds_part *part);
/* The groups of more than one phase, in their order; at most max are stored. */
size_t rounds_groups(const struct rounds_result *r, struct rounds_part *out, size_t max);

#endif
