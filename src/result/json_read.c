/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "result/result.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "result/json_in.h"
#include "result/json_memory.h"
#include "result/json_out.h"
#include "result/json_parts.h"
#include "result/json_parse.h"
#include "result/json_rounds.h"
#include "result/json_sample.h"
#include "result/json_watched.h"
#include "stats/hist_codec.h"

/* What a document may hold at most: far above any real run, low enough that a hostile one can not eat the machine. */
#define DOCUMENT_MAX_BYTES ((size_t)1 << 30)
#define LIST_MAX 65536u
#define INTERVALS_MAX 1000000u
#define PERCENTILES_MAX 100u
#define CONFIG_MAX_DEPTH 16u
#define FORMAT_VERSION 1

static uint64_t nanoseconds(double s)
{
    return s > 0 && s <= (double)HIST_MAX_NS / NS_PER_S ? (uint64_t)llround(s * NS_PER_S) : 0;
}

static int set_exact(struct json_in *in, const json_t *latency, struct hist *h)
{
    const uint64_t sum_ns = json_in_u64(in, latency, "sum_ns");
    const double min_s = json_in_double(in, latency, "min");
    const double max_s = json_in_double(in, latency, "max");

    return in->failed ? 0 : hist_set_exact(h, sum_ns, nanoseconds(min_s), nanoseconds(max_s), in->err);
}

/* The slots come from "hdr", the exact figures that it can not carry from their own members. */
static struct hist *read_slots(struct json_in *in, const json_t *latency)
{
    const char *hdr = json_in_text(in, latency, "hdr");
    const uint64_t count = json_in_u64(in, latency, "count");
    struct hist *h = NULL;

    if (hdr == NULL)
        json_in_fail(in, "a latency without \"hdr\"");
    if (in->failed)
        return NULL;
    if (hist_decode_v2(&h, slice_str(hdr), in->err) < 0) {
        json_in_refused(in);
        return NULL;
    }
    if (hist_count(h) != count)
        json_in_fail(in, "\"count\" and \"hdr\" of a latency disagree");
    if (!in->failed && set_exact(in, latency, h) < 0)
        json_in_refused(in);
    return h;
}

/* NULL for null and absent ones. */
static struct hist *read_latency(struct json_in *in, const json_t *object, const char *key)
{
    const json_t *latency = json_in_object(in, object, key);
    const uint64_t overflow = json_in_u64(in, latency, "overflow");
    struct hist *h = NULL;

    if (latency == NULL || in->failed)
        return NULL;
    if (json_in_u64(in, latency, "count") > 0) {
        h = read_slots(in, latency);
    } else if (hist_new(&h, in->err) < 0) {
        in->failed = true;
    }
    if (h != NULL && overflow > 0)
        hist_record_n(h, HIST_MAX_NS + 1, overflow);
    return h;
}

/* For histograms that a result always has: stays the empty one when the document has null. */
static void read_latency_into(struct json_in *in, const json_t *object, const char *key, struct hist **h)
{
    struct hist *read = read_latency(in, object, key);

    if (read == NULL)
        return;
    hist_free(*h);
    *h = read;
}

static void read_labels(struct json_in *in, const json_t *document, struct strlist *out)
{
    json_t *labels = json_in_object(in, document, "labels");
    const char *key;
    json_t *value;

    if (json_object_size(labels) > LIST_MAX)
        json_in_fail(in, "too many labels");
    json_object_foreach(labels, key, value)
    {
        struct buf text;

        if (!json_is_string(value))
            json_in_fail(in, "label \"%s\" must be a string", key);
        if (in->failed)
            return;
        buf_init(&text, DOCUMENT_MAX_BYTES);
        buf_printf(&text, "%s=%s", key, json_string_value(value));
        if (!buf_ok(&text) || !strlist_add(out, buf_slice(&text)))
            json_in_no_memory(in);
        buf_release(&text);
    }
}

static char *read_config_value(struct json_in *in, json_t *value)
{
    struct buf text;
    char *json = NULL;

    buf_init(&text, SIZE_MAX);
    if (json_add_value(&text, value, CONFIG_MAX_DEPTH) < 0)
        json_in_fail(in, "a value is nested too deeply");
    else
        json = buf_detach(&text);
    buf_release(&text);
    return json;
}

/* "2/3". Who merges relies on it, and it may have been written by hand. */
static void check_share(struct json_in *in, const json_t *config)
{
    const char *share = json_in_text(in, config, "share");
    uint64_t which, of;

    if (share != NULL && !result_share_parse(share, &which, &of))
        json_in_fail(in, "\"share\" must be I/N, as in 2/3, not \"%.40s\"", share);
}

static void read_config(struct json_in *in, const json_t *document, struct result *r)
{
    json_t *config = json_in_object(in, document, "config");
    const char *key;
    json_t *value;

    in->where = "config";
    check_share(in, config);
    if (in->failed || json_object_size(config) == 0)
        return;
    if (json_object_size(config) > LIST_MAX) {
        json_in_fail(in, "too many entries");
        return;
    }
    r->config = calloc(json_object_size(config), sizeof(*r->config));
    if (r->config == NULL) {
        json_in_no_memory(in);
        return;
    }
    json_object_foreach(config, key, value)
    {
        struct config_entry *entry = &r->config[r->config_count++];

        entry->name = slice_dup(slice_str(key));
        entry->json = read_config_value(in, value);
        if (!in->failed && (entry->name == NULL || entry->json == NULL))
            json_in_no_memory(in);
        if (in->failed)
            return;
    }
}

static void read_warmup(struct json_in *in, const json_t *document, struct warmup_totals *t)
{
    const json_t *warmup = json_in_object(in, document, "warmup");

    in->where = "warmup";
    t->duration_s = json_in_length(in, warmup, "duration_s");
    t->started = json_in_u64(in, warmup, "started");
    t->sent = json_in_u64(in, warmup, "sent");
    t->ok = json_in_u64(in, warmup, "ok");
    t->failed = json_in_u64(in, warmup, "failed");
    t->unfinished = json_in_u64(in, warmup, "unfinished");
    t->retried = json_in_u64(in, warmup, "retried");
}

static void read_status(struct json_in *in, const json_t *object, uint64_t status[STATUS_MAX])
{
    json_t *counts = json_in_object(in, object, "status");
    const char *key;
    json_t *value;

    in->where = "status";
    json_object_foreach(counts, key, value)
    {
        uint64_t code = 0;

        if (!slice_to_u64(slice_str(key), &code) || code >= STATUS_MAX) {
            json_in_fail(in, "\"%s\" is not a status", key);
            return;
        }
        status[code] = json_in_u64(in, counts, key);
    }
}

static void read_error(struct json_in *in, const json_t *object, struct error_entry *e)
{
    const char *kind = json_in_text(in, object, "kind");

    if (fail_kind_parse(&e->kind, slice_str(kind)) < 0)
        json_in_fail(in, "\"%s\" is not a kind of failure", kind != NULL ? kind : "");
    e->detail = json_in_dup(in, object, "detail");
    e->count = json_in_u64(in, object, "count");
    e->first = json_in_dup(in, object, "first");
    e->first_at_s = json_in_seconds(in, object, "first_at_s");
    e->last_at_s = json_in_seconds(in, object, "last_at_s");
}

static void read_errors(struct json_in *in, const json_t *object, struct error_entry **out, size_t *count)
{
    const json_t *array = json_in_array(in, object, "errors", LIST_MAX);

    in->where = "errors";
    *out = json_in_alloc(in, array, sizeof(**out));
    for (size_t i = 0; *out != NULL && i < json_array_size(array) && !in->failed; i++)
        read_error(in, json_in_element(in, array, i), &(*out)[(*count)++]);
}

static void read_addresses(struct json_in *in, const json_t *document, struct result *r)
{
    const json_t *array = json_in_array(in, document, "addresses", LIST_MAX);

    in->where = "addresses";
    r->addresses = json_in_alloc(in, array, sizeof(*r->addresses));
    for (size_t i = 0; r->addresses != NULL && i < json_array_size(array) && !in->failed; i++) {
        const json_t *object = json_in_element(in, array, i);
        struct address_entry *a = &r->addresses[r->address_count++];

        a->address = json_in_dup(in, object, "address");
        a->connections = json_in_u64(in, object, "connections");
        a->requests = json_in_u64(in, object, "requests");
        a->failed_connects = json_in_u64(in, object, "failed_connects");
    }
}

static void read_interval_latency(struct json_in *in, const json_t *object, struct interval *v)
{
    struct hist *h = read_latency(in, object, "latency");

    if (!in->failed && interval_set_latency(v, h, in->err) != 0)
        in->failed = true;
    hist_free(h);
}

static void read_kinds(struct json_in *in, const json_t *object, struct interval *v)
{
    json_t *kinds = json_in_object(in, object, "errors"), *count;
    const char *name;

    if (kinds == NULL)
        return;
    v->by_kind = calloc(FAIL_KINDS, sizeof(*v->by_kind));
    if (v->by_kind == NULL)
        json_in_no_memory(in);
    in->where = "errors of an interval";
    json_object_foreach(kinds, name, count)
    {
        enum fail_kind kind;

        if (in->failed)
            return;
        if (fail_kind_parse(&kind, slice_str(name)) != 0)
            json_in_fail(in, "\"%.40s\" is no kind of error", name);
        else
            v->by_kind[kind] = json_in_u64(in, kinds, name);
    }
    in->where = "intervals";
}

static void read_intervals(struct json_in *in, const json_t *document, struct result *r)
{
    const json_t *array = json_in_array(in, document, "intervals", INTERVALS_MAX);

    in->where = "intervals";
    r->intervals = json_in_alloc(in, array, sizeof(*r->intervals));
    for (size_t i = 0; r->intervals != NULL && i < json_array_size(array) && !in->failed; i++) {
        const json_t *object = json_in_element(in, array, i);
        struct interval *v = &r->intervals[r->interval_count++];

        v->t_s = json_in_seconds(in, object, "t_s");
        v->length_s = json_in_length(in, object, "length_s");
        v->started = json_in_u64(in, object, "started");
        v->ok = json_in_u64(in, object, "ok");
        v->failed = json_in_u64(in, object, "failed");
        read_kinds(in, object, v);
        v->bytes = json_in_u64(in, object, "bytes");
        v->in_flight = json_in_double(in, object, "in_flight");
        read_interval_latency(in, object, v);
    }
}

static void read_target(struct json_in *in, const json_t *object, struct target_result *t, bool import)
{
    t->url = json_in_dup(in, object, "url");
    t->method = json_in_dup(in, object, "method");
    json_read_totals(in, object, &t->totals, import);
    in->where = "targets";
    t->latency = read_latency(in, object, "latency");
    t->service_time = read_latency(in, object, "service_time");
    read_status(in, object, t->status);
    read_errors(in, object, &t->errors, &t->error_count);
}

static void read_targets(struct json_in *in, const json_t *document, struct result *r)
{
    const json_t *array = json_in_array(in, document, "targets", LIST_MAX);

    in->where = "targets";
    r->targets = json_in_alloc(in, array, sizeof(*r->targets));
    for (size_t i = 0; r->targets != NULL && i < json_array_size(array) && !in->failed; i++)
        read_target(in, json_in_element(in, array, i), &r->targets[r->target_count++], result_is_import(r));
}

static void read_generator(struct json_in *in, const json_t *document, struct generator_health *g)
{
    const json_t *object = json_in_object(in, document, "generator");

    in->where = "generator";
    g->limited = json_in_bool(in, object, "limited");
    json_in_strings(in, object, "reasons", &g->reasons, LIST_MAX);
    g->workers = json_in_doubles(in, object, "cpu_per_worker", &g->cpu_per_worker, LIST_MAX);
    g->open_files_max = json_in_u64(in, object, "open_files_max");
    g->open_files_limit = json_in_u64(in, object, "open_files_limit");
    g->ports_used = json_in_u64(in, object, "ports_used");
    g->ports_available = json_in_u64(in, object, "ports_available");
    g->time_wait_start = json_in_u64(in, object, "time_wait_start");
    g->time_wait_end = json_in_u64(in, object, "time_wait_end");
    g->retransmits = json_in_u64(in, object, "retransmits");
    g->rate_asked = json_in_double(in, object, "rate_asked");
    g->rate_achieved = json_in_double(in, object, "rate_achieved");
    g->log_waits = json_in_u64(in, object, "log_waits");
    g->loop_lag = read_latency(in, object, "loop_lag");
    g->send_lateness = read_latency(in, object, "send_lateness");
}

static void read_histograms(struct json_in *in, const json_t *document, struct result *r)
{
    const json_t *classes = json_in_object(in, document, "latency_by_class");
    const json_t *phases = json_in_object(in, document, "phases");
    const json_t *tls = json_in_object(in, document, "tls");

    in->where = "latency";
    read_latency_into(in, document, "latency", &r->latency);
    in->where = "service_time";
    read_latency_into(in, document, "service_time", &r->service_time);
    in->where = "latency_by_class";
    for (unsigned i = 0; i < CLASSES; i++)
        r->by_class[i] = read_latency(in, classes, reply_class_text((enum reply_class)i));
    in->where = "phases";
    for (unsigned i = 0; i < PHASES; i++)
        r->phases[i] = read_latency(in, phases, phase_text((enum phase)i));
    in->where = "tls";
    r->tls_full = read_latency(in, tls, "full");
    r->tls_resumed = read_latency(in, tls, "resumed");
}

static void read_promises(struct json_in *in, const json_t *document, struct result *r)
{
    const json_t *array = json_in_array(in, document, "slo", LIST_MAX);

    in->where = "slo";
    r->promises = json_in_alloc(in, array, sizeof(*r->promises));
    for (size_t i = 0; r->promises != NULL && i < json_array_size(array) && !in->failed; i++) {
        const json_t *object = json_in_element(in, array, i);
        struct promise *p = &r->promises[r->promise_count++];

        p->clause = json_in_dup(in, object, "clause");
        p->kept = json_in_bool(in, object, "kept");
        p->limit = json_in_double(in, object, "limit");
        p->known = json_is_number(json_object_get(object, "observed"));
        p->observed = p->known ? json_in_double(in, object, "observed") : 0;
        if (promise_unit_parse(&p->unit, slice_str(json_in_text(in, object, "unit"))) != 0)
            json_in_fail(in, "\"unit\" of a promise is not known");
    }
}

static void read_format(struct json_in *in, const json_t *document)
{
    const char *format = json_in_text(in, document, "format");
    const uint64_t version = json_in_u64(in, document, "version");

    if (!json_is_object(document) || format == NULL || strcmp(format, "plimsoll-result") != 0)
        json_in_fail(in, "\"format\" is not \"plimsoll-result\"");
    else if (version != FORMAT_VERSION)
        json_in_fail(in, "its version is %llu, this program reads version %d", (unsigned long long)version,
                     FORMAT_VERSION);
    else if (!json_is_boolean(json_object_get(document, "valid")))
        json_in_fail(in, "\"valid\" is missing");
}

static void read_identity(struct json_in *in, const json_t *document, struct result *r)
{
    const json_t *tls = json_in_object(in, document, "tls");

    r->id[0] = '\0';
    r->started[0] = '\0';
    json_in_copy(in, document, "id", r->id, sizeof(r->id));
    json_in_copy(in, document, "started", r->started, sizeof(r->started));
    free(r->kind);
    r->kind = json_in_dup(in, document, "kind");
    r->name = json_in_dup(in, document, "name");
    read_labels(in, document, &r->labels);
    r->duration_s = json_in_length(in, document, "duration_s");
    r->ramp_s = json_in_length(in, document, "ramp_s");
    r->valid = json_in_bool(in, document, "valid");
    r->interrupted = json_in_bool(in, document, "interrupted");
    json_in_strings(in, document, "reasons", &r->reasons, LIST_MAX);
    json_in_strings(in, document, "warnings", &r->warnings, LIST_MAX);
    r->percentile_count = json_in_doubles(in, document, "percentiles", &r->percentiles, PERCENTILES_MAX);
    for (size_t i = 0; i < r->percentile_count; i++)
        if (!(r->percentiles[i] >= 0 && r->percentiles[i] <= 100))
            json_in_fail(in, "\"percentiles\" must be between 0 and 100");
    r->tls_version = json_in_dup(in, tls, "version");
    r->tls_cipher = json_in_dup(in, tls, "cipher");
}

static void read_document(struct json_in *in, const json_t *document, struct result *r)
{
    read_format(in, document);
    read_identity(in, document, r);
    json_read_parts(in, document, r);
    json_read_start(in, document, &r->start);
    read_config(in, document, r);
    json_read_sample(in, document, r);
    read_promises(in, document, r);
    read_warmup(in, document, &r->warmup);
    json_read_totals(in, document, &r->totals, result_is_import(r));
    json_read_watched(in, document, &r->watched, &r->watched_count);
    if (!in->failed && r->kind != NULL && strcmp(r->kind, "rounds") == 0) {
        r->rounds = json_read_rounds(in, document);
        return;
    }
    read_histograms(in, document, r);
    read_status(in, document, r->status);
    read_errors(in, document, &r->errors, &r->error_count);
    read_addresses(in, document, r);
    read_intervals(in, document, r);
    read_targets(in, document, r);
    read_generator(in, document, &r->generator);
}

static int read_text(struct result **out, struct slice json, struct err *err)
{
    struct json_in in = { .err = err, .where = "the document" };
    const json_t *document = json_parse_document(json, false, err);
    struct result *r = NULL;

    *out = NULL;
    if (document == NULL)
        return -1;
    if (result_new(&r, err) < 0)
        in.failed = true;
    if (!in.failed)
        read_document(&in, document, r);
    if (in.failed) {
        result_free(r);
        return -1;
    }
    *out = r;
    return 0;
}

int result_from_json(struct result **out, struct slice json, struct err *err)
{
    int failed;

    json_memory_begin();
    failed = read_text(out, json, err);
    json_memory_end();
    return failed;
}
