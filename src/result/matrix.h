/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A run of a matrix: its cells, what became of each planned sample, and what each dimension does to a figure.
 *
 * Plain data between the one who runs it and those who show it. Texts belong to the matrix. */
#ifndef PLIMSOLL_RESULT_MATRIX_H
#define PLIMSOLL_RESULT_MATRIX_H

#include "result/side.h"

enum matrix_outcome { MATRIX_PENDING, MATRIX_VALID, MATRIX_INVALID, MATRIX_FAILED, MATRIX_NOT_RUN };

struct matrix_sample {
    uint32_t cell, number, side; /* number: of the cell and side, from 0 */
    enum matrix_outcome outcome;
    size_t record;           /* of sides[side], when valid or invalid */
    char *note;              /* why it is not valid; NULL */
    struct strlist warnings; /* of its document */
    bool broke_promise;
};

struct matrix_cell {
    char *name;
    char **values; /* by dimension */
};

struct matrix {
    char *name, *run; /* of the suite; the id */
    struct strlist dimensions;
    struct matrix_cell *cells;
    size_t cell_count;
    struct matrix_sample *samples; /* in the order they were planned */
    size_t sample_count;
    uint32_t side_count;
    struct side sides[2];
    struct strlist facts;   /* "name: value" of the target */
    struct strlist notes;   /* sentences */
    struct buf summary;     /* what the suite's own commands made of it */
    struct strlist metrics; /* those that are shown, the gating one first */
    bool interrupted;
};

void matrix_release(struct matrix *m);

/* What samples are warned of, each text once, in the order they were planned. */
struct matrix_warning {
    const char *text;
    const struct matrix_sample *first; /* that says it */
    uint32_t others;                   /* that say it too */
};
/* At most `room` of them; returns how many, and in *more how many warnings have no place there. */
size_t matrix_warnings(const struct matrix *m, struct matrix_warning *out, size_t room, size_t *more);
/* Picks what is shown when nobody said: those of a load, of rounds, else all that there are. */
MUST_CHECK int matrix_pick_metrics(struct matrix *m, const char *gate, struct err *err);

/* The samples' mean of a metric in a cell; the geometric one, as comparisons have it, when all are above 0. */
struct matrix_figure {
    double mean, min, max;
    uint32_t count; /* of valid samples that have it; 0: the rest is NAN */
};
struct matrix_figure matrix_figure(const struct matrix *m, uint32_t cell, uint32_t side, const char *metric);

/* What a value of a dimension does: the geometric mean over all cells that have it, against the mean over all cells of
 * the dimension's other values with the same rest, so that a hole in the matrix is nobody's effect. */
struct matrix_effect {
    size_t dimension;
    const char *value;
    double mean;   /* over its cells */
    double change; /* against the first value, over the cells that both have: 0.5 is half as much again; NAN: none */
    uint32_t cells;
};
/* A step along a dimension, everything else alike, where a figure that should be high falls to a quarter or less. That
 * a latency grows with the load is nobody's collapse. */
struct matrix_collapse {
    uint32_t from, to; /* cells */
    size_t dimension;
    double before, after;
};
struct matrix_effects {
    struct matrix_effect *effects;
    size_t effect_count;
    struct matrix_collapse *collapses; /* the worst first */
    size_t collapse_count;
};
MUST_CHECK int matrix_find_effects(const struct matrix *m, const char *metric, bool higher_is_better,
                                   struct matrix_effects *out, struct err *err);
void matrix_effects_release(struct matrix_effects *e);

/* By the run: 0, 1 (a promise was broken), 3 (a sample is invalid or failed), 130 (interrupted); 130 before 1 before 3.
 */
int matrix_exit_code(const struct matrix *m, bool promises_kept);

#endif
