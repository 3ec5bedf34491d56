/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/visible.h"

#include "base/utf8.h"

static const struct {
    uint32_t first, last;
} HIDDEN[] = {
    { 0x80, 0x9f },       /* C1 */
    { 0xad, 0xad },       /* soft hyphen */
    { 0x61c, 0x61c },     /* Arabic letter mark */
    { 0x180e, 0x180e },   /* Mongolian vowel separator */
    { 0x200b, 0x200b },   /* zero width space */
    { 0x200e, 0x200f },   /* left-to-right mark, right-to-left mark */
    { 0x2028, 0x202e },   /* separators; embeddings and overrides */
    { 0x2060, 0x206f },   /* word joiner, invisible operators, isolates, deprecated ones */
    { 0xfeff, 0xfeff },   /* byte order mark */
    { 0xfff9, 0xfffb },   /* interlinear annotation */
    { 0x1d173, 0x1d17a }, /* of musical notation */
    { 0xe0000, 0xe007f }, /* tags */
};

static uint32_t code_point(struct slice s, size_t length)
{
    static const uint8_t MASKS[] = { 0, 0x7f, 0x1f, 0x0f, 0x07 };
    uint32_t c = (uint8_t)s.ptr[0] & MASKS[length];

    for (size_t i = 1; i < length; i++)
        c = c << 6 | ((uint8_t)s.ptr[i] & 0x3f);
    return c;
}

static bool is_hidden(uint32_t c)
{
    for (size_t i = 0; i < sizeof(HIDDEN) / sizeof(HIDDEN[0]); i++)
        if (c >= HIDDEN[i].first && c <= HIDDEN[i].last)
            return true;
    return false;
}

size_t visible_hidden(struct slice s)
{
    const size_t length = s.len > 0 && (uint8_t)s.ptr[0] >= 0x80 ? utf8_length(s) : 0;

    return length > 0 && is_hidden(code_point(s, length)) ? length : 0;
}

/* Where the first one is; the length when there is none. */
static size_t first_hidden(struct slice s)
{
    size_t i = 0;

    while (i < s.len && visible_hidden(slice_drop(s, i)) == 0)
        i++;
    return i;
}

bool visible_all(struct slice s)
{
    return first_hidden(s) == s.len;
}

void visible_add(struct buf *out, struct slice s)
{
    while (s.len > 0) {
        const size_t seen = first_hidden(s);

        buf_append(out, s.ptr, seen);
        s = slice_drop(s, seen);
        if (s.len > 0) {
            const size_t length = visible_hidden(s);

            buf_printf(out, "[U+%04X]", (unsigned)code_point(s, length));
            s = slice_drop(s, length);
        }
    }
}
