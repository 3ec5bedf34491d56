/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Markup of the HTML report, piece by piece. Every text goes through html_text(): what comes from outside (URLs,
 * labels, heads of replies) can end neither an element nor an attribute; bytes that are not UTF-8, and control
 * characters, become U+FFFD; what would not be seen is written out (base/visible.h). Of a text longer than
 * HTML_TEXT_MAX bytes its beginning is shown, and how long it is. Failures are the buf's. Private to report/. */
#ifndef PLIMSOLL_REPORT_HTML_OUT_H
#define PLIMSOLL_REPORT_HTML_OUT_H

#include "base/buf.h"

#define HTML_TEXT_MAX ((size_t)64 << 10)

void html_text(struct buf *out, const char *text); /* NULL is empty */
void html_slice(struct buf *out, struct slice text);
void html_printf(struct buf *out, const char *fmt, ...) __attribute__((format(printf, 2, 3))); /* escaped as a whole */
/* <p>TEXT</p> and the like; class may be NULL. */
void html_element(struct buf *out, const char *name, const char *class, const char *text);

/* A table in a box that scrolls sideways by itself. columns: names separated by '|'; one that begins with '#' is of
 * numbers. The page's script makes the names buttons that sort. */
void html_table_open(struct buf *out, const char *caption, const char *columns);
/* Appends a name to such a list of columns, with what would end it in it replaced. */
void html_column(struct buf *columns, bool number, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
void html_table_close(struct buf *out);
void html_row_open(struct buf *out);
void html_row_close(struct buf *out);
void html_cell(struct buf *out, const char *text);      /* a text */
void html_cell_wide(struct buf *out, const char *text); /* sentences: never so narrow that the row grows tall */
void html_cell_head(struct buf *out, const char *text); /* the row's name */
/* A figure: value is what it is sorted by (NAN: not known, shown as a dash). */
void html_cell_number(struct buf *out, double value, const char *text);

/* JSON for the page's script. */
void html_json_string(struct buf *out, const char *text); /* of others: to be seen as html_text() has it */
void html_json_number(struct buf *out, double value);     /* five digits, null for what is none */
/* A JSON text as the content of a <script>: "<" becomes \u003c, so that nothing in it ends the element. */
void html_json_embed(struct buf *out, struct slice json);

/* A figure that the page's script draws: its data is found by `kind` and `key`. label says what is seen. */
void html_chart(struct buf *out, const char *kind, const char *key, const char *label);
/* <details><summary>…</summary>: what is folded away. */
void html_details_open(struct buf *out, const char *id, const char *summary, bool open);
void html_details_close(struct buf *out);

/* A line of at most a few dozen values as a small inline picture; NAN leaves a gap. label: for who can not see it. */
void html_spark(struct buf *out, const float *values, size_t count, const char *label);

#endif
