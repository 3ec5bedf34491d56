/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rules of stats/tolerance.h, each for the cells that its path matches.
 *
 * A path is touchstone's: names of dimensions, each followed by a value or "*", and the metric last. A name followed by
 * "*" matches whether the cell has that dimension or not; the metric may be "*", and may be written avg(NAME), also
 * by the names of router benchmarks (router_names.h). The first rule that matches a cell judges it. */
#ifndef PLIMSOLL_RESULT_TOLERANCE_RULES_H
#define PLIMSOLL_RESULT_TOLERANCE_RULES_H

#include "base/strlist.h"
#include "base/err.h"

struct tolerance_rule {
    struct strlist path; /* name, value, name, value ..., metric */
    double tolerancy, max_failures;
    size_t comparisons, failures; /* counted by comparison_make() */
};

struct tolerance_rules {
    struct tolerance_rule *items;
    size_t count;
};

/* {0} holds no rules. ERR_CONFIG says what is wrong, without a place; r then is as it was. */
MUST_CHECK int tolerance_rules_add(struct tolerance_rules *r, const struct strlist *path, double tolerancy,
                                   double max_failures, struct err *err);
/* "routes/500/metric" as the list of its parts; false when out of memory. */
bool tolerance_path_split(struct strlist *out, struct slice text);
void tolerance_rules_release(struct tolerance_rules *r);
/* wanted: the last part of a path, by our name or that of router benchmarks. */
bool tolerance_metric_is(const char *wanted, const char *metric);
/* values[i] is the value of names->items[i]. */
bool tolerance_rule_matches(const struct tolerance_rule *rule, const struct strlist *names, char *const *values,
                            const char *metric);

#endif
