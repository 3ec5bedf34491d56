/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "result/tolerance_rules.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "result/router_names.h"

enum { PATH_PARTS_MAX = 64 };

void tolerance_rules_release(struct tolerance_rules *r)
{
    for (size_t i = 0; i < r->count; i++)
        strlist_release(&r->items[i].path);
    free(r->items);
    memset(r, 0, sizeof(*r));
}

bool tolerance_path_split(struct strlist *out, struct slice text)
{
    while (text.len > 0) {
        const struct slice part = slice_split(&text, '/');

        if (part.len > 0 && !strlist_add(out, part))
            return false;
    }
    return true;
}

static int check(const struct strlist *path, double tolerancy, double max_failures, struct err *err)
{
    if (path->count % 2 != 1 || path->count > PATH_PARTS_MAX) {
        err_set(err, ERR_CONFIG, 0, "json_path must hold names, each with a value or *, and a metric at the end");
        return err_hint(err, "for example test_type/*/routes/500/requests_per_s");
    }
    if (!isfinite(tolerancy))
        return err_set(err, ERR_CONFIG, 0, "tolerancy must be a number of percent");
    if (!(max_failures >= 0 && max_failures <= 100))
        return err_set(err, ERR_CONFIG, 0, "max_failures is %g, it must be 0 to 100 percent", max_failures);
    return 0;
}

int tolerance_rules_add(struct tolerance_rules *r, const struct strlist *path, double tolerancy, double max_failures,
                        struct err *err)
{
    struct tolerance_rule rule = { .tolerancy = tolerancy, .max_failures = max_failures };
    struct tolerance_rule *grown = NULL;

    if (check(path, tolerancy, max_failures, err) != 0)
        return -1;
    for (size_t i = 0; i < path->count; i++)
        if (!strlist_add(&rule.path, router_name_without_avg(slice_str(path->items[i])))) {
            strlist_release(&rule.path);
            return err_set(err, ERR_SYSTEM, 0, "out of memory");
        }
    grown = realloc(r->items, (r->count + 1) * sizeof(*grown));
    if (grown == NULL) {
        strlist_release(&rule.path);
        return err_set(err, ERR_SYSTEM, 0, "out of memory");
    }
    r->items = grown;
    r->items[r->count++] = rule;
    return 0;
}

static const char *value_of(const char *name, const struct strlist *names, char *const *values)
{
    for (size_t i = 0; i < names->count; i++)
        if (strcmp(names->items[i], name) == 0)
            return values[i];
    return NULL;
}

bool tolerance_metric_is(const char *wanted, const char *metric)
{
    const struct router_name *known = router_name_of_field(slice_str(wanted));

    return strcmp(wanted, "*") == 0 || strcmp(wanted, metric) == 0 ||
           (known != NULL && strcmp(known->metric, metric) == 0);
}

bool tolerance_rule_matches(const struct tolerance_rule *rule, const struct strlist *names, char *const *values,
                            const char *metric)
{
    const char *wanted = rule->path.items[rule->path.count - 1];

    if (!tolerance_metric_is(wanted, metric))
        return false;
    for (size_t i = 0; i + 1 < rule->path.count; i += 2) {
        const char *value = value_of(rule->path.items[i], names, values);

        if (strcmp(rule->path.items[i + 1], "*") == 0)
            continue;
        if (value == NULL || strcmp(value, rule->path.items[i + 1]) != 0)
            return false;
    }
    return true;
}
