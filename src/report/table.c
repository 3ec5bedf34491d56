/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/table.h"

#include <string.h>

#include "base/err.h"
#include "base/visible.h"
#include "report/fit.h"

#define INDENT 2 /* before the first column and between columns */
#define CELLS_MAX_BYTES (1u << 26)

void table_init(struct table *t, const char *align)
{
    *t = (struct table){ ._columns = strlen(align), ._align = align };
    if (t->_columns == 0 || t->_columns > TABLE_COLUMNS_MAX)
        BUG("a table of %zu columns", t->_columns);
    buf_init(&t->_cells, CELLS_MAX_BYTES);
}

void table_release(struct table *t)
{
    buf_release(&t->_cells);
}

/* What is hidden in the cell that begins there is written out: before widths are found and lines are cut. */
static void show_hidden(struct buf *cells, size_t begin)
{
    const struct slice cell = slice_drop(buf_slice(cells), begin);
    struct buf seen;

    if (visible_all(cell))
        return;
    buf_init(&seen, VISIBLE_TIMES * cell.len + 1);
    visible_add(&seen, cell);
    cells->len = begin;
    buf_add_slice(cells, buf_slice(&seen));
    buf_release(&seen);
}

void table_cell(struct table *t, const char *fmt, ...)
{
    va_list args;

    if (t->_count == TABLE_ROWS_MAX * t->_columns)
        BUG("a table of more than %d rows", TABLE_ROWS_MAX);
    t->_starts[t->_count++] = t->_cells.len;
    va_start(args, fmt);
    buf_vprintf(&t->_cells, fmt, args);
    va_end(args);
    show_hidden(&t->_cells, t->_starts[t->_count - 1]);
    buf_add_char(&t->_cells, '\0');
}

static const char *cell(const struct table *t, size_t i)
{
    return t->_cells.data + t->_starts[i];
}

static void find_widths(const struct table *t, int widths[TABLE_COLUMNS_MAX])
{
    memset(widths, 0, TABLE_COLUMNS_MAX * sizeof(widths[0]));
    for (size_t i = 0; i < t->_count; i++) {
        const int width = (int)strlen(cell(t, i));

        if (width > widths[i % t->_columns])
            widths[i % t->_columns] = width;
    }
}

/* A wrapped last column narrower than this goes below its row instead, so far indented. */
#define WRAP_LEAST 28u
#define WRAP_INDENT 6u

static size_t used_width(const struct table *t, const int widths[TABLE_COLUMNS_MAX])
{
    size_t used = INDENT;

    for (size_t i = 0; i + 1 < t->_columns; i++)
        used += (size_t)widths[i] + INDENT;
    return used;
}

static void trim_line(struct buf *out, size_t begin)
{
    while (out->len > begin && out->data[out->len - 1] == ' ')
        out->data[--out->len] = '\0';
}

/* The next piece of at most width bytes, cut behind a space where there is one. */
static struct slice next_piece(struct slice *rest, size_t width)
{
    size_t n = rest->len < width ? rest->len : width;
    struct slice piece;

    if (n < rest->len)
        for (size_t i = n; i > 0; i--)
            if (rest->ptr[i] == ' ') {
                n = i;
                break;
            }
    piece = slice_take(*rest, n);
    *rest = slice_trim(slice_drop(*rest, n));
    return piece;
}

/* All of a text: beside the other cells where it has room, else below them. */
static void add_wrapped(struct buf *out, struct slice text, size_t left, size_t width)
{
    const bool below = left < WRAP_LEAST && text.len > left;
    const size_t room = below ? width - WRAP_INDENT : left;
    bool first = !below;

    do {
        const struct slice piece = next_piece(&text, room > 1 ? room : 1);

        if (!first) {
            trim_line(out, 0);
            buf_printf(out, "\n%*s", (int)(width - room), "");
        }
        fit_line(out, piece, room, FIT_HEAD);
        first = false;
    } while (text.len > 0);
}

/* Cut, it would look like another one of its column. */
static bool must_be_whole(const struct table *t, size_t i, size_t left, enum fit keep)
{
    for (size_t k = i % t->_columns; k < t->_count; k += t->_columns)
        if (k != i && fit_hides_difference(slice_str(cell(t, i)), slice_str(cell(t, k)), left, keep))
            return true;
    return false;
}

static void add_cut(const struct table *t, struct buf *out, size_t i, size_t left, size_t width)
{
    const enum fit keep = t->_align[i % t->_columns] == 'h' ? FIT_HEAD : FIT_BOTH_ENDS;

    if (must_be_whole(t, i, left, keep))
        add_wrapped(out, slice_str(cell(t, i)), left, width);
    else
        fit_line(out, slice_str(cell(t, i)), left, keep);
}

static void add_cell(const struct table *t, struct buf *out, size_t i, int cell_width, size_t left, size_t width)
{
    const char side = t->_align[i % t->_columns];

    buf_printf(out, "%*s", INDENT, "");
    if (side == 'w')
        add_wrapped(out, slice_str(cell(t, i)), left, width);
    else if (side == 'h' || side == 'b')
        add_cut(t, out, i, left, width);
    else
        buf_printf(out, side == 'l' ? "%-*s" : "%*s", cell_width, cell(t, i));
}

void table_print(const struct table *t, struct buf *out, size_t width)
{
    int widths[TABLE_COLUMNS_MAX];
    size_t line = out->len, used = 0;

    if (!buf_ok(&t->_cells)) {
        (void)buf_reserve(out, SIZE_MAX); /* can not be had: the report fails */
        return;
    }
    find_widths(t, widths);
    used = used_width(t, widths);
    for (size_t i = 0; i < t->_count; i++) {
        const size_t column = i % t->_columns;

        add_cell(t, out, i, widths[column], width > used ? width - used : 0, width);
        if (column + 1 < t->_columns && i + 1 < t->_count)
            continue;
        trim_line(out, line);
        buf_add_char(out, '\n');
        line = out->len;
    }
}
