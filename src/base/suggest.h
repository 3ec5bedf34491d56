/* SPDX-License-Identifier: GPL-3.0-or-later */
/* "Did you mean …": the known word nearest to a mistyped one. */
#ifndef PLIMSOLL_BASE_SUGGEST_H
#define PLIMSOLL_BASE_SUGGEST_H

#include "base/slice.h"

/* Best so far while the caller goes through its words. `word` must outlive it. */
struct suggestion {
    struct slice typed;
    const char *word; /* NULL: nothing near enough */
    unsigned distance;
};

void suggest_init(struct suggestion *s, struct slice typed);
/* Considers one known word: kept when it is nearer than those before and near enough to be a typing mistake. */
void suggest_consider(struct suggestion *s, const char *word);
/* Insertions, deletions, replacements and swaps of neighbours (optimal string alignment). Words longer than
 * SUGGEST_WORD_MAX are infinitely far: UINT_MAX. */
#define SUGGEST_WORD_MAX 40
unsigned suggest_distance(struct slice a, struct slice b);

#endif
