/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The parts of a suite that are maps of their own; each function is a key's take(). */
#ifndef PLIMSOLL_SUITE_READ_PARTS_H
#define PLIMSOLL_SUITE_READ_PARTS_H

#include "suite/keys.h"

extern const struct keys KEYS_OF_COMMAND, KEYS_OF_SERVICE, KEYS_OF_CHECK, KEYS_OF_METRIC, KEYS_OF_VERIFY,
    KEYS_OF_BUDGET, KEYS_OF_ROUTES;

/* One item, or each of a list of them. */
typedef int read_item(struct reader *r, struct doc_node *item, void *into);
int read_each(struct reader *r, struct doc_node *value, read_item *take, void *into);

int read_check(struct reader *r, struct doc_node *item, void *into);
int read_setup(struct reader *r, struct doc_node *value, void *into);
int read_teardown(struct reader *r, struct doc_node *value, void *into);
int read_before_each(struct reader *r, struct doc_node *value, void *into);
int read_after_each(struct reader *r, struct doc_node *value, void *into);
int read_verify_each(struct reader *r, struct doc_node *value, void *into);
int read_summary(struct reader *r, struct doc_node *value, void *into);
int read_routes(struct reader *r, struct doc_node *value, void *into);
int read_facts(struct reader *r, struct doc_node *value, void *into);
int read_services(struct reader *r, struct doc_node *value, void *into);
int read_metrics(struct reader *r, struct doc_node *value, void *into);
int read_verify(struct reader *r, struct doc_node *value, void *into);
int read_budget(struct reader *r, struct doc_node *value, void *into);

#endif
