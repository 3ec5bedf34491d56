/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rules of stats/tolerance.h, each for the cells that its path matches.
 *
 * A list of {"json_path": P, "tolerancy": T, "max_failures": F}. P is touchstone's: names of dimensions, each followed
 * by a value or "*", and the metric last, either in one text with slashes ("test_type/edge/routes/500/requests_per_s")
 * or as a list. A name followed by "*" matches whether the cell has that dimension or not; the metric may be "*", and
 * may be written avg(NAME). The first rule that matches a cell judges it. */
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

/* ERR_CONFIG names what is wrong and in which rule; nothing is left then. */
MUST_CHECK int tolerance_rules_parse(struct tolerance_rules *out, struct slice json, struct err *err);
void tolerance_rules_release(struct tolerance_rules *r);
/* values[i] is the value of names->items[i]. */
bool tolerance_rule_matches(const struct tolerance_rule *rule, const struct strlist *names, char *const *values,
                            const char *metric);

#endif
