/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "live/cells.h"

#include "base/utf8.h"
#include "base/visible.h"

struct span {
    uint32_t first, last;
};

/* Unicode 15, East Asian Width W and F, and what is shown as an emoji; in blocks, unassigned characters included. */
static const struct span WIDE[] = {
    { 0x1100, 0x115f },   { 0x231a, 0x231b },   { 0x2329, 0x232a },   { 0x23e9, 0x23ec },   { 0x23f0, 0x23f0 },
    { 0x23f3, 0x23f3 },   { 0x25fd, 0x25fe },   { 0x2614, 0x2615 },   { 0x2648, 0x2653 },   { 0x267f, 0x267f },
    { 0x2693, 0x2693 },   { 0x26a1, 0x26a1 },   { 0x26aa, 0x26ab },   { 0x26bd, 0x26be },   { 0x26c4, 0x26c5 },
    { 0x26ce, 0x26ce },   { 0x26d4, 0x26d4 },   { 0x26ea, 0x26ea },   { 0x26f2, 0x26f3 },   { 0x26f5, 0x26f5 },
    { 0x26fa, 0x26fa },   { 0x26fd, 0x26fd },   { 0x2705, 0x2705 },   { 0x270a, 0x270b },   { 0x2728, 0x2728 },
    { 0x274c, 0x274c },   { 0x274e, 0x274e },   { 0x2753, 0x2755 },   { 0x2757, 0x2757 },   { 0x2795, 0x2797 },
    { 0x27b0, 0x27b0 },   { 0x27bf, 0x27bf },   { 0x2b1b, 0x2b1c },   { 0x2b50, 0x2b50 },   { 0x2b55, 0x2b55 },
    { 0x2e80, 0x303e },   { 0x3041, 0x33ff },   { 0x3400, 0x4dbf },   { 0x4e00, 0xa4cf },   { 0xa960, 0xa97f },
    { 0xac00, 0xd7a3 },   { 0xf900, 0xfaff },   { 0xfe10, 0xfe19 },   { 0xfe30, 0xfe6f },   { 0xff00, 0xff60 },
    { 0xffe0, 0xffe6 },   { 0x16fe0, 0x18aff }, { 0x1b000, 0x1b2ff }, { 0x1f004, 0x1f004 }, { 0x1f0cf, 0x1f0cf },
    { 0x1f18e, 0x1f18e }, { 0x1f191, 0x1f19a }, { 0x1f200, 0x1f320 }, { 0x1f32d, 0x1f335 }, { 0x1f337, 0x1f37c },
    { 0x1f37e, 0x1f393 }, { 0x1f3a0, 0x1f3ca }, { 0x1f3cf, 0x1f3d3 }, { 0x1f3e0, 0x1f3f0 }, { 0x1f3f4, 0x1f3f4 },
    { 0x1f3f8, 0x1f43e }, { 0x1f440, 0x1f440 }, { 0x1f442, 0x1f4fc }, { 0x1f4ff, 0x1f53d }, { 0x1f54b, 0x1f567 },
    { 0x1f57a, 0x1f57a }, { 0x1f595, 0x1f596 }, { 0x1f5a4, 0x1f5a4 }, { 0x1f5fb, 0x1f64f }, { 0x1f680, 0x1f6c5 },
    { 0x1f6cc, 0x1f6cc }, { 0x1f6d0, 0x1f6ff }, { 0x1f7e0, 0x1f7f0 }, { 0x1f90c, 0x1faff }, { 0x20000, 0x3fffd },
};

/* Marks that sit on the character before, of the scripts that URLs and labels are likely to hold. */
static const struct span NONE[] = {
    { 0x0300, 0x036f }, { 0x0483, 0x0489 }, { 0x0591, 0x05bd }, { 0x05bf, 0x05bf }, { 0x05c1, 0x05c2 },
    { 0x05c4, 0x05c5 }, { 0x0610, 0x061a }, { 0x064b, 0x065f }, { 0x0670, 0x0670 }, { 0x06d6, 0x06dc },
    { 0x06df, 0x06e4 }, { 0x093c, 0x093c }, { 0x0941, 0x0948 }, { 0x094d, 0x094d }, { 0x0e31, 0x0e31 },
    { 0x0e34, 0x0e3a }, { 0x0e47, 0x0e4e }, { 0x1ab0, 0x1aff }, { 0x1dc0, 0x1dff }, { 0x20d0, 0x20f0 },
    { 0x302a, 0x302d }, { 0x3099, 0x309a }, { 0xfe00, 0xfe0f }, { 0xfe20, 0xfe2f }, { 0xe0100, 0xe01ef },
};

static bool holds(const struct span *spans, size_t count, uint32_t c)
{
    size_t low = 0, high = count;

    while (low < high) {
        const size_t middle = (low + high) / 2;

        if (c > spans[middle].last)
            low = middle + 1;
        else
            high = middle;
    }
    return low < count && c >= spans[low].first;
}

#define HOLDS(spans, c) holds(spans, sizeof(spans) / sizeof((spans)[0]), c)

unsigned cells_of(uint32_t character)
{
    if (character < 0x300)
        return 1;
    return HOLDS(NONE, character) ? 0 : HOLDS(WIDE, character) ? 2 : 1;
}

static uint32_t decode(const char *p, size_t n)
{
    static const unsigned char FIRST[] = { 0, 0x7f, 0x1f, 0x0f, 0x07 };
    uint32_t c = (unsigned char)p[0] & FIRST[n];

    for (size_t i = 1; i < n; i++)
        c = c << 6 | ((unsigned char)p[i] & 0x3fu);
    return c;
}

/* What terminals obey or nobody sees. A joiner is not seen either, and how many cells it saves no table knows. */
static bool is_harmful(struct slice character, uint32_t c)
{
    return c < 0x20 || c == 0x7f || c == 0x200c || c == 0x200d || visible_hidden(character) > 0;
}

/* The next character as it will be shown, and its cells; moves *rest behind it. */
static struct slice next_shown(struct slice *rest, bool utf8, unsigned *cells)
{
    const size_t n = utf8_length(*rest);
    struct slice shown = slice_take(*rest, n);
    uint32_t c;

    *cells = 1;
    if (n == 0) {
        *rest = slice_drop(*rest, 1);
        return SLICE("?");
    }
    *rest = slice_drop(*rest, n);
    c = decode(shown.ptr, n);
    if (is_harmful(shown, c) || (n > 1 && !utf8))
        return SLICE("?");
    *cells = cells_of(c);
    return shown;
}

size_t cells_width(struct slice text, bool utf8)
{
    size_t width = 0;
    unsigned cells;

    while (text.len > 0) {
        next_shown(&text, utf8, &cells);
        width += cells;
    }
    return width;
}

static size_t add_up_to(struct buf *out, struct slice text, size_t width, bool utf8)
{
    size_t used = 0;

    while (text.len > 0) {
        unsigned cells;
        const struct slice shown = next_shown(&text, utf8, &cells);

        if (used + cells > width)
            break;
        buf_add_slice(out, shown);
        used += cells;
    }
    return used;
}

static size_t add_dots(struct buf *out, size_t width)
{
    const size_t dots = width < 3 ? width : 3;

    for (size_t i = 0; i < dots; i++)
        buf_add_char(out, '.');
    return dots;
}

size_t cells_add(struct buf *out, struct slice text, size_t width, bool utf8)
{
    size_t used;

    if (cells_width(text, utf8) <= width)
        return add_up_to(out, text, width, utf8);
    used = width > 3 ? add_up_to(out, text, width - 3, utf8) : 0;
    return used + add_dots(out, width - used);
}

/* The longest end of it that fits. */
static struct slice tail(struct slice text, size_t width, bool utf8)
{
    unsigned cells;

    while (cells_width(text, utf8) > width)
        next_shown(&text, utf8, &cells);
    return text;
}

size_t cells_add_middle(struct buf *out, struct slice text, size_t width, bool utf8)
{
    size_t used;

    if (width < 12 || cells_width(text, utf8) <= width)
        return cells_add(out, text, width, utf8);
    used = add_up_to(out, text, (width - 3) / 2, utf8);
    used += add_dots(out, 3);
    return used + add_up_to(out, tail(text, width - used, utf8), width - used, utf8);
}
