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

static bool is_between(char c, char first, char last)
{
    return c >= first && c <= last;
}

/* Up to BEL, or ESC and the byte behind it, which end a command to the terminal (a title, a link); at most a line. */
static size_t command_length(struct slice s)
{
    size_t n = 2;

    while (n < s.len && s.ptr[n] != '\a' && s.ptr[n] != '\x1b' && s.ptr[n] != '\n')
        n++;
    if (n < s.len && s.ptr[n] == '\x1b')
        n++;
    return n < s.len && s.ptr[n] != '\n' ? n + 1 : n;
}

/* Bytes of the escape sequence that s begins with: ESC [ parameters letter, ESC ] text, ESC and one; 0: it is none. */
static size_t escape_length(struct slice s)
{
    size_t n = 2;

    if (s.ptr[0] != '\x1b' || s.len < 2)
        return s.ptr[0] == '\x1b';
    if (s.ptr[1] == ']')
        return command_length(s);
    if (s.ptr[1] != '[')
        return is_between(s.ptr[1], ' ', '~') ? 2 : 1;
    while (n < s.len && is_between(s.ptr[n], ' ', '?'))
        n++;
    return n < s.len && is_between(s.ptr[n], '@', '~') ? n + 1 : n;
}

void visible_output(struct buf *out, struct slice s)
{
    while (s.len > 0) {
        const size_t skipped = slice_starts(s, SLICE("\r\n")) ? 1 : escape_length(s), length = utf8_length(s);
        const char c = s.ptr[0];

        if (skipped > 0) {
            s = slice_drop(s, skipped);
            continue;
        }
        if (length == 0 || ((unsigned char)c < ' ' && c != '\n' && c != '\t') || c == 0x7f)
            buf_add_char(out, '?');
        else
            visible_add(out, slice_take(s, length));
        s = slice_drop(s, length > 0 ? length : 1);
    }
}
