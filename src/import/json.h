/* SPDX-License-Identifier: GPL-3.0-or-later */
/* JSON reports of other tools: members that may be there or not, of a type that they must have. Private to import/.
 * Failures go to the report, sticky; a false or NULL answer means absent (or null), and nothing is set. */
#ifndef PLIMSOLL_IMPORT_JSON_H
#define PLIMSOLL_IMPORT_JSON_H

#include <jansson.h>

#include "import/report.h"

/* The one document of the text, or NULL with err filled: "FILE:LINE: ...". The caller ends it with json_decref(). */
json_t *json_parse(struct source *s);
/* The next of several documents, one after the other; *rest is moved behind it. NULL with err filled when it is none;
 * line: of the text where rest begins, kept up to date. */
json_t *json_parse_next(struct source *s, struct slice *rest, unsigned *line);

bool json_number_at(struct report *p, const json_t *object, const char *key, double *out);
bool json_count_at(struct report *p, const json_t *object, const char *key, uint64_t *out);
struct slice json_text_at(struct report *p, const json_t *object, const char *key); /* empty: absent */
json_t *json_object_at(struct report *p, const json_t *object, const char *key);
json_t *json_list_at(struct report *p, const json_t *object, const char *key);
/* The same, but absent ones are a failure: the document is cut off or not what it looks like. */
double json_need_number(struct report *p, const json_t *object, const char *key);
json_t *json_need_object(struct report *p, const json_t *object, const char *key);

/* A time in units of `unit_s` seconds (1e-9: ns) becomes the metric OF_WHAT. */
void json_time(struct report *p, const json_t *object, const char *key, double unit_s, const char *of,
               const char *what);
void json_percentile(struct report *p, const json_t *object, const char *key, double unit_s, const char *of,
                     double percentile);
/* {"200": 12, ...} into the statuses; the sum of all, and of 2xx and 3xx. "0" counts replies that never came. */
void json_statuses(struct report *p, json_t *counts, uint64_t *all, uint64_t *ok);

/* For looking at the head of a file that may be cut: every one of these keys is in it. */
bool json_has_keys(struct slice head, const char *const *keys, size_t count);

#endif
