/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Records of a CSV text (RFC 4180, with line feeds or both), one after the other. Private to rounds/. */
#ifndef PLIMSOLL_ROUNDS_CSV_READER_H
#define PLIMSOLL_ROUNDS_CSV_READER_H

#include "base/buf.h"
#include "base/err.h"

#define CSV_FIELDS_MAX 256u

struct csv_reader {
    struct slice _rest;
    unsigned line; /* of the record, from 1 */
    unsigned _next_line;
    struct buf _cells; /* unquoted fields */
    struct slice fields[CSV_FIELDS_MAX];
    size_t count;
};

void csv_reader_init(struct csv_reader *r, struct slice text);
void csv_reader_release(struct csv_reader *r);
/* The next record, empty lines left out; fields are good until the next call. *end at the end. ERR_CONFIG for a quote
 * that does not end, or too many fields. */
MUST_CHECK int csv_reader_next(struct csv_reader *r, bool *end, struct err *err);

#endif
