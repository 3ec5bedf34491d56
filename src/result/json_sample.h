/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The totals of a document, and what only samples of a matrix and foreign reports have: run, cell, sample, metrics,
 * seen. What is absent is null, or has no member. Private to result/. */
#ifndef PLIMSOLL_RESULT_JSON_SAMPLE_H
#define PLIMSOLL_RESULT_JSON_SAMPLE_H

#include "result/json_in.h"
#include "result/json_out.h"
#include "result/result.h"

/* "totals"; duration_s: for what is derived per second, null when it is 0. */
void json_write_totals(struct json_out *o, const struct totals *t, double duration_s);
void json_write_sample(struct json_out *o, const struct result *r);

/* import: what has no member is absent, not zero. */
void json_read_totals(struct json_in *in, const json_t *object, struct totals *t, bool import);
void json_read_sample(struct json_in *in, const json_t *document, struct result *r);

#endif
