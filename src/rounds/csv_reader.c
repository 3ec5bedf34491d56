/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "rounds/csv_reader.h"

#include <errno.h>
#include <string.h>

#define RECORD_MAX_BYTES (1u << 20)

void csv_reader_init(struct csv_reader *r, struct slice text)
{
    memset(r, 0, sizeof(*r));
    r->_rest = slice_starts(text, SLICE("\xef\xbb\xbf")) ? slice_drop(text, 3) : text;
    r->_next_line = 1;
    buf_init(&r->_cells, RECORD_MAX_BYTES);
}

void csv_reader_release(struct csv_reader *r)
{
    buf_release(&r->_cells);
}

static char next(const struct csv_reader *r)
{
    return r->_rest.len > 0 ? r->_rest.ptr[0] : '\n';
}

static char take(struct csv_reader *r)
{
    const char c = next(r);

    r->_rest = slice_drop(r->_rest, 1);
    r->_next_line += c == '\n';
    return c;
}

static int take_quoted(struct csv_reader *r, struct err *err)
{
    (void)take(r);
    for (;;) {
        if (r->_rest.len == 0)
            return err_set(err, ERR_CONFIG, 0, "a quote does not end");
        if (next(r) == '"') {
            (void)take(r);
            if (r->_rest.len == 0 || next(r) != '"')
                return 0;
        }
        buf_add_char(&r->_cells, take(r));
    }
}

static bool at_end(const struct csv_reader *r)
{
    return r->_rest.len == 0 || next(r) == '\n' || slice_starts(r->_rest, SLICE("\r\n"));
}

static int take_field(struct csv_reader *r, size_t *bytes, struct err *err)
{
    const size_t begin = r->_cells.len;

    if (next(r) == '"' && take_quoted(r, err) != 0)
        return -1;
    while (!at_end(r) && next(r) != ',')
        buf_add_char(&r->_cells, take(r));
    *bytes = r->_cells.len - begin;
    return 0;
}

static int take_record(struct csv_reader *r, size_t *lengths, struct err *err)
{
    for (;;) {
        if (r->count == CSV_FIELDS_MAX)
            return err_set(err, ERR_CONFIG, 0, "more than %u fields", CSV_FIELDS_MAX);
        if (take_field(r, &lengths[r->count++], err) != 0)
            return -1;
        if (at_end(r))
            return 0;
        (void)take(r);
    }
}

static void skip_line_ends(struct csv_reader *r)
{
    while (r->_rest.len > 0 && (next(r) == '\n' || next(r) == '\r'))
        (void)take(r);
}

int csv_reader_next(struct csv_reader *r, bool *end, struct err *err)
{
    size_t lengths[CSV_FIELDS_MAX], at = 0;

    skip_line_ends(r);
    *end = r->_rest.len == 0;
    r->count = 0;
    r->line = r->_next_line;
    buf_clear(&r->_cells);
    if (*end)
        return 0;
    if (take_record(r, lengths, err) != 0)
        return -1;
    if (!buf_ok(&r->_cells))
        return err_set(err, ERR_SYSTEM, ENOMEM, "no memory for a row");
    for (size_t i = 0; i < r->count; at += lengths[i++])
        r->fields[i] = slice_from(r->_cells.data != NULL ? r->_cells.data + at : "", lengths[i]);
    return 0;
}
