/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/escapes.h"

#include <string.h>

void escape_xml(struct buf *out, const char *text)
{
    for (const unsigned char *c = (const unsigned char *)text; *c != '\0'; c++) {
        if (*c == '&')
            buf_add_str(out, "&amp;");
        else if (*c == '<')
            buf_add_str(out, "&lt;");
        else if (*c == '>')
            buf_add_str(out, "&gt;");
        else if (*c == '"')
            buf_add_str(out, "&quot;");
        else
            buf_add_char(out, *c < 0x20 || *c >= 0x7f ? '?' : (char)*c);
    }
}

void escape_markdown(struct buf *out, const char *text)
{
    for (const char *c = text; *c != '\0'; c++) {
        if (strchr("|\\`*_<>[]", *c) != NULL)
            buf_add_char(out, '\\');
        buf_add_char(out, (unsigned char)*c < 0x20 || *c == 0x7f ? ' ' : *c);
    }
}
