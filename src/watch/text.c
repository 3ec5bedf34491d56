/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "watch/text.h"

#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"

static bool __attribute__((format(printf, 2, 0))) read_at(struct buf *out, const char *fmt, va_list args)
{
    char path[PATH_MAX];

    buf_clear(out);
    if (vsnprintf(path, sizeof(path), fmt, args) >= (int)sizeof(path))
        return false;
    return file_read(path, out, NULL) == 0;
}

bool text_read(struct buf *out, const char *fmt, ...)
{
    va_list args;
    bool ok;

    va_start(args, fmt);
    ok = read_at(out, fmt, args);
    va_end(args);
    return ok;
}

bool text_read_u64(uint64_t *value, const char *fmt, ...)
{
    struct buf text;
    va_list args;
    bool ok;

    buf_init(&text, TEXT_FILE_MAX_BYTES);
    va_start(args, fmt);
    ok = read_at(&text, fmt, args);
    va_end(args);
    if (ok) {
        struct slice rest = buf_slice(&text);

        ok = slice_to_u64(slice_trim(slice_split(&rest, '\n')), value);
    }
    buf_release(&text);
    return ok;
}

bool text_find(struct slice text, const char *key, uint64_t *value)
{
    const size_t len = strlen(key);

    while (text.len > 0) {
        const struct slice line = slice_split(&text, '\n');

        if (slice_starts(line, slice_str(key)) && line.len > len && (line.ptr[len] == ' ' || line.ptr[len] == ':'))
            return slice_to_u64(text_word(slice_drop(line, len + 1), 0), value);
    }
    return false;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

struct slice text_word(struct slice line, size_t n)
{
    size_t at = 0, start;

    for (;;) {
        while (at < line.len && is_blank(line.ptr[at]))
            at++;
        start = at;
        while (at < line.len && !is_blank(line.ptr[at]))
            at++;
        if (n-- == 0 || start == at)
            return slice_from(line.ptr + start, at - start);
    }
}

unsigned text_list_length(struct slice list)
{
    uint64_t sum = 0;

    list = slice_trim(list);
    while (list.len > 0) {
        struct slice last = slice_split(&list, ',');
        const struct slice first = slice_split(&last, '-');
        uint64_t from, to;

        if (!slice_to_u64(first, &from))
            return 0;
        to = from;
        if ((last.len > 0 && !slice_to_u64(last, &to)) || to < from || to - from > UINT16_MAX)
            return 0;
        sum += to - from + 1;
    }
    return sum <= UINT16_MAX ? (unsigned)sum : 0;
}

bool text_double(struct slice s, double *out)
{
    char text[64], *end;

    if (s.len == 0 || s.len >= sizeof(text) || slice_find(s, '\0') >= 0 || is_blank(s.ptr[0]))
        return false;
    snprintf(text, sizeof(text), "%.*s", SLICE_FMT(s));
    *out = strtod(text, &end);
    return end == text + s.len && isfinite(*out);
}
