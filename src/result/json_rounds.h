/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The members of a result document that only kind "rounds" has: "copy_phases", "rounds", "series", "scaling" (the first
 * series'). Private to result/. */
#ifndef PLIMSOLL_RESULT_JSON_ROUNDS_H
#define PLIMSOLL_RESULT_JSON_ROUNDS_H

#include "result/json_in.h"
#include "result/json_out.h"
#include "result/rounds.h"

void json_write_rounds(struct json_out *o, const struct rounds_result *r);
/* NULL after a failure, which in then holds. */
struct rounds_result *json_read_rounds(struct json_in *in, const json_t *document);

#endif
