/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What records of every kind of run have in common. Private to result/. */
#ifndef PLIMSOLL_RESULT_SIDE_PARTS_H
#define PLIMSOLL_RESULT_SIDE_PARTS_H

#include "result/side.h"

/* Who, when, labels, configuration, host, name. */
bool side_add_run_facts(struct record *r, const struct result *result);
/* Whether it is valid, and the first thing to say about it. */
bool side_add_reason(struct record *r, const struct result *result);
/* A record per round of every series. */
bool side_add_all_rounds(struct side *s, const struct result *result, const char *source);

#endif
