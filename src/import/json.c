/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "import/json.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "import/printed.h"

static json_t *refuse(struct source *s, unsigned line, const json_error_t *why)
{
    err_set(s->err, ERR_CONFIG, 0, "%s:%u: not JSON: %s", s->name, line + (unsigned)(why->line > 0 ? why->line - 1 : 0),
            why->text);
    return NULL;
}

json_t *json_parse(struct source *s)
{
    json_error_t why;
    json_t *document = json_loadb(s->text.ptr != NULL ? s->text.ptr : "", s->text.len, JSON_REJECT_DUPLICATES, &why);

    return document != NULL ? document : refuse(s, 1, &why);
}

json_t *json_parse_next(struct source *s, struct slice *rest, unsigned *line)
{
    json_error_t why;
    json_t *document = json_loadb(rest->ptr != NULL ? rest->ptr : "", rest->len,
                                  JSON_REJECT_DUPLICATES | JSON_DISABLE_EOF_CHECK, &why);

    if (document == NULL)
        return refuse(s, *line, &why);
    for (size_t i = 0; i < (size_t)why.position; i++)
        *line += rest->ptr[i] == '\n';
    *rest = slice_drop(*rest, (size_t)why.position);
    return document;
}

static json_t *member(struct report *p, const json_t *object, const char *key)
{
    json_t *value = p->failed ? NULL : json_object_get(object, key);

    return json_is_null(value) ? NULL : value;
}

bool json_number_at(struct report *p, const json_t *object, const char *key, double *out)
{
    const json_t *value = member(p, object, key);

    if (value == NULL)
        return false;
    if (!json_is_number(value) || !isfinite(json_number_value(value))) {
        report_fail(p, "\"%s\" must be a number", key);
        return false;
    }
    *out = json_number_value(value);
    return true;
}

bool json_count_at(struct report *p, const json_t *object, const char *key, uint64_t *out)
{
    double value;

    if (!json_number_at(p, object, key, &value))
        return false;
    if (value < 0 || value > 9e15 || floor(value) != value) {
        report_fail(p, "\"%s\" must be a count", key);
        return false;
    }
    *out = (uint64_t)value;
    return true;
}

struct slice json_text_at(struct report *p, const json_t *object, const char *key)
{
    const json_t *value = member(p, object, key);

    if (value != NULL && !json_is_string(value))
        report_fail(p, "\"%s\" must be a string", key);
    return json_is_string(value) ? slice_str(json_string_value(value)) : slice_from(NULL, 0);
}

json_t *json_object_at(struct report *p, const json_t *object, const char *key)
{
    json_t *value = member(p, object, key);

    if (value != NULL && !json_is_object(value))
        report_fail(p, "\"%s\" must be an object", key);
    return json_is_object(value) ? value : NULL;
}

json_t *json_list_at(struct report *p, const json_t *object, const char *key)
{
    json_t *value = member(p, object, key);

    if (value != NULL && !json_is_array(value))
        report_fail(p, "\"%s\" must be a list", key);
    return json_is_array(value) ? value : NULL;
}

double json_need_number(struct report *p, const json_t *object, const char *key)
{
    double value = 0;

    if (!json_number_at(p, object, key, &value))
        report_fail(p, "\"%s\" is missing", key);
    return value;
}

json_t *json_need_object(struct report *p, const json_t *object, const char *key)
{
    json_t *value = json_object_at(p, object, key);

    if (value == NULL)
        report_fail(p, "\"%s\" is missing", key);
    return value;
}

/* Divided where the unit is no binary fraction: 1500 us are the double nearest to 0.0015 s. */
static double in_seconds(double value, double unit_s)
{
    return unit_s < 1 ? value / round(1 / unit_s) : value * unit_s;
}

void json_time(struct report *p, const json_t *object, const char *key, double unit_s, const char *of, const char *what)
{
    double value;

    if (json_number_at(p, object, key, &value))
        report_time(p, of, what, in_seconds(value, unit_s));
}

void json_percentile(struct report *p, const json_t *object, const char *key, double unit_s, const char *of,
                     double percentile)
{
    double value;

    if (json_number_at(p, object, key, &value))
        report_percentile(p, of, percentile, in_seconds(value, unit_s));
}

void json_statuses(struct report *p, json_t *counts, uint64_t *all, uint64_t *ok)
{
    const char *key;
    json_t *value;

    json_object_foreach(counts, key, value)
    {
        uint64_t status, count = 0;

        if (!slice_to_u64(slice_str(key), &status) || status >= STATUS_MAX)
            report_fail(p, "\"%.40s\" is not a status", key);
        if (!json_count_at(p, counts, key, &count))
            report_fail(p, "\"%.40s\" must be a count", key);
        if (p->failed)
            return;
        if (status > 0)
            report_status(p, (unsigned)status, count);
        else
            report_seen(p, count, "no status");
        *all += count;
        *ok += status >= 200 && status < 400 ? count : 0;
    }
}

bool json_has_keys(struct slice head, const char *const *keys, size_t count)
{
    char quoted[64];

    head = slice_trim(head);
    while (head.len > 0 && (head.ptr[0] == '\n' || head.ptr[0] == '\r' || head.ptr[0] == ' '))
        head = slice_drop(head, 1);
    if (!slice_starts(head, SLICE("{")))
        return false;
    for (size_t i = 0; i < count; i++) {
        snprintf(quoted, sizeof(quoted), "\"%s\"", keys[i]);
        if (!printed_contain(head, quoted))
            return false;
    }
    return true;
}
