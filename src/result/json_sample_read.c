/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "result/json_sample.h"

#include <string.h>

#define METRICS_MAX 4096u

/* Absent members are zero in what load wrote, and not known in a foreign report. */
static uint64_t read_total(struct json_in *in, const json_t *object, const char *key, struct totals *t, enum total part)
{
    const json_t *value = json_object_get(object, key);

    if (t->absent != 0 && value != NULL && !json_is_null(value))
        t->absent &= ~(UINT32_C(1) << part);
    return json_in_u64(in, object, key);
}

static double read_total_double(struct json_in *in, const json_t *object, const char *key, struct totals *t,
                                enum total part)
{
    if (t->absent != 0 && json_is_number(json_object_get(object, key)))
        t->absent &= ~(UINT32_C(1) << part);
    return json_in_double(in, object, key);
}

static void read_traffic(struct json_in *in, const json_t *o, struct totals *t)
{
    t->bytes_sent = read_total(in, o, "bytes_sent", t, TOTAL_BYTES_SENT);
    t->bytes_received = read_total(in, o, "bytes_received", t, TOTAL_BYTES_RECEIVED);
    t->body_bytes_received = read_total(in, o, "body_bytes_received", t, TOTAL_BODY_BYTES_RECEIVED);
    t->connections_opened = read_total(in, o, "connections_opened", t, TOTAL_CONNECTIONS_OPENED);
    t->connections_reused = read_total(in, o, "connections_reused", t, TOTAL_CONNECTIONS_REUSED);
    t->tls_handshakes = read_total(in, o, "tls_handshakes", t, TOTAL_TLS_HANDSHAKES);
    t->tls_resumed = read_total(in, o, "tls_resumed", t, TOTAL_TLS_RESUMED);
}

void json_read_totals(struct json_in *in, const json_t *object, struct totals *t, bool import)
{
    const json_t *o = json_in_object(in, object, "totals");

    in->where = "totals";
    if (o == NULL)
        json_in_fail(in, "missing");
    t->absent = import ? TOTALS_ABSENT_ALL : 0;
    t->started = read_total(in, o, "started", t, TOTAL_STARTED);
    t->sent = read_total(in, o, "sent", t, TOTAL_SENT);
    t->ok = read_total(in, o, "ok", t, TOTAL_OK);
    t->failed = read_total(in, o, "failed", t, TOTAL_FAILED);
    t->unfinished = read_total(in, o, "unfinished", t, TOTAL_UNFINISHED);
    t->unfinished_oldest_s = json_in_double(in, o, "unfinished_oldest_s");
    t->not_sent = read_total(in, o, "not_sent", t, TOTAL_NOT_SENT);
    t->retried = read_total(in, o, "retried", t, TOTAL_RETRIED);
    t->interim_replies = read_total(in, o, "interim_replies", t, TOTAL_INTERIM_REPLIES);
    t->early_replies = read_total(in, o, "early_replies", t, TOTAL_EARLY_REPLIES);
    t->requests_per_s = read_total_double(in, o, "requests_per_s", t, TOTAL_REQUESTS_PER_S);
    t->ok_in_window = read_total(in, o, "ok_in_window", t, TOTAL_OK_IN_WINDOW);
    read_traffic(in, o, t);
    t->in_flight_mean = read_total_double(in, o, "in_flight_mean", t, TOTAL_IN_FLIGHT_MEAN);
    t->in_window_s = read_total_double(in, o, "in_window_s", t, TOTAL_IN_WINDOW_S);
}

static void read_metric(struct json_in *in, const char *name, const json_t *object, struct result *r)
{
    const char *unit = json_in_text(in, object, "unit");
    const char *better = json_in_text(in, object, "better");
    const double value = json_in_double(in, object, "value");

    if (!json_is_object(object) || !json_is_number(json_object_get(object, "value")))
        json_in_fail(in, "\"%.100s\" must have a number as its \"value\"", name);
    else if (better == NULL || (strcmp(better, "higher") != 0 && strcmp(better, "lower") != 0))
        json_in_fail(in, "\"better\" of \"%.100s\" must be higher or lower", name);
    else if (!in->failed && !result_set_metric(r, name, value, unit != NULL ? unit : "1", better[0] == 'h'))
        json_in_no_memory(in);
}

static void read_metrics(struct json_in *in, const json_t *document, struct result *r)
{
    json_t *metrics = json_in_object(in, document, "metrics");
    const char *key;
    json_t *value;

    in->where = "metrics";
    if (json_object_size(metrics) > METRICS_MAX)
        json_in_fail(in, "more than %u entries", METRICS_MAX);
    if (in->failed)
        return;
    json_object_foreach(metrics, key, value) read_metric(in, key, value, r);
}

static void read_cell(struct json_in *in, const json_t *document, struct result *r)
{
    json_t *cell = json_in_object(in, document, "cell");
    const uint64_t sample = json_in_u64(in, document, "sample");
    const char *key;
    json_t *value;

    in->where = "cell";
    r->run = json_in_dup(in, document, "run");
    r->has_sample = json_is_integer(json_object_get(document, "sample"));
    r->sample = (uint32_t)sample;
    if (sample > UINT32_MAX || json_object_size(cell) > METRICS_MAX)
        json_in_fail(in, "too large");
    if (in->failed)
        return;
    json_object_foreach(cell, key, value)
    {
        const char *text = json_in_text(in, cell, key);

        if (!in->failed && !result_set_dimension(r, key, text != NULL ? text : ""))
            json_in_no_memory(in);
    }
}

static void read_seen(struct json_in *in, const json_t *document, struct result *r)
{
    json_t *seen = json_in_object(in, document, "seen");
    const char *key;
    json_t *value;

    in->where = "seen";
    if (json_object_size(seen) > METRICS_MAX)
        json_in_fail(in, "more than %u entries", METRICS_MAX);
    if (in->failed)
        return;
    json_object_foreach(seen, key, value)
    {
        if (!result_add_seen(r, key, json_in_u64(in, seen, key)) && !in->failed)
            json_in_no_memory(in);
    }
}

void json_read_sample(struct json_in *in, const json_t *document, struct result *r)
{
    read_cell(in, document, r);
    read_metrics(in, document, r);
    read_seen(in, document, r);
}
