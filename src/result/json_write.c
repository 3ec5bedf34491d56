/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "result/result.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "result/json_out.h"
#include "result/json_parts.h"
#include "result/json_rounds.h"
#include "result/json_sample.h"
#include "result/json_watched.h"
#include "stats/hist_codec.h"
#include "stats/summary.h"

/* One document on its way out. The first failure is kept in err; later calls go on harmlessly. */
struct writer {
    struct json_out out;
    const struct result *result;
    struct err *err;
    bool failed;
};

#define KEYS_MAX 128 /* percentile keys of one latency object */

static double seconds(uint64_t ns)
{
    return (double)ns / NS_PER_S;
}

static void write_percentiles(struct writer *w, const struct hist *h)
{
    const struct result *r = w->result;
    char keys[KEYS_MAX][SUMMARY_KEY_MAX];
    uint64_t values[RESULT_PERCENTILE_MAX];
    size_t count = 0;

    hist_values_at(h, RESULT_PERCENTILES, RESULT_PERCENTILE_COUNT, values);

    for (size_t i = 0; i < RESULT_PERCENTILE_COUNT + r->percentile_count && count < KEYS_MAX; i++) {
        const double q = i < RESULT_PERCENTILE_COUNT ? RESULT_PERCENTILES[i]
                                                     : r->percentiles[i - RESULT_PERCENTILE_COUNT];
        bool written = false;

        summary_percentile_key(keys[count], q);
        for (size_t k = 0; k < count; k++)
            written = written || strcmp(keys[k], keys[count]) == 0;
        if (!written)
            json_out_double(&w->out, keys[count++],
                            seconds(i < RESULT_PERCENTILE_COUNT ? values[i] : hist_value_at(h, q)));
    }
}

static void write_hdr(struct writer *w, const struct hist *h)
{
    json_out_key(&w->out, "hdr");
    buf_add_char(w->out.buf, '"');
    if (!w->failed && hist_encode_v2(h, w->out.buf, w->err) < 0)
        w->failed = true;
    buf_add_char(w->out.buf, '"');
}

/* null when nothing was recorded; values above the histogram's range are counted in "overflow" alone. */
static void write_latency(struct writer *w, const char *key, const struct hist *h)
{
    struct json_out *o = &w->out;

    if (hist_count(h) == 0 && hist_overflow(h) == 0) {
        json_out_null(o, key);
        return;
    }
    json_out_open(o, key, '{');
    json_out_u64(o, "count", hist_count(h));
    if (hist_overflow(h) > 0)
        json_out_u64(o, "overflow", hist_overflow(h));
    if (hist_count(h) > 0) {
        json_out_u64(o, "sum_ns", hist_sum_ns(h));
        json_out_double(o, "mean", hist_mean_ns(h) / NS_PER_S);
        json_out_double(o, "stddev", hist_stddev_ns(h) / NS_PER_S);
        json_out_double(o, "min", seconds(hist_min_ns(h)));
        json_out_double(o, "max", seconds(hist_max_ns(h)));
        write_percentiles(w, h);
        write_hdr(w, h);
    }
    json_out_close(o, '}');
}

static void write_strings(struct writer *w, const char *key, const struct strlist *list)
{
    json_out_open(&w->out, key, '[');
    for (size_t i = 0; i < list->count; i++)
        json_out_string(&w->out, NULL, list->items[i]);
    json_out_close(&w->out, ']');
}

/* Given twice, the later value of a label stands. */
static bool label_is_repeated(const struct strlist *labels, size_t at, struct slice key)
{
    for (size_t i = at + 1; i < labels->count; i++) {
        struct slice rest = slice_str(labels->items[i]);

        if (slice_eq(slice_split(&rest, '='), key))
            return true;
    }
    return false;
}

static void write_labels(struct writer *w, const struct strlist *labels)
{
    struct json_out *o = &w->out;

    json_out_open(o, "labels", '{');
    for (size_t i = 0; i < labels->count; i++) {
        struct slice value = slice_str(labels->items[i]);
        const struct slice key = slice_split(&value, '=');
        char *name = NULL;

        if (label_is_repeated(labels, i, key))
            continue;
        name = slice_dup(key);
        if (name == NULL && !w->failed) {
            err_set(w->err, ERR_SYSTEM, errno, "cannot write the labels");
            w->failed = true;
        }
        json_out_key(o, name);
        json_add_quoted(o->buf, value);
        free(name);
    }
    json_out_close(o, '}');
}

static void write_host(struct writer *w, const struct host_info *h)
{
    struct json_out *o = &w->out;

    if (result_is_import(w->result) && h->hostname[0] == '\0') {
        json_out_null(o, "host");
        return;
    }
    json_write_host(o, "host", h);
}

static void write_config(struct writer *w)
{
    json_out_open(&w->out, "config", '{');
    for (size_t i = 0; i < w->result->config_count; i++)
        json_out_raw(&w->out, w->result->config[i].name, w->result->config[i].json);
    json_out_close(&w->out, '}');
}

static void write_warmup(struct writer *w, const struct warmup_totals *t)
{
    struct json_out *o = &w->out;

    if (result_is_import(w->result)) {
        json_out_null(o, "warmup");
        return;
    }
    json_out_open(o, "warmup", '{');
    json_out_double(o, "duration_s", t->duration_s);
    json_out_u64(o, "started", t->started);
    json_out_u64(o, "sent", t->sent);
    json_out_u64(o, "ok", t->ok);
    json_out_u64(o, "failed", t->failed);
    json_out_u64(o, "unfinished", t->unfinished);
    json_out_u64(o, "retried", t->retried);
    json_out_close(o, '}');
}

static void write_classes(struct writer *w)
{
    json_out_open(&w->out, "latency_by_class", '{');
    for (unsigned i = 0; i < CLASSES; i++) {
        const struct hist *h = w->result->by_class[i];

        if (hist_count(h) > 0 || hist_overflow(h) > 0)
            write_latency(w, reply_class_text((enum reply_class)i), h);
    }
    json_out_close(&w->out, '}');
}

static void write_phases(struct writer *w)
{
    json_out_open(&w->out, "phases", '{');
    for (unsigned i = 0; i < PHASES; i++)
        write_latency(w, phase_text((enum phase)i), w->result->phases[i]);
    json_out_close(&w->out, '}');
}

static void write_status(struct writer *w, const uint64_t status[STATUS_MAX])
{
    json_out_open(&w->out, "status", '{');
    for (unsigned i = 0; i < STATUS_MAX; i++) {
        char key[8];

        snprintf(key, sizeof(key), "%u", i);
        if (status[i] > 0)
            json_out_u64(&w->out, key, status[i]);
    }
    json_out_close(&w->out, '}');
}

static void write_errors(struct writer *w, const struct error_entry *errors, size_t count)
{
    struct json_out *o = &w->out;

    json_out_open(o, "errors", '[');
    for (size_t i = 0; i < count; i++) {
        json_out_open(o, NULL, '{');
        json_out_string(o, "kind", fail_kind_text(errors[i].kind));
        json_out_string(o, "detail", errors[i].detail != NULL ? errors[i].detail : "");
        json_out_u64(o, "count", errors[i].count);
        json_out_string(o, "first", errors[i].first);
        json_out_double(o, "first_at_s", errors[i].first_at_s);
        json_out_double(o, "last_at_s", errors[i].last_at_s);
        json_out_close(o, '}');
    }
    json_out_close(o, ']');
}

static void write_addresses(struct writer *w)
{
    struct json_out *o = &w->out;

    json_out_open(o, "addresses", '[');
    for (size_t i = 0; i < w->result->address_count; i++) {
        const struct address_entry *a = &w->result->addresses[i];

        json_out_open(o, NULL, '{');
        json_out_string(o, "address", a->address);
        json_out_u64(o, "connections", a->connections);
        json_out_u64(o, "requests", a->requests);
        json_out_u64(o, "failed_connects", a->failed_connects);
        json_out_close(o, '}');
    }
    json_out_close(o, ']');
}

static void write_intervals(struct writer *w)
{
    struct json_out *o = &w->out;
    struct hist *latency = NULL; /* of one interval at a time */

    if (w->result->interval_count > 0 && hist_new(&latency, w->err) != 0)
        w->failed = true;
    json_out_open(o, "intervals", '[');
    for (size_t i = 0; i < w->result->interval_count && !w->failed; i++) {
        const struct interval *v = &w->result->intervals[i];

        hist_reset(latency);
        if (interval_get_latency(v, latency, w->err) != 0) {
            w->failed = true;
            break;
        }
        json_out_open(o, NULL, '{');
        json_out_double(o, "t_s", v->t_s);
        json_out_double(o, "length_s", v->length_s);
        json_out_u64(o, "started", v->started);
        json_out_u64(o, "ok", v->ok);
        json_out_u64(o, "failed", v->failed);
        json_write_kinds(o, v->by_kind);
        json_out_u64(o, "bytes", v->bytes);
        json_out_double(o, "in_flight", v->in_flight);
        write_latency(w, "latency", latency);
        json_out_close(o, '}');
    }
    json_out_close(o, ']');
    hist_free(latency);
}

static void write_targets(struct writer *w)
{
    struct json_out *o = &w->out;

    json_out_open(o, "targets", '[');
    for (size_t i = 0; i < w->result->target_count; i++) {
        const struct target_result *t = &w->result->targets[i];

        json_out_open(o, NULL, '{');
        json_out_string(o, "url", t->url);
        json_out_string(o, "method", t->method);
        json_write_totals(&w->out, &t->totals, w->result->duration_s);
        write_latency(w, "latency", t->latency);
        write_latency(w, "service_time", t->service_time);
        write_status(w, t->status);
        write_errors(w, t->errors, t->error_count);
        json_out_close(o, '}');
    }
    json_out_close(o, ']');
}

static void write_p99(struct writer *w, const char *key, const struct hist *h)
{
    if (hist_count(h) > 0)
        json_out_double(&w->out, key, seconds(hist_value_at(h, 99)));
    else
        json_out_null(&w->out, key);
}

/* Zero stands for "not known" in the struct: null here. */
static void write_known(struct writer *w, const char *key, uint64_t value)
{
    if (value > 0)
        json_out_u64(&w->out, key, value);
    else
        json_out_null(&w->out, key);
}

static void write_rates(struct writer *w, const struct generator_health *g)
{
    if (g->rate_asked > 0) {
        json_out_double(&w->out, "rate_asked", g->rate_asked);
        json_out_double(&w->out, "rate_achieved", g->rate_achieved);
    } else {
        json_out_null(&w->out, "rate_asked");
        json_out_null(&w->out, "rate_achieved");
    }
}

static void write_generator(struct writer *w, const struct generator_health *g)
{
    struct json_out *o = &w->out;

    if (result_is_import(w->result)) {
        json_out_null(o, "generator");
        return;
    }
    json_out_open(o, "generator", '{');
    json_out_bool(o, "limited", g->limited);
    write_strings(w, "reasons", &g->reasons);
    json_out_doubles(o, "cpu_per_worker", g->cpu_per_worker, g->workers);
    write_p99(w, "loop_lag_p99", g->loop_lag);
    write_p99(w, "send_lateness_p99", g->send_lateness);
    json_out_u64(o, "open_files_max", g->open_files_max);
    write_known(w, "open_files_limit", g->open_files_limit);
    json_out_u64(o, "ports_used", g->ports_used);
    write_known(w, "ports_available", g->ports_available);
    json_out_u64(o, "time_wait_start", g->time_wait_start);
    json_out_u64(o, "time_wait_end", g->time_wait_end);
    json_out_u64(o, "retransmits", g->retransmits);
    write_rates(w, g);
    json_out_u64(o, "log_waits", g->log_waits);
    write_latency(w, "loop_lag", g->loop_lag);
    write_latency(w, "send_lateness", g->send_lateness);
    json_out_close(o, '}');
}

static void write_tls(struct writer *w)
{
    struct json_out *o = &w->out;

    if (w->result->tls_version == NULL) {
        json_out_null(o, "tls");
        return;
    }
    json_out_open(o, "tls", '{');
    json_out_string(o, "version", w->result->tls_version);
    json_out_string(o, "cipher", w->result->tls_cipher);
    write_latency(w, "full", w->result->tls_full);
    write_latency(w, "resumed", w->result->tls_resumed);
    json_out_close(o, '}');
}

/* Zero stands for "not known" in an import: null here. */
static void write_when(struct writer *w)
{
    const struct result *r = w->result;
    struct json_out *o = &w->out;
    const bool import = result_is_import(r);

    json_out_string(o, "started", import && r->started[0] == '\0' ? NULL : r->started);
    if (import && !(r->duration_s > 0))
        json_out_null(o, "duration_s");
    else
        json_out_double(o, "duration_s", r->duration_s);
    if (import)
        json_out_null(o, "ramp_s");
    else
        json_out_double(o, "ramp_s", r->ramp_s);
}

static void write_identity(struct writer *w)
{
    const struct result *r = w->result;
    struct json_out *o = &w->out;

    json_out_string(o, "format", "plimsoll-result");
    json_out_u64(o, "version", 1);
    json_out_string(o, "id", r->id);
    json_out_string(o, "name", r->name != NULL ? r->name : "");
    write_labels(w, &r->labels);
    json_out_string(o, "kind", r->kind != NULL ? r->kind : "");
    write_when(w);
    json_out_bool(o, "valid", r->valid);
    json_out_bool(o, "interrupted", r->interrupted);
    write_strings(w, "reasons", &r->reasons);
    write_strings(w, "warnings", &r->warnings);
    if (r->part_count > 0) {
        json_write_parts(&w->out, r);
    } else {
        write_strings(w, "command", &r->command);
        write_host(w, &r->host);
    }
    if (r->start.at[0] != '\0')
        json_write_start(o, &r->start);
    write_config(w);
    json_out_doubles(o, "percentiles", r->percentiles, r->percentile_count);
    write_tls(w);
}

static void write_promises(struct writer *w)
{
    struct json_out *o = &w->out;

    json_out_open(o, "slo", '[');
    for (size_t i = 0; i < w->result->promise_count; i++) {
        const struct promise *p = &w->result->promises[i];

        json_out_open(o, NULL, '{');
        json_out_string(o, "clause", p->clause);
        json_out_bool(o, "kept", p->kept);
        json_out_string(o, "unit", promise_unit_text(p->unit));
        json_out_double(o, "limit", p->limit);
        if (p->known)
            json_out_double(o, "observed", p->observed);
        else
            json_out_null(o, "observed");
        json_out_close(o, '}');
    }
    json_out_close(o, ']');
}

static void write_watched(struct writer *w)
{
    const struct result *r = w->result;

    json_write_watched(&w->out, r->watched, r->watched_count, r->duration_s, r->totals.ok + r->totals.failed);
}

/* What every kind but "rounds" has. */
static void write_requests(struct writer *w)
{
    const struct result *r = w->result;

    write_latency(w, "latency", r->latency);
    write_latency(w, "service_time", r->service_time);
    write_classes(w);
    write_phases(w);
    write_status(w, r->status);
    write_errors(w, r->errors, r->error_count);
    write_addresses(w);
    write_intervals(w);
    write_targets(w);
    write_watched(w);
    write_generator(w, &r->generator);
}

static void write_document(struct writer *w)
{
    const struct result *r = w->result;

    json_out_open(&w->out, NULL, '{');
    write_identity(w);
    json_write_sample(&w->out, r);
    write_promises(w);
    write_warmup(w, &r->warmup);
    json_write_totals(&w->out, &r->totals, r->duration_s);
    if (r->rounds == NULL)
        write_requests(w);
    else
        json_write_rounds(&w->out, r->rounds);
    if (r->rounds != NULL && r->watched_count > 0)
        write_watched(w);
    json_out_close(&w->out, '}');
    buf_add_char(w->out.buf, '\n');
}

int result_to_json(const struct result *r, struct buf *out, struct err *err)
{
    struct writer w = { .out = { .buf = out }, .result = r, .err = err };

    write_document(&w);
    if (w.failed)
        return -1;
    if (!buf_ok(out))
        return err_set(err, ERR_SYSTEM, 0, "the result document is too large or memory ran out");
    return 0;
}
