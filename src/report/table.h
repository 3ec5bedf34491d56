/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A small table of text: columns as wide as their widest cell, two spaces between them, no spaces at the ends of lines.
 *
 * Cells are given row by row. At most TABLE_ROWS_MAX rows: the caller shortens longer lists (more is our bug). Widths
 * count bytes, so only the last column may hold other than ASCII; cells other than those cut must be our own texts.
 * Private to report/. */
#ifndef PLIMSOLL_REPORT_TABLE_H
#define PLIMSOLL_REPORT_TABLE_H

#include "base/buf.h"

#define TABLE_ROWS_MAX 40
#define TABLE_COLUMNS_MAX 12

struct table {
    struct buf _cells; /* NUL-terminated texts one behind the other */
    size_t _starts[TABLE_ROWS_MAX * TABLE_COLUMNS_MAX];
    size_t _count;
    size_t _columns;
    const char *_align;
};

/* A letter per column: 'l' or 'r' for the side; as the last column also 'h' or 'b': left, and cut to the width that is
 * left, keeping the head or both ends; or 'w': whole, on as many lines as it needs. */
void table_init(struct table *t, const char *align);
void table_release(struct table *t);
void table_cell(struct table *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Indented by two; an unfinished last row is printed as far as it goes. */
void table_print(const struct table *t, struct buf *out, size_t width);

#endif
