/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/html_out.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/json_text.h"
#include "base/utf8.h"
#include "base/units.h"
#include "base/visible.h"
#include "report/escapes.h"

enum { TEXT_MAX_BYTES = BUF_TEXT_MAX_BYTES, SPARK_WIDTH = 96, SPARK_HEIGHT = 20 };
#define UNKNOWN "\xef\xbf\xbd" /* U+FFFD */
#define DASH "\xe2\x80\x93"

static const char *entity(char c)
{
    return c == '\'' ? "&#39;" : escape_entity(c);
}

static bool is_control(unsigned char c)
{
    return (c < 0x20 && c != '\n' && c != '\t') || c == 0x7f;
}

/* Where a text is cut when it is too long: before a character. */
static struct slice beginning(struct slice text)
{
    size_t n = HTML_TEXT_MAX;

    while (n > 0 && ((unsigned char)text.ptr[n] & 0xc0) == 0x80)
        n--;
    return slice_take(text, n);
}

static void add_rest(struct buf *out, size_t bytes)
{
    char text[UNITS_TEXT_MAX];

    buf_printf(out, " ... (%s bytes in all)", units_format_count(text, bytes));
}

static void add_whole(struct buf *out, struct slice text)
{
    while (text.len > 0) {
        const size_t n = utf8_length(text), hidden = visible_hidden(text);
        const char *escaped = entity(text.ptr[0]);

        if (hidden > 0)
            visible_add(out, slice_take(text, hidden));
        else if (n == 0 || is_control((unsigned char)text.ptr[0]))
            buf_add_str(out, text.ptr[0] == '\r' ? "" : UNKNOWN);
        else if (escaped != NULL)
            buf_add_str(out, escaped);
        else
            buf_append(out, text.ptr, n);
        text = slice_drop(text, n > 0 ? n : 1);
    }
}

void html_slice(struct buf *out, struct slice text)
{
    if (text.len <= HTML_TEXT_MAX) {
        add_whole(out, text);
        return;
    }
    add_whole(out, beginning(text));
    add_rest(out, text.len);
}

void html_text(struct buf *out, const char *text)
{
    html_slice(out, slice_str(text));
}

void html_printf(struct buf *out, const char *fmt, ...)
{
    struct buf text;
    va_list args;

    buf_init(&text, TEXT_MAX_BYTES);
    va_start(args, fmt);
    buf_vprintf(&text, fmt, args);
    va_end(args);
    html_slice(out, buf_slice(&text));
    buf_release(&text);
}

void html_element(struct buf *out, const char *name, const char *class, const char *text)
{
    if (class != NULL)
        buf_printf(out, "<%s class=\"%s\">", name, class);
    else
        buf_printf(out, "<%s>", name);
    html_text(out, text);
    buf_printf(out, "</%s>\n", name);
}

/* ---- tables ---- */

void html_table_open(struct buf *out, const char *caption, const char *columns)
{
    struct slice rest = slice_str(columns);

    buf_add_str(out, "<div class=\"scroll\" tabindex=\"0\" role=\"group\" aria-label=\"");
    html_text(out, caption);
    buf_add_str(out, "\"><table><caption>");
    html_text(out, caption);
    buf_add_str(out, "</caption><thead><tr>");
    while (rest.len > 0) {
        struct slice name = slice_split(&rest, '|');
        const bool number = slice_starts(name, SLICE("#"));

        buf_add_str(out, number ? "<th scope=\"col\" class=\"n\">" : "<th scope=\"col\">");
        html_slice(out, slice_drop(name, number ? 1 : 0));
        buf_add_str(out, "</th>");
    }
    buf_add_str(out, "</tr></thead><tbody>\n");
}

void html_column(struct buf *columns, bool number, const char *fmt, ...)
{
    size_t from;
    va_list args;

    buf_add_str(columns, columns->len > 0 ? "|" : "");
    from = columns->len;
    va_start(args, fmt);
    buf_add_str(columns, number ? "#" : "");
    buf_vprintf(columns, fmt, args);
    va_end(args);
    for (size_t i = from; i < columns->len; i++)
        if (columns->data[i] == '|' || (columns->data[i] == '#' && i == from && !number))
            columns->data[i] = '/';
}

void html_table_close(struct buf *out)
{
    buf_add_str(out, "</tbody></table></div>\n");
}

void html_row_open(struct buf *out)
{
    buf_add_str(out, "<tr>");
}

void html_row_close(struct buf *out)
{
    buf_add_str(out, "</tr>\n");
}

void html_cell(struct buf *out, const char *text)
{
    buf_add_str(out, "<td>");
    html_text(out, text);
    buf_add_str(out, "</td>");
}

void html_cell_wide(struct buf *out, const char *text)
{
    buf_add_str(out, text != NULL && text[0] != '\0' ? "<td class=\"w\">" : "<td>");
    html_text(out, text);
    buf_add_str(out, "</td>");
}

void html_cell_head(struct buf *out, const char *text)
{
    buf_add_str(out, "<th scope=\"row\">");
    html_text(out, text);
    buf_add_str(out, "</th>");
}

void html_cell_number(struct buf *out, double value, const char *text)
{
    if (isnan(value)) {
        buf_add_str(out, "<td class=\"n\">" DASH "</td>");
        return;
    }
    buf_printf(out, "<td class=\"n\" data-v=\"%.9g\">", value);
    html_text(out, text);
    buf_add_str(out, "</td>");
}

/* ---- JSON ---- */

void html_json_number(struct buf *out, double value)
{
    if (isfinite(value))
        buf_printf(out, "%.5g", value);
    else
        buf_add_str(out, "null");
}

void html_json_string(struct buf *out, const char *text)
{
    const struct slice whole = slice_str(text);
    struct buf seen;

    buf_init(&seen, VISIBLE_TIMES * whole.len + UNITS_TEXT_MAX + 32);
    if (whole.len > HTML_TEXT_MAX) {
        visible_add(&seen, beginning(whole));
        add_rest(&seen, whole.len);
    } else {
        visible_add(&seen, whole);
    }
    json_add_string(out, buf_slice(&seen));
    buf_release(&seen);
}

void html_json_embed(struct buf *out, struct slice json)
{
    for (ptrdiff_t at = slice_find(json, '<'); at >= 0; at = slice_find(json, '<')) {
        buf_add_slice(out, slice_take(json, (size_t)at));
        buf_add_str(out, "\\u003c");
        json = slice_drop(json, (size_t)at + 1);
    }
    buf_add_slice(out, json);
}

/* ---- pieces ---- */

void html_chart(struct buf *out, const char *kind, const char *key, const char *label)
{
    buf_printf(out, "<figure class=\"chart\" data-chart=\"%s\" data-key=\"", kind);
    html_text(out, key);
    buf_add_str(out, "\"><div class=\"plot\" role=\"img\" aria-label=\"");
    html_text(out, label);
    buf_add_str(out, "\"></div><figcaption>");
    html_text(out, label);
    buf_add_str(out, "</figcaption></figure>\n");
}

void html_details_open(struct buf *out, const char *id, const char *summary, bool open)
{
    buf_add_str(out, "<details");
    if (id != NULL)
        buf_printf(out, " id=\"%s\"", id);
    buf_add_str(out, open ? " open><summary>" : "><summary>");
    html_text(out, summary);
    buf_add_str(out, "</summary>\n");
}

void html_details_close(struct buf *out)
{
    buf_add_str(out, "</details>\n");
}

void html_spark(struct buf *out, const float *values, size_t count, const char *label)
{
    float max = 0;
    bool pen = false;

    for (size_t i = 0; i < count; i++)
        max = values[i] > max ? values[i] : max;
    if (count < 2 || max <= 0)
        return;
    buf_printf(out, "<svg class=\"spark\" viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"", SPARK_WIDTH, SPARK_HEIGHT);
    html_text(out, label);
    buf_add_str(out, "\"><path d=\"");
    for (size_t i = 0; i < count; i++) {
        if (isnan(values[i])) {
            pen = false;
            continue;
        }
        buf_printf(out, "%c%.1f %.1f", pen ? 'L' : 'M', 1 + (SPARK_WIDTH - 2) * (double)i / (double)(count - 1),
                   SPARK_HEIGHT - 1 - (SPARK_HEIGHT - 2) * (double)(values[i] / max));
        pen = true;
    }
    buf_add_str(out, "\"/></svg>");
}
