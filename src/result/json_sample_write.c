/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "result/json_sample.h"

/* Of the window; null without one. Derived, for those who read no other member. */
static void write_per_second(struct json_out *o, const char *key, bool known, double duration_s, uint64_t bytes)
{
    if (known && duration_s > 0)
        json_out_double(o, key, (double)bytes / duration_s);
    else
        json_out_null(o, key);
}

static void write_total(struct json_out *o, const struct totals *t, enum total part, const char *key, uint64_t value)
{
    if (totals_has(t, part))
        json_out_u64(o, key, value);
    else
        json_out_null(o, key);
}

static void write_total_double(struct json_out *o, const struct totals *t, enum total part, const char *key,
                               double value)
{
    if (totals_has(t, part))
        json_out_double(o, key, value);
    else
        json_out_null(o, key);
}

static void write_bytes(struct json_out *o, const struct totals *t, double duration_s)
{
    write_total(o, t, TOTAL_BYTES_SENT, "bytes_sent", t->bytes_sent);
    write_total(o, t, TOTAL_BYTES_RECEIVED, "bytes_received", t->bytes_received);
    write_total(o, t, TOTAL_BODY_BYTES_RECEIVED, "body_bytes_received", t->body_bytes_received);
    write_per_second(o, "bytes_sent_per_s", totals_has(t, TOTAL_BYTES_SENT), duration_s, t->bytes_sent);
    write_per_second(o, "bytes_received_per_s", totals_has(t, TOTAL_BYTES_RECEIVED), duration_s, t->bytes_received);
}

void json_write_totals(struct json_out *o, const struct totals *t, double duration_s)
{
    json_out_open(o, "totals", '{');
    write_total(o, t, TOTAL_STARTED, "started", t->started);
    write_total(o, t, TOTAL_SENT, "sent", t->sent);
    write_total(o, t, TOTAL_OK, "ok", t->ok);
    write_total(o, t, TOTAL_FAILED, "failed", t->failed);
    write_total(o, t, TOTAL_UNFINISHED, "unfinished", t->unfinished);
    if (t->unfinished > 0 && (t->absent == 0 || t->unfinished_oldest_s > 0))
        json_out_double(o, "unfinished_oldest_s", t->unfinished_oldest_s);
    else
        json_out_null(o, "unfinished_oldest_s");
    write_total(o, t, TOTAL_NOT_SENT, "not_sent", t->not_sent);
    write_total(o, t, TOTAL_RETRIED, "retried", t->retried);
    write_total(o, t, TOTAL_INTERIM_REPLIES, "interim_replies", t->interim_replies);
    write_total(o, t, TOTAL_EARLY_REPLIES, "early_replies", t->early_replies);
    write_total_double(o, t, TOTAL_REQUESTS_PER_S, "requests_per_s", t->requests_per_s);
    write_total(o, t, TOTAL_OK_IN_WINDOW, "ok_in_window", t->ok_in_window);
    write_bytes(o, t, duration_s);
    write_total(o, t, TOTAL_CONNECTIONS_OPENED, "connections_opened", t->connections_opened);
    write_total(o, t, TOTAL_CONNECTIONS_REUSED, "connections_reused", t->connections_reused);
    write_total(o, t, TOTAL_TLS_HANDSHAKES, "tls_handshakes", t->tls_handshakes);
    write_total(o, t, TOTAL_TLS_RESUMED, "tls_resumed", t->tls_resumed);
    write_total_double(o, t, TOTAL_IN_FLIGHT_MEAN, "in_flight_mean", t->in_flight_mean);
    write_total_double(o, t, TOTAL_IN_WINDOW_S, "in_window_s", t->in_window_s);
    json_out_close(o, '}');
}

static void write_cell(struct json_out *o, const struct result *r)
{
    if (r->run != NULL)
        json_out_string(o, "run", r->run);
    if (r->cell_count > 0)
        json_out_open(o, "cell", '{');
    for (size_t i = 0; i < r->cell_count; i++)
        json_out_string(o, r->cell[i].name, r->cell[i].value);
    if (r->cell_count > 0)
        json_out_close(o, '}');
    if (r->has_sample)
        json_out_u64(o, "sample", r->sample);
}

static void write_metrics(struct json_out *o, const struct result *r)
{
    json_out_open(o, "metrics", '{');
    for (size_t i = 0; i < r->metric_count; i++) {
        const struct named_figure *m = &r->metrics[i];

        json_out_open(o, m->name, '{');
        json_out_double(o, "value", m->value);
        json_out_string(o, "unit", m->unit);
        json_out_string(o, "better", m->higher_is_better ? "higher" : "lower");
        json_out_close(o, '}');
    }
    json_out_close(o, '}');
}

/* Members that only samples of a matrix and foreign reports have. */
void json_write_sample(struct json_out *o, const struct result *r)
{
    write_cell(o, r);
    if (r->metric_count > 0)
        write_metrics(o, r);
    if (r->seen_count > 0)
        json_out_open(o, "seen", '{');
    for (size_t i = 0; i < r->seen_count; i++)
        json_out_u64(o, r->seen[i].what, r->seen[i].count);
    if (r->seen_count > 0)
        json_out_close(o, '}');
}
