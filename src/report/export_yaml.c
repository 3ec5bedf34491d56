/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "report/export_forms.h"

/* From our own JSON, which has a member or an element on each line, indented by two. Strings stay quoted as JSON quotes
 * them, which YAML 1.2 reads the same; what stands on one line ([0.4, 0.5], {}) is YAML as it is. */

struct yaml {
    struct buf *out;
    bool dash; /* the next line is the first of an element */
};

/* Behind a key's quoted text: where its colon stands; 0 when the line has no key. */
static size_t key_length(struct slice line)
{
    size_t i = 1;

    if (line.len < 2 || line.ptr[0] != '"')
        return 0;
    for (; i < line.len && line.ptr[i] != '"'; i++)
        i += line.ptr[i] == '\\';
    return i + 1 < line.len && line.ptr[i + 1] == ':' ? i + 1 : 0;
}

static bool is_opening(struct slice text)
{
    return slice_eq(text, SLICE("{")) || slice_eq(text, SLICE("["));
}

static void indent(struct yaml *y, size_t columns)
{
    for (size_t i = 0; i < columns; i++)
        buf_add_char(y->out, ' ');
}

/* columns: of the JSON line; the outermost braces are no level of YAML. */
static void add_line(struct yaml *y, size_t columns, struct slice text)
{
    const size_t key = key_length(text);
    const struct slice value = key > 0 ? slice_trim(slice_drop(text, key + 1)) : text;
    const size_t at = columns >= 2 ? columns - 2 : 0;

    if (key == 0 && is_opening(text)) { /* an element that goes on below */
        y->dash = columns > 0;
        return;
    }
    if (y->dash) {
        indent(y, at >= 2 ? at - 2 : 0);
        buf_add_str(y->out, "- ");
    } else {
        indent(y, at);
    }
    y->dash = false;
    if (key == 0)
        buf_add_str(y->out, "- ");
    buf_add_slice(y->out, slice_take(text, key > 0 ? key + 1 : 0));
    if (key > 0 && !is_opening(value))
        buf_add_char(y->out, ' ');
    if (!is_opening(value))
        buf_add_slice(y->out, value);
    buf_add_char(y->out, '\n');
}

void export_yaml_add(struct exporting *e, struct slice json)
{
    struct yaml y = { .out = &e->text };

    buf_add_str(&e->text, "---\n");
    while (json.len > 0) {
        struct slice line = slice_split(&json, '\n');
        size_t columns = 0;

        while (columns < line.len && line.ptr[columns] == ' ')
            columns++;
        line = slice_trim(line);
        if (line.len > 0 && line.ptr[line.len - 1] == ',')
            line.len--;
        if (line.len == 0 || slice_eq(line, SLICE("}")) || slice_eq(line, SLICE("]")))
            continue;
        add_line(&y, columns, line);
    }
}
