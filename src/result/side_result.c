/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "result/side_parts.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/buf.h"
#include "stats/summary.h"

/* Members of config that say what was offered; the others say how it was measured. */
static const char *const WORKLOAD[] = {
    "connections",  "requests_per_connection",
    "rate_per_s",   "rate",
    "arrivals",     "model",
    "stages",       "think_s",
    "think",        "ramp_up_s",
    "http_version", "method",
    "headers",      "body_bytes",
    "body_file",    "authorization",
};
/* Differ from run to run and say nothing. */
static const char *const IGNORED[] = { "seed" };

static bool is_in(const char *const *list, size_t n, const char *name)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(list[i], name) == 0)
            return true;
    return false;
}
#define IS_IN(list, name) is_in(list, sizeof(list) / sizeof((list)[0]), name)

/* A JSON text as people write it: without the quotes. */
static char *plain(const char *json)
{
    const struct slice s = slice_str(json);

    return s.len >= 2 && json[0] == '"' ? slice_dup(slice_from(json + 1, s.len - 2)) : slice_dup(s);
}

static bool add_config(struct record *r, const struct result *result)
{
    for (size_t i = 0; i < result->config_count; i++) {
        const struct config_entry *c = &result->config[i];
        char *value = NULL;
        bool ok;

        if (IS_IN(IGNORED, c->name) || strcmp(c->json, "null") == 0)
            continue;
        value = plain(c->json);
        ok = value != NULL &&
             record_add_fact(r, IS_IN(WORKLOAD, c->name) ? FACT_WORKLOAD : FACT_SETTING, c->name, value);
        free(value);
        if (!ok)
            return false;
    }
    return true;
}

static bool add_label(struct record *r, const char *label)
{
    const char *equals = strchr(label, '=');
    char *name = equals != NULL ? slice_dup(slice_from(label, (size_t)(equals - label))) : strdup(label);
    const char *value = equals != NULL ? equals + 1 : "";
    uint64_t round;
    bool ok = name != NULL;

    if (ok && strcmp(name, "session") == 0) {
        ok = record_set_session(r, value);
    } else if (ok && strcmp(name, "round") == 0 && slice_to_u64(slice_str(value), &round) && round <= UINT32_MAX) {
        r->has_round = true;
        r->round = (uint32_t)round;
    } else if (ok) {
        ok = record_add_fact(r, FACT_LABEL, name, value);
    }
    free(name);
    return ok;
}

/* http://host/path of one target; of several, how many and the first. */
static bool add_targets(struct record *r, const struct result *result)
{
    const char *url = result->target_count > 0 ? result->targets[0].url : NULL;
    const char *authority = url != NULL ? strstr(url, "://") : NULL;
    const char *path = authority != NULL ? strchr(authority + 3, '/') : NULL;
    char text[32], *host;
    bool ok;

    if (url == NULL)
        return true;
    host = path != NULL ? slice_dup(slice_from(url, (size_t)(path - url))) : strdup(url);
    snprintf(text, sizeof(text), "%zu", result->target_count);
    ok = host != NULL && record_add_fact(r, FACT_PLACE, "target", host) &&
         record_add_fact(r, FACT_PLACE, "path", path != NULL ? path : "/") &&
         (result->target_count == 1 || record_add_fact(r, FACT_WORKLOAD, "targets", text));
    free(host);
    return ok;
}

static bool add_host(struct record *r, const struct host_info *h)
{
    char cpus[32], memory[32];

    if (h->hostname[0] == '\0' && h->cpus == 0)
        return true;
    snprintf(cpus, sizeof(cpus), "%u", h->cpus);
    snprintf(memory, sizeof(memory), "%" PRIu64, h->memory_bytes);
    return record_add_fact(r, FACT_HOST, "hostname", h->hostname) &&
           record_add_fact(r, FACT_HOST, "kernel", h->kernel) && record_add_fact(r, FACT_HOST, "cpu", h->cpu) &&
           record_add_fact(r, FACT_HOST, "cpus", cpus) && record_add_fact(r, FACT_HOST, "memory_bytes", memory) &&
           record_add_fact(r, FACT_HOST, "tool_version", h->tool_version);
}

static bool add_time(struct record *r, const char *of, const char *what, double ns)
{
    char name[64];

    snprintf(name, sizeof(name), "%s_%s", of, what);
    return record_add_metric(r, name, ns / 1e9, false, false);
}

bool side_add_times(struct record *r, const char *of, const struct hist *h, const struct result *result)
{
    char key[SUMMARY_KEY_MAX];
    bool ok = true;

    if (hist_count(h) == 0)
        return true;
    ok = add_time(r, of, "mean", hist_mean_ns(h)) && add_time(r, of, "min", (double)hist_min_ns(h)) &&
         add_time(r, of, "max", (double)hist_max_ns(h));
    for (size_t i = 0; ok && i < RESULT_PERCENTILE_COUNT; i++)
        ok = add_time(r, of, summary_percentile_key(key, RESULT_PERCENTILES[i]),
                      (double)hist_value_at(h, RESULT_PERCENTILES[i]));
    for (size_t i = 0; ok && i < result->percentile_count; i++) {
        summary_percentile_key(key, result->percentiles[i]);
        ok = add_time(r, of, key, (double)hist_value_at(h, result->percentiles[i]));
    }
    return ok;
}

/* Those of a sample that have no place of their own. */
static bool add_named(struct record *r, const struct result *result)
{
    bool ok = true;

    for (size_t i = 0; i < result->metric_count && ok; i++) {
        const struct named_figure *m = &result->metrics[i];

        ok = record_metric(r, m->name) != NULL ||
             record_add_metric(r, m->name, m->value, m->higher_is_better, strcmp(m->unit, "share") == 0);
    }
    return ok;
}

/* "cpu_s_per_request@gateway" and the like. */
static bool add_of_part(struct record *r, const char *what, const struct watched *w, double value)
{
    struct buf name;
    bool ok = true;

    buf_init(&name, BUF_TEXT_MAX_BYTES);
    buf_printf(&name, "%s@%s", what, w->name);
    if (isfinite(value))
        ok = buf_ok(&name) && record_add_metric(r, name.data, value, false, false);
    buf_release(&name);
    return ok;
}

static bool add_watched(struct record *r, const struct result *result)
{
    const uint64_t ended = result->totals.ok + result->totals.failed;
    bool ok = true;

    for (size_t i = 0; i < result->watched_count && ok; i++) {
        const struct watched *w = &result->watched[i];

        ok = ended == 0 || add_of_part(r, "cpu_s_per_request", w, watched_cpu_s(w, result->duration_s) / (double)ended);
        for (size_t k = 0; k < w->figure_count && ok; k++)
            ok = add_of_part(r, w->figures[k].name, w, w->figures[k].mean);
    }
    return ok;
}

bool side_add_error_share(struct record *r, const struct totals *t)
{
    if (t->started == 0 || !totals_has(t, TOTAL_FAILED))
        return true;
    return record_add_metric(r, "error_share", (double)t->failed / (double)t->started, false, true);
}

static bool add_metrics(struct record *r, const struct result *result)
{
    const struct totals *t = &result->totals;

    r->requests = t->started;
    r->failures = t->failed;
    return (!totals_has(t, TOTAL_REQUESTS_PER_S) ||
            record_add_metric(r, "requests_per_s", t->requests_per_s, true, false)) &&
           side_add_times(r, "latency", result->latency, result) &&
           side_add_times(r, "service_time", result->service_time, result) && side_add_error_share(r, t) &&
           add_named(r, result);
}

static bool add_cell(struct record *r, const struct result *result)
{
    bool ok = true;

    for (size_t i = 0; i < result->cell_count && ok; i++)
        ok = record_add_fact(r, FACT_CELL, result->cell[i].name, result->cell[i].value);
    return ok;
}

static bool add_seen(struct record *r, const struct result *result)
{
    bool ok = true;

    for (size_t i = 0; i < result->seen_count && ok; i++)
        ok = record_add_sighting(r, result->seen[i].what, result->seen[i].count);
    return ok;
}

bool side_add_errors(struct record *r, const struct error_entry *errors, size_t count)
{
    struct buf text;
    bool ok = true;

    buf_init(&text, BUF_TEXT_MAX_BYTES);
    for (size_t i = 0; i < count && ok; i++) {
        const struct error_entry *e = &errors[i];

        buf_clear(&text);
        buf_add_str(&text, fail_kind_text(e->kind));
        if (e->detail != NULL && e->detail[0] != '\0' && strcmp(e->detail, fail_kind_text(e->kind)) != 0)
            buf_printf(&text, " (%s)", e->detail);
        ok = buf_ok(&text) && record_add_sighting(r, text.data, e->count);
    }
    buf_release(&text);
    return ok;
}

bool side_add_statuses(struct record *r, const uint64_t status[STATUS_MAX])
{
    uint64_t classes[10] = { 0 };
    char text[32];

    for (size_t i = 0; i < STATUS_MAX; i++)
        classes[i / 100] += status[i];
    for (unsigned i = 0; i < 10; i++) {
        snprintf(text, sizeof(text), "status %uxx", i);
        if (classes[i] > 0 && !record_add_sighting(r, text, classes[i]))
            return false;
    }
    return true;
}

bool side_add_reason(struct record *r, const struct result *result)
{
    r->valid = result->valid;
    if (result->reasons.count > 0)
        return record_set_reason(r, result->reasons.items[0]);
    if (result->warnings.count > 0)
        return record_set_reason(r, result->warnings.items[0]);
    return !result->interrupted || record_set_reason(r, "interrupted");
}

bool side_add_run_facts(struct record *r, const struct result *result)
{
    bool ok = true;

    snprintf(r->id, sizeof(r->id), "%s", result->id);
    snprintf(r->started, sizeof(r->started), "%s", result->started);
    for (size_t i = 0; i < result->labels.count && ok; i++)
        ok = add_label(r, result->labels.items[i]);
    return ok && add_config(r, result) && add_host(r, &result->host) &&
           (result->name == NULL || result->name[0] == '\0' || record_add_fact(r, FACT_LABEL, "name", result->name));
}

bool side_add_result(struct side *s, const struct result *result, const char *source)
{
    struct record *r;

    if (result->rounds != NULL)
        return side_add_all_rounds(s, result, source);
    r = side_add(s, source);
    return r != NULL && add_cell(r, result) && side_add_run_facts(r, result) && add_targets(r, result) &&
           add_metrics(r, result) && add_watched(r, result) &&
           side_add_errors(r, result->errors, result->error_count) && side_add_statuses(r, result->status) &&
           add_seen(r, result) && side_add_reason(r, result);
}
