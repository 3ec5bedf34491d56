/* SPDX-License-Identifier: GPL-3.0-or-later */
/* --targets-filter: which targets of a file are taken. */
#ifndef PLIMSOLL_CLI_LOAD_TARGETS_FILTER_H
#define PLIMSOLL_CLI_LOAD_TARGETS_FILTER_H

#include "doc/doc.h"

struct targets_filter;

/* text: a pattern; with ! in front what it does not match is taken. NULL: *out is NULL, which takes all. */
MUST_CHECK int targets_filter_new(struct targets_filter **out, const char *text, struct err *err);
void targets_filter_free(struct targets_filter *f);
/* By the target's url, its Host header or its sni. */
bool targets_filter_takes(const struct targets_filter *f, struct doc_node *target);

#endif
