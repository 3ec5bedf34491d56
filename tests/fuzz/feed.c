/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rows of values from CSV: whatever the bytes, each row has every column, what was read and written again is read as
 * the same, and what is refused says why. */
#include "load/feed.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void add_value(struct buf *out, struct slice value, bool last)
{
    buf_add_char(out, '"');
    for (size_t i = 0; i < value.len; i++) {
        if (value.ptr[i] == '"')
            buf_add_char(out, '"');
        buf_add_char(out, value.ptr[i]);
    }
    buf_add_str(out, last ? "\"\r\n" : "\",");
}

/* Every value in quotes. */
static void write_all(struct buf *out, const struct feed *f)
{
    for (size_t k = 0; k < f->columns; k++)
        add_value(out, f->names[k], k + 1 == f->columns);
    for (size_t row = 0; row < f->rows; row++)
        for (size_t k = 0; k < f->columns; k++)
            add_value(out, feed_value(f, row, k), k + 1 == f->columns);
}

static void check_same(const struct feed *a, const struct feed *b)
{
    if (a->columns != b->columns || a->rows != b->rows)
        abort();
    for (size_t row = 0; row < a->rows; row++)
        for (size_t k = 0; k < a->columns; k++)
            if (!slice_eq(feed_value(a, row, k), feed_value(b, row, k)))
                abort();
}

static void check(const struct feed *f)
{
    struct feed again;
    struct buf text;

    if (f->columns == 0 || f->columns > FEED_COLUMNS_MAX || f->rows == 0)
        abort();
    for (size_t row = 0; row < f->rows; row++)
        if (feed_line(f, row) < (row > 0 ? feed_line(f, row - 1) + 1 : 2))
            abort();
    if (feed_column(f, f->names[f->columns - 1]) < 0)
        abort();
    buf_init(&text, 1 << 24);
    write_all(&text, f);
    if (feed_parse(&again, "again", buf_slice(&text), NULL) != 0)
        abort();
    check_same(f, &again);
    feed_release(&again);
    buf_release(&text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct err err = { 0 };
    struct feed f;

    if (feed_parse(&f, "feed", slice_from((const char *)data, size), &err) == 0)
        check(&f);
    else if (err.what[0] == '\0')
        abort();
    feed_release(&f);
    return 0;
}
