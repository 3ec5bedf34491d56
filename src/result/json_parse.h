/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The text of a document as JSON, whoever wrote it. An escaped NUL in a string, which would end it for everybody who
 * reads it, is read as U+FFFD. Private to result/. */
#ifndef PLIMSOLL_RESULT_JSON_PARSE_H
#define PLIMSOLL_RESULT_JSON_PARSE_H

#include "base/err.h"
#include "base/slice.h"

#include <jansson.h>

/* The caller's reference; NULL: too large, or not JSON (ERR_CONFIG, with line and column). percentiles: "p99" and the
 * like are wanted, too; without them reading is several times as fast. */
json_t *json_parse_document(struct slice json, bool percentiles, struct err *err);

#endif
