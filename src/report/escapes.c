/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/escapes.h"

#include <ctype.h>
#include <string.h>

#include "base/utf8.h"
#include "base/visible.h"

const char *escape_entity(char c)
{
    switch (c) {
    case '&':
        return "&amp;";
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    case '"':
        return "&quot;";
    default:
        return NULL;
    }
}

/* U+FFFE and U+FFFF are no characters of XML. */
static bool is_of_xml(struct slice s, size_t length)
{
    return length > 0 && (unsigned char)s.ptr[0] >= 0x20 && s.ptr[0] != 0x7f &&
           !(length == 3 && memcmp(s.ptr, "\xef\xbf", 2) == 0 && (unsigned char)s.ptr[2] >= 0xbe);
}

void escape_xml(struct buf *out, const char *text)
{
    struct slice rest = slice_str(text);

    while (rest.len > 0) {
        const size_t hidden = visible_hidden(rest), length = utf8_length(rest);

        if (hidden > 0)
            visible_add(out, slice_take(rest, hidden));
        else if (escape_entity(rest.ptr[0]) != NULL)
            buf_add_str(out, escape_entity(rest.ptr[0]));
        else if (is_of_xml(rest, length))
            buf_append(out, rest.ptr, length);
        else
            buf_add_char(out, '?');
        rest = slice_drop(rest, length > 0 ? length : 1);
    }
}

/* Inside a word it is a letter like others. */
static bool is_in_word(const char *text, const char *at)
{
    return at > text && isalnum((unsigned char)at[-1]) && isalnum((unsigned char)at[1]);
}

void escape_markdown(struct buf *out, const char *text)
{
    for (const char *c = text != NULL ? text : ""; *c != '\0'; c++) {
        const size_t hidden = visible_hidden(slice_str(c));

        if (hidden > 0) {
            visible_add(out, slice_from(c, hidden));
            c += hidden - 1;
            continue;
        }
        if (strchr("|\\`*_<>[]", *c) != NULL && !(*c == '_' && is_in_word(text, c)))
            buf_add_char(out, '\\');
        buf_add_char(out, (unsigned char)*c < 0x20 || *c == 0x7f ? ' ' : *c);
    }
}
