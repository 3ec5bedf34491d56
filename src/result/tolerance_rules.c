/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "result/tolerance_rules.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

enum { RULES_MAX = 10000, PATH_MAX_PARTS = 64, JSON_MAX_BYTES = 1 << 24 };

void tolerance_rules_release(struct tolerance_rules *r)
{
    for (size_t i = 0; i < r->count; i++)
        strlist_release(&r->items[i].path);
    free(r->items);
    memset(r, 0, sizeof(*r));
}

/* avg(NAME) is NAME: ours are means already. */
static struct slice without_avg(struct slice part)
{
    if (slice_starts(part, SLICE("avg(")) && slice_ends(part, SLICE(")")))
        return slice_take(slice_drop(part, 4), part.len - 5);
    return part;
}

static bool read_path_text(struct strlist *out, const char *text)
{
    struct slice rest = slice_str(text);

    while (rest.len > 0) {
        const struct slice part = slice_split(&rest, '/');

        if (part.len > 0 && !strlist_add(out, without_avg(part)))
            return false;
    }
    return true;
}

static bool read_path_list(struct strlist *out, const json_t *list)
{
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *part = json_array_get(list, i);
        char number[32];

        snprintf(number, sizeof(number), "%lld", (long long)json_integer_value(part));
        if (!json_is_string(part) && !json_is_integer(part))
            return false;
        if (!strlist_add(out, without_avg(slice_str(json_is_string(part) ? json_string_value(part) : number))))
            return false;
    }
    return true;
}

static int read_number(double *out, const json_t *rule, const char *name, double otherwise, size_t at, struct err *err)
{
    const json_t *value = json_object_get(rule, name);

    *out = value != NULL ? json_number_value(value) : otherwise;
    if (isnan(*out) || (value != NULL && !json_is_number(value)))
        return err_set(err, ERR_CONFIG, 0, "rule %zu: \"%s\" must be a number of percent", at + 1, name);
    return 0;
}

static int read_rule(struct tolerance_rule *out, const json_t *rule, size_t at, struct err *err)
{
    const json_t *path = json_object_get(rule, "json_path");
    bool ok = json_is_string(path)  ? read_path_text(&out->path, json_string_value(path))
              : json_is_array(path) ? read_path_list(&out->path, path)
                                    : false;

    if (!ok || out->path.count % 2 != 1 || out->path.count > PATH_MAX_PARTS) {
        err_set(err, ERR_CONFIG, 0,
                "rule %zu: \"json_path\" must hold names, each with a value or *, and a metric at the end", at + 1);
        return err_hint(err, "for example \"test_type/*/routes/500/requests_per_s\"");
    }
    if (read_number(&out->tolerancy, rule, "tolerancy", NAN, at, err) != 0 ||
        read_number(&out->max_failures, rule, "max_failures", 0, at, err) != 0)
        return -1;
    if (out->max_failures < 0 || out->max_failures > 100)
        return err_set(err, ERR_CONFIG, 0, "rule %zu: \"max_failures\" is %g, it must be 0 to 100 percent", at + 1,
                       out->max_failures);
    return 0;
}

static int read_rules(struct tolerance_rules *out, const json_t *list, struct err *err)
{
    const size_t n = json_array_size(list);

    if (n == 0 || n > RULES_MAX) {
        err_set(err, ERR_CONFIG, 0, "a list of rules was expected");
        return err_hint(err,
                        "[{\"json_path\": \"test_type/*/requests_per_s\", \"tolerancy\": -15, \"max_failures\": 0}]");
    }
    out->items = calloc(n, sizeof(*out->items));
    if (out->items == NULL)
        return err_set(err, ERR_SYSTEM, 0, "out of memory");
    while (out->count < n) {
        const size_t at = out->count++;

        if (read_rule(&out->items[at], json_array_get(list, at), at, err) != 0)
            return -1;
    }
    return 0;
}

int tolerance_rules_parse(struct tolerance_rules *out, struct slice json, struct err *err)
{
    json_error_t wrong;
    json_t *list = NULL;
    int failed;

    memset(out, 0, sizeof(*out));
    if (json.len > JSON_MAX_BYTES)
        return err_set(err, ERR_CONFIG, 0, "%zu bytes are too many for rules", json.len);
    list = json_loadb(json.ptr != NULL ? json.ptr : "", json.len, 0, &wrong);
    if (list == NULL) {
        err_set(err, ERR_CONFIG, 0, "line %d, column %d: not JSON", wrong.line, wrong.column);
        return err_hint(err, "[{\"json_path\": \"test_type/*/requests_per_s\", \"tolerancy\": -15}]");
    }
    failed = read_rules(out, list, err);
    json_decref(list);
    if (failed != 0)
        tolerance_rules_release(out);
    return failed;
}

static const char *value_of(const char *name, const struct strlist *names, char *const *values)
{
    for (size_t i = 0; i < names->count; i++)
        if (strcmp(names->items[i], name) == 0)
            return values[i];
    return NULL;
}

bool tolerance_rule_matches(const struct tolerance_rule *rule, const struct strlist *names, char *const *values,
                            const char *metric)
{
    const char *wanted = rule->path.items[rule->path.count - 1];

    if (strcmp(wanted, "*") != 0 && strcmp(wanted, metric) != 0)
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
