/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "result/side_parts.h"

static const char *path_of(const char *url)
{
    const char *authority = url != NULL ? strstr(url, "://") : NULL;
    const char *path = authority != NULL ? strchr(authority + 3, '/') : NULL;

    return path != NULL ? path : "/";
}

static bool is_only_one(const struct result *result, const char *path)
{
    size_t n = 0;

    for (size_t i = 0; i < result->target_count; i++)
        n += strcmp(path_of(result->targets[i].url), path) == 0;
    return n == 1;
}

static bool add_name(struct record *r, const struct result *result, const struct target_result *t)
{
    const char *path = path_of(t->url), *url = t->url != NULL ? t->url : "";
    struct buf name;
    bool ok;

    buf_init(&name, BUF_TEXT_MAX_BYTES);
    if (is_only_one(result, path))
        buf_add_str(&name, path);
    else
        buf_printf(&name, "%s %s", t->method != NULL ? t->method : "", url);
    ok = buf_ok(&name) && record_add_fact(r, FACT_CELL, "target", name.data);
    buf_release(&name);
    return ok;
}

static bool add_target(struct side *s, const struct result *result, const struct target_result *t, const char *source)
{
    struct record *r = side_add(s, source);

    if (r == NULL || !add_name(r, result, t) || !side_add_run_facts(r, result))
        return false;
    r->requests = t->totals.started;
    r->failures = t->totals.failed;
    return record_add_metric(r, "requests_per_s", t->totals.requests_per_s, true, false) &&
           side_add_times(r, "latency", t->latency, result) &&
           side_add_times(r, "service_time", t->service_time, result) && side_add_error_share(r, &t->totals) &&
           side_add_errors(r, t->errors, t->error_count) && side_add_statuses(r, t->status) &&
           side_add_reason(r, result);
}

bool side_add_targets(struct side *s, const struct result *result, const char *source)
{
    for (size_t i = 0; i < result->target_count; i++)
        if (!add_target(s, result, &result->targets[i], source))
            return false;
    return true;
}
