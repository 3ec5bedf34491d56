/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Two sides set against each other: which samples belong to which cell, how the sessions lie in time, what differs that
 * nobody asked about; then stats/compare.h judges, and report/ shows it.
 *
 * A cell is told by its dimensions: the names given, else every cell fact, and every workload, place and label that
 * varies within a side (a side measured with 10 and 50 connections has two cells). What is the same throughout each
 * side but not on both is a difference: told above the table, and when it is the workload, and no dimensions were
 * given, the cells are not comparable. */
#ifndef PLIMSOLL_RESULT_COMPARISON_H
#define PLIMSOLL_RESULT_COMPARISON_H

#include "result/side.h"
#include "result/tolerance_rules.h"
#include "stats/compare.h"

struct comparison_options {
    const struct strlist *by; /* dimensions; NULL or empty: found */
    const struct strlist
        *metrics;      /* the first one gates; NULL or empty: requests_per_s, or latency_p99 at a given rate */
    double min_change; /* 0: 3 % */
    bool same_session; /* the user vouches that both sides were measured within one session */
    struct tolerance_rules *rules; /* may be NULL */
};

struct comparison_cell {
    char **values;                /* of the dimensions */
    char *label;                  /* "edge/500/1"; "all" without dimensions */
    size_t *base, *new, *history; /* indices of records, rising in time */
    size_t base_count, new_count, history_count;
};

struct comparison_metric {
    char *name;
    bool higher_is_better, is_share, gates;
    struct compare_cell *cells; /* the samples that were compared */
    struct compare_output out;
    double *base_mean, *new_mean;       /* arithmetic, as tolerances take them */
    const struct tolerance_rule **rule; /* that judges the cell; NULL: none */
    bool *tolerance_holds;
};

/* Something seen on a side and not, or less, on the other. */
struct comparison_sighting {
    const char *what; /* the side's */
    uint64_t base, new;
};

struct comparison {
    const struct side *base, *new, *history; /* the caller's; history may be NULL */
    const struct tolerance_rules *rules;     /* the caller's, with their counts; may be NULL */
    double min_change;
    enum compare_design design;
    struct strlist dimensions;
    struct comparison_cell *cells;
    size_t cell_count;
    struct comparison_metric *metrics; /* the first gates */
    size_t metric_count;
    struct strlist differences, notes;     /* sentences */
    struct comparison_sighting *sightings; /* failures and statuses, those that are new first */
    size_t sighting_count;
    uint64_t requests[2], failures[2];
    double fisher; /* of failures, one sample a side; NaN else */
    bool tolerance_broken;
};

/* The sides must outlive it; the caller ends *out with comparison_release(), after a failure too. ERR_USAGE for names
 * that nothing has. */
MUST_CHECK int comparison_make(struct comparison *out, const struct side *base, const struct side *new,
                               const struct side *history, const struct comparison_options *options, struct err *err);
void comparison_release(struct comparison *c);
int comparison_exit_code(const struct comparison *c, bool strict);
/* seen in new, and not in base. */
static inline bool comparison_sighting_is_new(const struct comparison_sighting *s)
{
    return s->base == 0 && s->new > 0;
}

#endif
