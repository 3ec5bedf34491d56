/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "serve/decode.h"

static int hex_value(char c)
{
    if (c >= '0' && c <= '9') {
        return c - '0';
    }
    c = (char)(c | 0x20);
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static bool decode(struct buf *out, struct slice text, bool plus_is_space)
{
    for (size_t i = 0; i < text.len; i++) {
        char c = text.ptr[i];
        if (c == '%') {
            int high = i + 2 < text.len ? hex_value(text.ptr[i + 1]) : -1;
            int low = high >= 0 ? hex_value(text.ptr[i + 2]) : -1;
            if (low < 0) {
                return false;
            }
            c = (char)(high * 16 + low);
            i += 2;
        } else if (c == '+' && plus_is_space) {
            c = ' ';
        }
        buf_add_char(out, c);
    }
    return buf_ok(out);
}

bool decode_path(struct buf *out, struct slice text)
{
    return decode(out, text, false);
}

bool decode_query(struct buf *out, struct slice text)
{
    return decode(out, text, true);
}
