/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "result/result.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "result/json_out.h"

#define MESSAGE_MAX_BYTES 4096u
#define CONFIG_MAX_BYTES (1u << 20)
#define CONFIG_MAX_DEPTH 16u

int result_new(struct result **out, struct err *err)
{
    struct result *r = calloc(1, sizeof(*r));

    *out = NULL;
    if (r == NULL)
        return err_set(err, ERR_SYSTEM, errno, "cannot make a result");
    r->kind = slice_dup(SLICE("load"));
    if (r->kind == NULL) {
        err_set(err, ERR_SYSTEM, errno, "cannot make a result");
        goto fail;
    }
    if (hist_new(&r->latency, err) < 0 || hist_new(&r->service_time, err) < 0)
        goto fail;
    uuid_make(r->id);
    clock_format_rfc3339(r->started, clock_wall_ns());
    host_info_fill(&r->host);
    r->valid = true;
    *out = r;
    return 0;
fail:
    result_free(r);
    return -1;
}

int result_make_rounds(struct result *r, struct err *err)
{
    char *kind = slice_dup(SLICE("rounds"));

    if (kind == NULL)
        return err_set(err, ERR_SYSTEM, errno, "cannot make a result");
    if (rounds_result_new(&r->rounds, err) != 0) {
        free(kind);
        return -1;
    }
    free(r->kind);
    r->kind = kind;
    return 0;
}

static void errors_free(struct error_entry *errors, size_t count)
{
    for (size_t i = 0; errors != NULL && i < count; i++) {
        free(errors[i].detail);
        free(errors[i].first);
    }
    free(errors);
}

static void targets_free(struct target_result *targets, size_t count)
{
    for (size_t i = 0; targets != NULL && i < count; i++) {
        free(targets[i].url);
        free(targets[i].method);
        hist_free(targets[i].latency);
        hist_free(targets[i].service_time);
        errors_free(targets[i].errors, targets[i].error_count);
    }
    free(targets);
}

static void intervals_free(struct interval *intervals, size_t count)
{
    for (size_t i = 0; intervals != NULL && i < count; i++)
        interval_release(&intervals[i]);
    free(intervals);
}

static void addresses_free(struct address_entry *addresses, size_t count)
{
    for (size_t i = 0; addresses != NULL && i < count; i++)
        free(addresses[i].address);
    free(addresses);
}

static void config_free(struct config_entry *config, size_t count)
{
    for (size_t i = 0; config != NULL && i < count; i++) {
        free(config[i].name);
        free(config[i].json);
    }
    free(config);
}

static void promises_free(struct promise *promises, size_t count)
{
    for (size_t i = 0; promises != NULL && i < count; i++)
        free(promises[i].clause);
    free(promises);
}

static void generator_release(struct generator_health *g)
{
    strlist_release(&g->reasons);
    free(g->cpu_per_worker);
    hist_free(g->loop_lag);
    hist_free(g->send_lateness);
}

static void sample_release(struct result *r)
{
    free(r->run);
    for (size_t i = 0; i < r->cell_count; i++) {
        free(r->cell[i].name);
        free(r->cell[i].value);
    }
    for (size_t i = 0; i < r->metric_count; i++) {
        free(r->metrics[i].name);
        free(r->metrics[i].unit);
    }
    for (size_t i = 0; i < r->seen_count; i++)
        free(r->seen[i].what);
    free(r->cell);
    free(r->metrics);
    free(r->seen);
}

static void parts_free(struct result_part *parts, size_t count)
{
    for (size_t i = 0; parts != NULL && i < count; i++) {
        free(parts[i].share);
        strlist_release(&parts[i].command);
    }
    free(parts);
}

void result_free(struct result *r)
{
    if (r == NULL)
        return;
    free(r->name);
    free(r->kind);
    strlist_release(&r->labels);
    strlist_release(&r->reasons);
    strlist_release(&r->warnings);
    strlist_release(&r->command);
    config_free(r->config, r->config_count);
    hist_free(r->latency);
    hist_free(r->service_time);
    for (size_t i = 0; i < CLASSES; i++)
        hist_free(r->by_class[i]);
    for (size_t i = 0; i < PHASES; i++)
        hist_free(r->phases[i]);
    errors_free(r->errors, r->error_count);
    addresses_free(r->addresses, r->address_count);
    intervals_free(r->intervals, r->interval_count);
    targets_free(r->targets, r->target_count);
    watched_free(r->watched, r->watched_count);
    generator_release(&r->generator);
    promises_free(r->promises, r->promise_count);
    free(r->percentiles);
    free(r->tls_version);
    free(r->tls_cipher);
    parts_free(r->parts, r->part_count);
    hist_free(r->tls_full);
    hist_free(r->tls_resumed);
    rounds_result_free(r->rounds);
    sample_release(r);
    free(r);
}

/* Said once: judging twice does not repeat itself. */
static bool __attribute__((format(printf, 2, 0))) add_message(struct strlist *to, const char *fmt, va_list args)
{
    struct buf text;
    bool ok;

    buf_init(&text, MESSAGE_MAX_BYTES);
    buf_vprintf(&text, fmt, args);
    ok = buf_ok(&text) && (strlist_contains(to, buf_slice(&text)) || strlist_add(to, buf_slice(&text)));
    buf_release(&text);
    return ok;
}

bool result_add_reason(struct result *r, const char *fmt, ...)
{
    va_list args;
    bool ok;

    va_start(args, fmt);
    ok = add_message(&r->reasons, fmt, args);
    va_end(args);
    return ok;
}

bool result_add_warning(struct result *r, const char *fmt, ...)
{
    va_list args;
    bool ok;

    va_start(args, fmt);
    ok = add_message(&r->warnings, fmt, args);
    va_end(args);
    return ok;
}

static struct config_entry *find_config(struct result *r, const char *name)
{
    for (size_t i = 0; i < r->config_count; i++)
        if (strcmp(r->config[i].name, name) == 0)
            return &r->config[i];
    return NULL;
}

static struct config_entry *append_config(struct result *r, const char *name)
{
    struct config_entry *grown = reallocarray(r->config, r->config_count + 1, sizeof(*grown));
    char *copy = NULL;

    if (grown == NULL)
        return NULL;
    r->config = grown;
    copy = slice_dup(slice_str(name));
    if (copy == NULL)
        return NULL;
    grown[r->config_count] = (struct config_entry){ .name = copy };
    return &grown[r->config_count++];
}

/* Takes json over; a name that is there already gets the new value. */
static bool set_config(struct result *r, const char *name, char *json)
{
    struct config_entry *entry = NULL;

    if (json != NULL)
        entry = find_config(r, name);
    if (json != NULL && entry == NULL)
        entry = append_config(r, name);
    if (entry == NULL) {
        free(json);
        return false;
    }
    free(entry->json);
    entry->json = json;
    return true;
}

/* The value as this room writes JSON, so that a document read back and written again is the same. */
static char *canonical_json(struct slice text)
{
    json_t *value = json_loadb(text.ptr, text.len, JSON_DECODE_ANY, NULL);
    struct buf out;
    char *canonical = NULL;

    if (value == NULL)
        return NULL;
    buf_init(&out, 2 * CONFIG_MAX_BYTES);
    if (json_add_value(&out, value, CONFIG_MAX_DEPTH) == 0)
        canonical = buf_detach(&out);
    json_decref(value);
    buf_release(&out);
    return canonical;
}

bool result_add_config(struct result *r, const char *name, const char *fmt_json, ...)
{
    struct buf text;
    va_list args;
    char *json = NULL;

    buf_init(&text, CONFIG_MAX_BYTES);
    va_start(args, fmt_json);
    buf_vprintf(&text, fmt_json, args);
    va_end(args);
    if (buf_ok(&text))
        json = canonical_json(buf_slice(&text));
    buf_release(&text);
    return set_config(r, name, json);
}

bool result_add_config_string(struct result *r, const char *name, const char *value)
{
    struct buf text;
    char *json = NULL;

    buf_init(&text, CONFIG_MAX_BYTES);
    if (value == NULL)
        buf_add_str(&text, "null");
    else
        json_add_quoted(&text, slice_str(value));
    json = buf_detach(&text);
    buf_release(&text);
    return set_config(r, name, json);
}
