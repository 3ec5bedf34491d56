/* SPDX-License-Identifier: GPL-3.0-or-later */
/* touchstone's comparisons as rows: a metric of a cell, and its value in each run. Private to import/.
 *
 * Whoever reads a form of them (table, CSV, JSON, YAML) adds the rows; sheet_give() makes a result for each cell and
 * run, NAME:base and NAME:new. Which run is the base is told by the deviations: percent of base, so that they fit one
 * order only. Without deviations it is the first run, and a warning says that this was assumed. */
#ifndef PLIMSOLL_IMPORT_SHEET_H
#define PLIMSOLL_IMPORT_SHEET_H

#include "import/report.h"

enum { SHEET_DIMENSIONS = 16, SHEET_RUNS = 8 };

struct sheet_row {
    struct slice names[SHEET_DIMENSIONS], values[SHEET_DIMENSIONS];
    size_t dimensions;
    struct slice metric; /* "avg(requests_per_second)" */
    size_t runs[2];      /* of at, in the order of the file */
    double at[2];
    size_t count; /* of values: 1 or 2 */
    bool has_deviation;
    double deviation; /* percent */
    unsigned line;
};

struct sheet {
    struct source *source;
    struct slice runs[SHEET_RUNS]; /* names of columns: uuids or aliases */
    size_t run_count;
    struct sheet_row *rows;
    size_t row_count;
    bool failed;
};

/* {.source} is an empty one. Slices must live until sheet_release(). */
void sheet_release(struct sheet *s);
void sheet_fail(struct sheet *s, unsigned line, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
/* Index of a run, added when it is new. */
size_t sheet_run(struct sheet *s, struct slice name, unsigned line);
void sheet_add(struct sheet *s, const struct sheet_row *row);
/* Of a row's text: "-6.87%" and "-6.87". False when it is none. */
bool sheet_deviation(struct slice text, double *percent);
MUST_CHECK int sheet_give(struct sheet *s);

#endif
