/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tolerances as touchstone's users write them: a plain limit on a deviation, without statistics.
 *
 * tolerancy is a percentage of base. Below 0 (for figures where less is worse): fails when new < base (1 + t/100).
 * From 0 up (for figures where more is worse): fails when new > base (1 + t/100). Of all comparisons under a rule
 * max_failures percent may fail. Unlike there, nothing passes by being absent: a side that is missing or NaN, and a
 * base of zero, of which no percentage can be taken, are failures. */
#ifndef PLIMSOLL_STATS_TOLERANCE_H
#define PLIMSOLL_STATS_TOLERANCE_H

#include <stdbool.h>
#include <stddef.h>

bool tolerance_holds(double base, double new, double tolerancy);
/* failures of comparisons are too many. Nothing compared is broken too: a rule that matches nothing guards nothing. */
bool tolerance_is_broken(size_t failures, size_t comparisons, double max_failures);
/* new / base - 1; NaN where there is none. */
double tolerance_deviation(double base, double new);

#endif
