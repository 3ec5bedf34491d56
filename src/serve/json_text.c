/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "serve/json_text.h"

#include "base/utf8.h"

void json_add_string(struct buf *out, struct slice text)
{
    buf_add_char(out, '"');
    for (size_t i = 0; i < text.len;) {
        unsigned char c = (unsigned char)text.ptr[i];
        size_t len = utf8_length(slice_drop(text, i));
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
