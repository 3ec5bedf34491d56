/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/fit.h"

#include <string.h>

#include "base/visible.h"

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

/* C0 and DEL: what terminals take for commands. */
static bool is_control(char c)
{
    return (unsigned char)c < 0x20 || c == 0x7f;
}

static void add_clean(struct buf *out, struct slice text)
{
    for (size_t i = 0; i < text.len; i++)
        if (!is_control(text.ptr[i]))
            buf_add_char(out, text.ptr[i]);
        else
            buf_add_char(out, text.ptr[i] == '\t' || text.ptr[i] == '\n' ? ' ' : '?');
}

/* What is to be seen of text: itself, or a copy in room with what is hidden written out. */
static struct slice seen(struct buf *room, struct slice text)
{
    buf_init(room, VISIBLE_TIMES * text.len + 1);
    if (visible_all(text))
        return text;
    visible_add(room, text);
    return buf_slice(room);
}

static void add_line(struct buf *out, struct slice untrimmed, size_t width, enum fit keep)
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

void fit_line(struct buf *out, struct slice text, size_t width, enum fit keep)
{
    struct buf room;

    add_line(out, seen(&room, text), width, keep);
    buf_release(&room);
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

static void add_paragraph(struct buf *out, const char *first, struct slice text, size_t width)
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

void fit_paragraph(struct buf *out, const char *first, struct slice text, size_t width)
{
    struct buf room;

    add_paragraph(out, first, seen(&room, text), width);
    buf_release(&room);
}
