/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "serve/json_text.h"

static bool is_continuation(struct slice s, size_t i)
{
    return i < s.len && ((unsigned char)s.ptr[i] & 0xc0) == 0x80;
}

/* Length of the well-formed sequence at i (Unicode 3.9, table 3-7); 0 when it is none. */
static size_t utf8_len(struct slice s, size_t i)
{
    unsigned char a = (unsigned char)s.ptr[i];
    unsigned char b = is_continuation(s, i + 1) ? (unsigned char)s.ptr[i + 1] : 0;

    if (a < 0x80) {
        return 1;
    }
    if (a < 0xc2 || a > 0xf4 || b == 0) {
        return 0;
    }
    if (a < 0xe0) {
        return 2;
    }
    if (!is_continuation(s, i + 2) || (a == 0xe0 && b < 0xa0) || (a == 0xed && b > 0x9f)) {
        return 0;
    }
    if (a < 0xf0) {
        return 3;
    }
    return is_continuation(s, i + 3) && !(a == 0xf0 && b < 0x90) && !(a == 0xf4 && b > 0x8f) ? 4 : 0;
}

void json_add_string(struct buf *out, struct slice text)
{
    buf_add_char(out, '"');
    for (size_t i = 0; i < text.len;) {
        unsigned char c = (unsigned char)text.ptr[i];
        size_t len = utf8_len(text, i);
        if (len == 0) {
            buf_add_str(out, "\xef\xbf\xbd");
            len = 1;
        } else if (c == '"' || c == '\\') {
            buf_add_char(out, '\\');
            buf_add_char(out, (char)c);
        } else if (c < 0x20 || c == 0x7f) {
            buf_printf(out, "\\u%04x", c);
        } else {
            buf_append(out, text.ptr + i, len);
        }
        i += len;
    }
    buf_add_char(out, '"');
}
