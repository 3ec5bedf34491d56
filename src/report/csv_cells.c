/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/csv_cells.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

void csv_add_text(struct buf *out, const char *text)
{
    const char *const from = text != NULL ? text : "";
    const bool formula = from[0] != '\0' && strchr("=+-@\t\r", from[0]) != NULL && strcmp(from, "-") != 0;

    if (!formula && strpbrk(from, ",\"\r\n") == NULL) {
        buf_add_str(out, from);
        return;
    }
    buf_add_str(out, formula ? "\"'" : "\"");
    for (const char *c = from; *c != '\0'; c++) {
        if (*c == '"')
            buf_add_char(out, '"');
        buf_add_char(out, *c);
    }
    buf_add_char(out, '"');
}

void csv_add_decimal(struct buf *out, bool known, double value)
{
    char text[64];
    size_t len = 0;

    buf_add_char(out, ',');
    if (!known || !isfinite(value) || fabs(value) > 1e15)
        return;
    len = (size_t)snprintf(text, sizeof(text), "%.9f", value);
    while (len > 2 && text[len - 1] == '0' && text[len - 2] != '.')
        len--;
    buf_append(out, text, len);
}
