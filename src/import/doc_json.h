/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A document in YAML as the JSON that says the same. Private to import/. */
#ifndef PLIMSOLL_IMPORT_DOC_JSON_H
#define PLIMSOLL_IMPORT_DOC_JSON_H

#include <jansson.h>

#include "doc/doc.h"

/* Plain scalars that are numbers, true, false or null become such, quoted ones stay texts; keys are texts. The caller
 * ends it with json_decref(). NULL when nested more than depth_max deep, or out of memory. */
json_t *doc_to_json(struct doc_node *n, unsigned depth_max);

#endif
