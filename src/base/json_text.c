/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/json_text.h"

#include "base/utf8.h"

static bool is_plain(unsigned char c)
{
    return c >= 0x20 && c < 0x7f && c != '"' && c != '\\';
}

static size_t plain_length(struct slice s)
{
    size_t n = 0;

    while (n < s.len && is_plain((unsigned char)s.ptr[n]))
        n++;
    return n;
}

/* What is not plain, at the start of s; how much of it that was. */
static size_t add_other(struct buf *out, struct slice s)
{
    const unsigned char c = (unsigned char)s.ptr[0];
    const size_t length = utf8_length(s);

    if (length == 0) {
        buf_add_str(out, "\xef\xbf\xbd");
        return 1;
    }
    if (c == '"' || c == '\\')
        buf_add_char(out, '\\');
    if (c < 0x20 || c == 0x7f)
        buf_printf(out, "\\u%04x", c);
    else
        buf_append(out, s.ptr, length);
    return length;
}

void json_add_string(struct buf *out, struct slice text)
{
    buf_add_char(out, '"');
    while (text.len > 0) {
        const size_t plain = plain_length(text);

        buf_append(out, text.ptr, plain);
        text = slice_drop(text, plain);
        if (text.len > 0)
            text = slice_drop(text, add_other(out, text));
    }
    buf_add_char(out, '"');
}
