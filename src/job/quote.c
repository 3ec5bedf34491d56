/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "job/quote.h"

#include <string.h>

#include "base/utf8.h"

static bool is_plain(struct slice word)
{
    static const char PLAIN[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789%+,-./:=@_";

    for (size_t i = 0; i < word.len; i++)
        if (word.ptr[i] == '\0' || strchr(PLAIN, word.ptr[i]) == NULL)
            return false;
    return word.len > 0;
}

void quote_shell(struct buf *out, struct slice word)
{
    if (is_plain(word)) {
        buf_add_slice(out, word);
        return;
    }
    buf_add_char(out, '\'');
    for (size_t i = 0; i < word.len; i++) {
        if (word.ptr[i] == '\'')
            buf_add_str(out, "'\\''");
        else
            buf_add_char(out, word.ptr[i]);
    }
    buf_add_char(out, '\'');
}

static bool is_printable(unsigned char c)
{
    return c >= ' ' && c < 0x7f;
}

/* The character that a sequence of n bytes stands for. */
static unsigned long code_point(const char *bytes, size_t n)
{
    static const unsigned char FIRST[] = { 0, 0x7f, 0x1f, 0x0f, 0x07 };
    unsigned long point = (unsigned char)bytes[0] & FIRST[n];

    for (size_t i = 1; i < n; i++)
        point = point << 6 | ((unsigned char)bytes[i] & 0x3f);
    return point;
}

void quote_yaml(struct buf *out, struct slice text)
{
    buf_add_char(out, '"');
    while (text.len > 0) {
        const size_t n = utf8_length(text);
        const size_t taken = n > 0 ? n : 1;

        if (text.ptr[0] == '"' || text.ptr[0] == '\\')
            buf_printf(out, "\\%c", text.ptr[0]);
        else if (text.ptr[0] == '\n')
            buf_add_str(out, "\\n");
        else if (is_printable((unsigned char)text.ptr[0]))
            buf_add_char(out, text.ptr[0]);
        else
            buf_printf(out, "\\U%08lX", n > 0 ? code_point(text.ptr, n) : 0xFFFDul);
        text = slice_drop(text, taken);
    }
    buf_add_char(out, '"');
}

/* What both versions of YAML take for printable text and nothing else: 1.1 ends lines at NEL, LS and PS. */
static bool is_harmless(unsigned long point)
{
    return (point >= ' ' && point < 0x7f) || point == '\n' ||
           (point >= 0xa0 && point < 0xfffe && point != 0x2028 && point != 0x2029 && point != 0xfeff);
}

/* Whether a literal block keeps every byte. A first line of blanks would be taken for the block's indentation. */
static bool fits_block(struct slice text)
{
    size_t n;

    if (text.len == 0 || text.ptr[text.len - 1] != '\n' || text.ptr[0] == ' ' || text.ptr[0] == '\n')
        return false;
    if (text.len > 1 && text.ptr[text.len - 2] == '\n') /* line ends at the end are clipped to one */
        return false;
    for (; text.len > 0; text = slice_drop(text, n)) {
        n = utf8_length(text);
        if (n == 0 || !is_harmless(code_point(text.ptr, n)))
            return false;
    }
    return true;
}

void quote_yaml_lines(struct buf *out, struct slice text, unsigned indent)
{
    if (!fits_block(text)) {
        buf_add_char(out, ' ');
        quote_yaml(out, text);
        buf_add_char(out, '\n');
        return;
    }
    buf_add_str(out, " |\n");
    while (text.len > 0) {
        const struct slice line = slice_split(&text, '\n');

        if (line.len > 0)
            buf_printf(out, "%*s", (int)indent + 2, "");
        buf_add_slice(out, line);
        buf_add_char(out, '\n');
    }
}
