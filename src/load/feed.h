/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rows of values for requests, from a CSV file (RFC 4180) whose first row names the columns. Read before the run, only
 * looked at while measuring. */
#ifndef PLIMSOLL_LOAD_FEED_H
#define PLIMSOLL_LOAD_FEED_H

#include "base/buf.h"
#include "base/err.h"
#include "load/deal.h"

#define FEED_COLUMNS_MAX 256u

struct feed {
    struct buf _text;
    struct slice names[FEED_COLUMNS_MAX];
    size_t columns, rows;
    struct slice *_values; /* row by row */
    unsigned *_lines;      /* of each row */
};

/* ERR_CONFIG with file and line: a row with another number of values, an open quote, no rows. feed_release() also
 * after -1. */
MUST_CHECK int feed_read(struct feed *f, const char *path, struct err *err);
/* The same from memory; name: for messages. */
MUST_CHECK int feed_parse(struct feed *f, const char *name, struct slice text, struct err *err);
void feed_release(struct feed *f); /* a zeroed one is fine */
/* Keeps the rows that the player is dealt; 0 of them is possible. */
void feed_keep(struct feed *f, const struct deal *deal, uint64_t player);
/* -1: there is no such column. */
int feed_column(const struct feed *f, struct slice name);
static inline struct slice feed_value(const struct feed *f, size_t row, size_t column)
{
    return f->_values[row * f->columns + column];
}
unsigned feed_line(const struct feed *f, size_t row);

#endif
