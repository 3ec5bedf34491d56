/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "import/formats.h"

#include <stdlib.h>
#include <string.h>

#include "import/printed.h"
#include "import/sheet.h"
#include "import/touchstone_tree.h"

/* What touchstone prints: tables framed in + and |, CSV, JSON and YAML.
 *
 * Tables and CSV have a heading each time that a test_type begins: dimensions, then "metric" (or "key"), with
 * tolerances "result" and "deviation", then a column for each run; or, without tolerances, "key", the identifier's name
 * and "value". */

enum { CELLS_MAX = SHEET_DIMENSIONS + SHEET_RUNS + 4 };

/* What the columns are. */
struct heading {
    struct slice names[CELLS_MAX];
    size_t count, metric, deviation, first_value; /* indices; deviation 0: there is none */
    bool is_long;                                 /* identifier and value */
    size_t runs[CELLS_MAX];
};

static size_t split(struct slice line, char by, struct slice *out)
{
    size_t count = 0;

    line = slice_trim(line);
    if (by == '|') {
        if (line.len < 2 || line.ptr[line.len - 1] != '|')
            return 0;
        line = slice_from(line.ptr + 1, line.len - 2);
    }
    while (count < CELLS_MAX) {
        const bool last = slice_find(line, by) < 0;

        out[count++] = slice_trim(slice_split(&line, by));
        if (last)
            return count;
    }
    return CELLS_MAX + 1;
}

static bool is_any(struct slice text, const char *a, const char *b)
{
    return slice_eq(text, slice_str(a)) || slice_eq(text, slice_str(b));
}

static bool is_heading(const struct slice *cells, size_t count)
{
    for (size_t i = 1; i < count && count <= CELLS_MAX; i++)
        if (is_any(cells[i], "metric", "key"))
            return true;
    return false;
}

static void read_heading(struct sheet *s, struct heading *h, const struct slice *cells, size_t count, unsigned line)
{
    *h = (struct heading){ .count = count };
    memcpy(h->names, cells, count * sizeof(*cells));
    while (!is_any(cells[h->metric], "metric", "key"))
        h->metric++;
    h->first_value = h->metric + 1;
    if (h->first_value < count && slice_eq(cells[h->first_value], SLICE("result")))
        h->first_value++;
    if (h->first_value < count && slice_starts(cells[h->first_value], SLICE("deviation")))
        h->deviation = h->first_value++;
    h->is_long = h->first_value + 2 == count && slice_eq(cells[count - 1], SLICE("value"));
    if (h->first_value >= count || h->metric > SHEET_DIMENSIONS || count - h->first_value > SHEET_RUNS)
        sheet_fail(s, line, "a heading without columns of values, or with too many");
    for (size_t i = h->first_value; i < count && !h->is_long && !s->failed; i++)
        h->runs[i] = sheet_run(s, cells[i], line);
}

static bool is_absent(struct slice cell)
{
    return cell.len == 0 || is_any(cell, "None", "nan") || is_any(cell, "no_match", "null");
}

static void add_values(struct sheet *s, const struct heading *h, struct sheet_row *row, const struct slice *cells)
{
    for (size_t i = h->first_value; i < h->count; i++) {
        if (is_absent(cells[i]))
            continue;
        if (row->count == 2) { /* a third run: a row of its own */
            sheet_add(s, row);
            row->count = 0;
            row->has_deviation = false;
        }
        if (!printed_double(cells[i], &row->at[row->count]))
            sheet_fail(s, row->line, "\"%.*s\" is not a number", SLICE_FMT(slice_take(cells[i], 40)));
        row->runs[row->count++] = h->runs[i];
    }
    if (row->count > 0)
        sheet_add(s, row);
}

static void add_long(struct sheet *s, const struct heading *h, struct sheet_row *row, const struct slice *cells)
{
    const struct slice value = cells[h->count - 1];

    if (is_absent(value))
        return;
    if (!printed_double(value, &row->at[0]))
        sheet_fail(s, row->line, "\"%.*s\" is not a number", SLICE_FMT(slice_take(value, 40)));
    row->runs[0] = sheet_run(s, cells[h->count - 2], row->line);
    row->count = 1;
    sheet_add(s, row);
}

static void read_row(struct sheet *s, const struct heading *h, const struct slice *cells, size_t count, unsigned line)
{
    struct sheet_row row = { .dimensions = h->metric, .metric = cells[h->metric], .line = line };

    if (count != h->count) {
        sheet_fail(s, line, "%zu cells below %zu columns: cut off?", count, h->count);
        return;
    }
    for (size_t i = 0; i < h->metric; i++) {
        row.names[i] = h->names[i];
        row.values[i] = cells[i];
    }
    if (h->deviation > 0) {
        row.has_deviation = sheet_deviation(cells[h->deviation], &row.deviation);
        if (!row.has_deviation && !is_absent(cells[h->deviation]))
            sheet_fail(s, line, "\"%.*s\" is not a deviation", SLICE_FMT(slice_take(cells[h->deviation], 40)));
    }
    if (h->is_long)
        add_long(s, h, &row, cells);
    else
        add_values(s, h, &row, cells);
}

/* A framed table ends with its frame. */
static void read_lines(struct sheet *s, struct slice text, char by)
{
    struct heading h = { .count = 0 };
    struct slice line, cells[CELLS_MAX + 1];
    bool framed = true;
    unsigned number = 0;

    while (!s->failed && printed_line(&text, &line)) {
        size_t count;

        number++;
        line = slice_trim(line);
        framed = slice_starts(line, SLICE("+")) || line.len == 0 ? framed || line.len > 0 : false;
        if (line.len == 0 || (by == '|' && line.ptr[0] != '|'))
            continue;
        count = split(line, by, cells);
        if (count > CELLS_MAX || count == 0)
            sheet_fail(s, number, count == 0 ? "cut off within a row" : "too many columns");
        else if (is_heading(cells, count))
            read_heading(s, &h, cells, count, number);
        else if (h.count == 0)
            sheet_fail(s, number, "a row before any heading");
        else
            read_row(s, &h, cells, count, number);
    }
    if (by == '|' && !framed)
        sheet_fail(s, number, "cut off: the table is not closed");
}

static struct slice first_line(struct slice text)
{
    struct slice line = { NULL, 0 };

    while (printed_line(&text, &line))
        if (slice_trim(line).len > 0)
            return slice_trim(line);
    return slice_from(NULL, 0);
}

static bool looks_like_table(struct slice head)
{
    return slice_starts(first_line(head), SLICE("+--")) &&
           (printed_contain(head, " metric ") || printed_contain(head, " key "));
}

static bool looks_like_csv(struct slice head)
{
    struct slice cells[CELLS_MAX + 1];
    const struct slice line = first_line(head);
    const size_t count = split(line, ',', cells);
    struct sheet none = { .failed = true };
    struct heading h;

    if (count < 3 || !is_heading(cells, count) || slice_find(line, '"') >= 0 || slice_starts(line, SLICE("{")))
        return false;
    read_heading(&none, &h, cells, count, 0);
    return h.deviation > 0 || h.is_long;
}

bool touchstone_looks_like(struct slice head)
{
    return looks_like_table(head) || looks_like_csv(head) || touchstone_tree_looks_like(head);
}

int touchstone_read(struct source *s)
{
    struct sheet sheet = { .source = s };
    struct touchstone_tree tree = { 0 };
    int failed;

    if (looks_like_table(s->text))
        read_lines(&sheet, s->text, '|');
    else if (looks_like_csv(s->text))
        read_lines(&sheet, s->text, ',');
    else if (touchstone_tree_read(&tree, &sheet, s->text) != 0)
        sheet.failed = true;
    failed = sheet_give(&sheet);
    sheet_release(&sheet);
    touchstone_tree_release(&tree);
    return failed;
}
