/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "load/feed.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"

#define FEED_MAX_BYTES ((size_t)1 << 30)

struct csv {
    const char *path;
    char *at, *end;
    unsigned line;
    struct err *err;
};

enum csv_end { CSV_BAD, CSV_VALUE, CSV_ROW };

static enum csv_end complain(struct csv *c, const char *why)
{
    err_set(c->err, ERR_CONFIG, 0, "%s:%u: %s", c->path, c->line, why);
    return CSV_BAD;
}

/* Quotes are taken out where they stand: the value moves towards its beginning. */
static char *take_quoted(struct csv *c)
{
    char *to = c->at;

    for (;;) {
        if (c->at == c->end) {
            complain(c, "a quote is not closed");
            return NULL;
        }
        if (*c->at == '"' && (c->at + 1 == c->end || c->at[1] != '"'))
            break;
        c->line += *c->at == '\n';
        c->at += *c->at == '"'; /* two of them are one */
        *to++ = *c->at++;
    }
    c->at++;
    return to;
}

/* The next value, and what ended it. */
static enum csv_end take_value(struct csv *c, struct slice *out)
{
    char *from = c->at, *to;

    if (c->at < c->end && *c->at == '"') {
        from = ++c->at;
        to = take_quoted(c);
        if (to == NULL)
            return CSV_BAD;
    } else {
        while (c->at < c->end && *c->at != ',' && *c->at != '\n' && *c->at != '\r')
            c->at++;
        to = c->at;
    }
    *out = slice_from(from, (size_t)(to - from));
    if (c->at < c->end && *c->at == ',') {
        c->at++;
        return CSV_VALUE;
    }
    if (c->at < c->end && *c->at == '\r')
        c->at++;
    if (c->at == c->end)
        return CSV_ROW;
    if (*c->at != '\n')
        return complain(c, "a value goes on after its quotes");
    c->at++;
    c->line++;
    return CSV_ROW;
}

static int read_names(struct feed *f, struct csv *c)
{
    enum csv_end end;

    do {
        if (f->columns == FEED_COLUMNS_MAX)
            return err_set(c->err, ERR_CONFIG, 0, "%s: more than %u columns", c->path, FEED_COLUMNS_MAX);
        end = take_value(c, &f->names[f->columns++]);
    } while (end == CSV_VALUE);
    return end == CSV_ROW ? 0 : -1;
}

static int read_row(struct feed *f, struct csv *c, struct slice *values)
{
    const unsigned line = c->line;
    size_t n = 0;
    enum csv_end end;

    do {
        struct slice value;

        end = take_value(c, &value);
        if (end == CSV_BAD)
            return -1;
        if (n < f->columns)
            values[n] = value;
        n++;
    } while (end == CSV_VALUE);
    if (n != f->columns)
        return err_set(c->err, ERR_CONFIG, 0, "%s:%u: %zu values where the first line names %zu columns", c->path, line,
                       n, f->columns);
    f->_lines[f->rows++] = line;
    return 0;
}

static bool is_blank(const struct csv *c)
{
    return *c->at == '\n' || (*c->at == '\r' && c->at + 1 < c->end && c->at[1] == '\n');
}

static int read_rows(struct feed *f, struct csv *c)
{
    size_t most = 1;

    for (const char *p = c->at; p < c->end; p++)
        most += *p == '\n';
    f->_values = calloc(most * f->columns, sizeof(*f->_values));
    f->_lines = calloc(most, sizeof(*f->_lines));
    if (f->_values == NULL || f->_lines == NULL)
        return err_set(c->err, ERR_SYSTEM, ENOMEM, "no memory for the feed %s", c->path);
    while (c->at < c->end) {
        if (f->columns > 1 && is_blank(c)) {
            c->at += *c->at == '\r' ? 2 : 1;
            c->line++;
            continue;
        }
        if (read_row(f, c, f->_values + f->rows * f->columns) != 0)
            return -1;
    }
    if (f->rows == 0)
        return err_set(c->err, ERR_CONFIG, 0, "%s: no rows after the names of the columns", c->path);
    return 0;
}

static int parse(struct feed *f, const char *path, struct err *err)
{
    struct csv c = { .path = path, .line = 1, .err = err };

    c.at = f->_text.data;
    c.end = f->_text.data + f->_text.len;
    if (f->_text.len >= 3 && memcmp(c.at, "\xef\xbb\xbf", 3) == 0)
        c.at += 3; /* a byte order mark */
    if (f->_text.len == 0)
        return err_set(err, ERR_CONFIG, 0, "%s is empty", path);
    return read_names(f, &c) != 0 ? -1 : read_rows(f, &c);
}

int feed_read(struct feed *f, const char *path, struct err *err)
{
    *f = (struct feed){ 0 };
    buf_init(&f->_text, FEED_MAX_BYTES);
    if (file_read(path, &f->_text, err) == 0)
        return parse(f, path, err);
    if (err != NULL)
        err->kind = ERR_CONFIG;
    return -1;
}

int feed_parse(struct feed *f, const char *name, struct slice text, struct err *err)
{
    *f = (struct feed){ 0 };
    buf_init(&f->_text, FEED_MAX_BYTES);
    buf_add_slice(&f->_text, text);
    return buf_ok(&f->_text) ? parse(f, name, err) : err_set(err, ERR_SYSTEM, ENOMEM, "no memory for %s", name);
}

void feed_release(struct feed *f)
{
    free(f->_values);
    free(f->_lines);
    buf_release(&f->_text);
    *f = (struct feed){ 0 };
}

void feed_keep(struct feed *f, const struct deal *deal, uint64_t player)
{
    const size_t kept = (size_t)deal_below(deal, player, f->rows);

    for (size_t k = 0; k < kept; k++) {
        const size_t row = (size_t)deal_number(deal, player, k);

        memmove(f->_values + k * f->columns, f->_values + row * f->columns, f->columns * sizeof(*f->_values));
        f->_lines[k] = f->_lines[row];
    }
    f->rows = kept;
}

int feed_column(const struct feed *f, struct slice name)
{
    for (size_t i = 0; i < f->columns; i++)
        if (slice_eq(f->names[i], name))
            return (int)i;
    return -1;
}

unsigned feed_line(const struct feed *f, size_t row)
{
    return f->_lines[row];
}
