/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A history of unchanged code for a comparison, out of everything that is stored as such. */
#ifndef PLIMSOLL_RESULT_SIDE_ALIKE_H
#define PLIMSOLL_RESULT_SIDE_ALIKE_H

#include "result/side.h"

/* What a record did (cell, workload, place), as a text that the caller frees. NULL: no memory. */
char *side_key_of(const struct record *r);
/* Keeps those records of the history that did what some record of base or new did: the same cell, workload and place,
 * where a host may be that of either side. False: no memory. */
MUST_CHECK bool side_keep_alike(struct side *history, const struct side *base, const struct side *new);
/* A side all of whose runs are in the history, in two sessions or more, was itself measured in these: its records get
 * them. False: no memory. */
MUST_CHECK bool side_take_sessions(struct side *s, const struct side *history);
/* Drops the sessions of the history in which a run of the side was measured: they are on that side already. */
void side_drop_sessions_of(struct side *history, const struct side *s);

#endif
