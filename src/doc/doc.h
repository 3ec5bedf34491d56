/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Documents that people write, in YAML or JSON (which YAML 1.2 contains), as a tree whose every node knows its line, so
 * that a mistake can be told with its place. Read-only. Aliases are resolved; sizes and depth are bounded by the file
 * and the library's limit of depth. */
#ifndef PLIMSOLL_DOC_DOC_H
#define PLIMSOLL_DOC_DOC_H

#include "base/err.h"
#include "base/slice.h"

struct doc;
struct doc_node;

enum doc_kind { DOC_EMPTY /* nothing, null */, DOC_TEXT /* any scalar */, DOC_LIST, DOC_MAP };

/* name: for messages. ERR_CONFIG "NAME:LINE: what is wrong". text must outlive the document. */
MUST_CHECK int doc_parse(struct doc **out, const char *name, struct slice text, struct err *err);
void doc_free(struct doc *d);                   /* NULL is fine */
struct doc_node *doc_root(const struct doc *d); /* NULL: an empty document */

enum doc_kind doc_kind(struct doc_node *n); /* NULL is DOC_EMPTY */
unsigned doc_line(struct doc_node *n);      /* from 1 */
struct slice doc_text(struct doc_node *n);  /* of DOC_TEXT, escapes undone; valid as long as the document */
/* Whether a scalar stood in quotes: "10" is a text where 10 is a number. */
bool doc_is_quoted(struct doc_node *n);
/* One after the other, in the file's order; *cursor is NULL at first. NULL at the end. */
struct doc_node *doc_next(struct doc_node *list, void **cursor);
struct doc_node *doc_next_pair(struct doc_node *map, void **cursor, struct doc_node **key);
/* The value of a key, or NULL. */
struct doc_node *doc_find(struct doc_node *map, const char *key);
/* From here on doc_refuse() tells the column, too. */
void doc_show_columns(struct doc *d);
/* ERR_CONFIG "NAME:LINE: " ("NAME:LINE:COLUMN: ") and the sentence. */
int doc_refuse(const struct doc *d, struct doc_node *at, struct err *err, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));

#endif
