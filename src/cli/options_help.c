/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/options.h"

#include <string.h>

enum { HELP_COLUMNS = 80, HELP_INDENT = 28 };

/* Text from the given column on, broken at spaces; later lines are indented. */
static void add_wrapped(struct buf *out, const char *text, size_t column, size_t indent)
{
    struct slice rest = slice_str(text);
    bool first = true;

    while (rest.len > 0) {
        const struct slice word = slice_split(&rest, ' ');

        if (!first && column + 1 + word.len > HELP_COLUMNS) {
            buf_printf(out, "\n%*s", (int)indent, "");
            column = indent;
        } else if (!first) {
            buf_add_char(out, ' ');
            column++;
        }
        buf_add_slice(out, word);
        column += word.len;
        first = false;
    }
    buf_add_char(out, '\n');
}

static void add_row(struct buf *out, const struct option_row *row)
{
    const size_t begin = out->len;
    char text[512];
    size_t width;

    if (row->short_name != 0)
        buf_printf(out, "  -%c, --%s", row->short_name, row->name);
    else
        buf_printf(out, "      --%s", row->name);
    if (row->argument != NULL)
        buf_printf(out, " %s", row->argument);
    width = out->len - begin;
    if (width + 2 > HELP_INDENT)
        buf_printf(out, "\n%*s", HELP_INDENT, "");
    else
        buf_printf(out, "%*s", (int)(HELP_INDENT - width), "");
    if (row->shown_default != NULL)
        snprintf(text, sizeof(text), "%s (default: %s)", row->help, row->shown_default);
    else
        snprintf(text, sizeof(text), "%s", row->help);
    add_wrapped(out, text, HELP_INDENT, HELP_INDENT);
}

void options_help(const struct option_table *t, struct buf *out)
{
    buf_printf(out, "usage: %s %s\n\n", t->command, t->usage);
    add_wrapped(out, t->summary, 0, 0);
    for (const struct option_row *row = t->rows; row->name != NULL || row->heading != NULL; row++) {
        if (row->heading != NULL)
            buf_printf(out, "\n%s:\n", row->heading);
        else
            add_row(out, row);
    }
    if (t->epilogue != NULL)
        buf_printf(out, "\n%s", t->epilogue);
}
