/* SPDX-License-Identifier: GPL-3.0-or-later */
/* touchstone's JSON and YAML: names and values of dimensions nested in turn, then metrics, then either the value of
 * each run, or "Pass"/"Fail", a deviation and the values of two runs. One document for each rule may follow the other.
 * Private to import/. */
#ifndef PLIMSOLL_IMPORT_TOUCHSTONE_TREE_H
#define PLIMSOLL_IMPORT_TOUCHSTONE_TREE_H

#include <jansson.h>

#include "import/sheet.h"

/* Owns the texts that rows of the sheet point to. */
struct touchstone_tree {
    json_t *documents; /* an array, or NULL */
};

bool touchstone_tree_looks_like(struct slice head);
MUST_CHECK int touchstone_tree_read(struct touchstone_tree *t, struct sheet *sheet, struct slice text);
void touchstone_tree_release(struct touchstone_tree *t);

#endif
