/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/fit.h"

#include <string.h>

#define WIDTH_MIN 8u
#define PARAGRAPH_MIN 20u
#define CUT_MIN_BYTES 64u

static bool continues(char c)
{
    return ((unsigned char)c & 0xc0) == 0x80;
}

/* The end of the last whole UTF-8 sequence at or before `at`. */
static size_t before(struct slice text, size_t at)
{
    while (at > 0 && at < text.len && continues(text.ptr[at]))
        at--;
    return at;
}

static size_t after(struct slice text, size_t at)
{
    while (at < text.len && continues(text.ptr[at]))
        at++;
    return at;
}

/* C0, DEL, and C1 as UTF-8 (0xc2 0x80 … 0x9f): what terminals take for commands. */
static bool is_control(struct slice text, size_t i)
{
    const unsigned char c = (unsigned char)text.ptr[i];
    const unsigned char next = i + 1 < text.len ? (unsigned char)text.ptr[i + 1] : 0;

    return c < 0x20 || c == 0x7f || (c == 0xc2 && next >= 0x80 && next < 0xa0);
}

static void add_clean(struct buf *out, struct slice text)
{
    for (size_t i = 0; i < text.len; i++) {
        if (!is_control(text, i)) {
            buf_add_char(out, text.ptr[i]);
            continue;
        }
        buf_add_char(out, text.ptr[i] == '\t' || text.ptr[i] == '\n' ? ' ' : '?');
        if ((unsigned char)text.ptr[i] == 0xc2)
            i++;
    }
}

void fit_line(struct buf *out, struct slice untrimmed, size_t width, enum fit keep)
{
    const struct slice text = slice_trim(untrimmed);
    const size_t max = width > WIDTH_MIN ? width : WIDTH_MIN;
    const size_t tail = keep == FIT_BOTH_ENDS ? (max - 3) / 3 : 0;

    if (text.len <= max) {
        add_clean(out, text);
        return;
    }
    add_clean(out, slice_take(text, before(text, max - 3 - tail)));
    buf_add_str(out, "...");
    add_clean(out, slice_drop(text, after(text, text.len - tail)));
}

bool fit_hides_difference(struct slice a, struct slice b, size_t width, enum fit keep)
{
    struct buf cut[2];
    bool same;

    if (slice_eq(a, b) || (a.len <= width && b.len <= width))
        return false;
    for (size_t i = 0; i < 2; i++) {
        buf_init(&cut[i], 4 * width + CUT_MIN_BYTES);
        fit_line(&cut[i], i == 0 ? a : b, width, keep);
    }
    same = slice_eq(buf_slice(&cut[0]), buf_slice(&cut[1]));
    buf_release(&cut[0]);
    buf_release(&cut[1]);
    return same;
}

/* How much of text goes on one line: up to a space where there is one. */
static size_t fold_at(struct slice text, size_t width)
{
    size_t at = width;

    if (text.len <= width)
        return text.len;
    while (at > 0 && text.ptr[at] != ' ')
        at--;
    return at > 0 ? at : before(text, width);
}

void fit_paragraph(struct buf *out, const char *first, struct slice text, size_t width)
{
    const size_t indent = strlen(first);
    const size_t room = width > indent + PARAGRAPH_MIN ? width - indent : PARAGRAPH_MIN;
    struct slice rest = slice_trim(text);

    if (rest.len == 0) {
        fit_line(out, slice_str(first), width, FIT_HEAD);
        buf_add_char(out, '\n');
        return;
    }
    buf_add_str(out, first);
    for (;;) {
        const size_t len = fold_at(rest, room);

        add_clean(out, slice_trim(slice_take(rest, len)));
        buf_add_char(out, '\n');
        rest = slice_trim(slice_drop(rest, len));
        if (rest.len == 0)
            return;
        buf_printf(out, "%*s", (int)indent, "");
    }
}
