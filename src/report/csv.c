/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/csv.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/csv_cells.h"
#include "report/rounds.h"
#include "stats/summary.h"

#define NS_PER_S_F 1e9

/* What a row is made of: a target, or the whole run. */
struct row {
    const char *target, *method;
    const struct totals *totals;
    const struct hist *latency, *service_time;
    const uint64_t *status;
    const struct error_entry *errors;
    size_t error_count;
};

static void add_u64(struct buf *out, uint64_t value)
{
    buf_printf(out, ",%" PRIu64, value);
}

static void add_percentile_names(struct buf *out, const char *prefix, const struct result *r)
{
    char label[SUMMARY_KEY_MAX];

    for (size_t i = 0; i < RESULT_PERCENTILE_COUNT; i++)
        buf_printf(out, ",%s_%s_s", prefix, summary_percentile_label(label, RESULT_PERCENTILES[i]));
    for (size_t i = 0; i < r->percentile_count; i++)
        buf_printf(out, ",%s_%s_s", prefix, summary_percentile_label(label, r->percentiles[i]));
}

static void add_hist_names(struct buf *out, const char *prefix, const struct result *r)
{
    buf_printf(out, ",%s_mean_s,%s_stddev_s,%s_min_s,%s_max_s", prefix, prefix, prefix, prefix);
    add_percentile_names(out, prefix, r);
}

/* A watched part's own columns. */
static void add_watched_names(struct buf *out, const struct result *r)
{
    static const char *const NAMES[] = { "cpu_cores_mean", "cpu_cores_max", "cpu_s_per_request", "rss_bytes_max" };

    for (size_t i = 0; i < r->watched_count; i++) {
        for (size_t k = 0; k < sizeof(NAMES) / sizeof(NAMES[0]); k++) {
            struct buf name;

            buf_init(&name, 4096);
            buf_printf(&name, "%s_%s", r->watched[i].name, NAMES[k]);
            buf_add_char(out, ',');
            csv_add_text(out, buf_ok(&name) ? name.data : "");
            buf_release(&name);
        }
    }
}

static void add_header(struct buf *out, const struct result *r)
{
    buf_add_str(out, "target,method,valid,duration_s,requests_per_s,started,sent,ok,failed,unfinished,not_sent,retried,"
                     "sent_bytes,received_bytes,received_body_bytes,connections_opened,connections_reused,"
                     "tls_handshakes,tls_resumed,in_flight_mean");
    add_hist_names(out, "latency", r);
    add_hist_names(out, "service_time", r);
    buf_add_str(out, ",status_1xx,status_2xx,status_3xx,status_4xx,status_5xx");
    for (unsigned i = 0; i < FAIL_KINDS; i++)
        buf_printf(out, ",failed_%s", fail_kind_text((enum fail_kind)i));
    add_watched_names(out, r);
    buf_add_char(out, '\n');
}

static void add_hist(struct buf *out, const struct hist *h, const struct result *r)
{
    const bool known = hist_count(h) > 0;

    csv_add_decimal(out, known, hist_mean_ns(h) / NS_PER_S_F);
    csv_add_decimal(out, known, hist_stddev_ns(h) / NS_PER_S_F);
    csv_add_decimal(out, known, (double)hist_min_ns(h) / NS_PER_S_F);
    csv_add_decimal(out, known, (double)hist_max_ns(h) / NS_PER_S_F);
    for (size_t i = 0; i < RESULT_PERCENTILE_COUNT; i++)
        csv_add_decimal(out, known, (double)hist_value_at(h, RESULT_PERCENTILES[i]) / NS_PER_S_F);
    for (size_t i = 0; i < r->percentile_count; i++)
        csv_add_decimal(out, known, (double)hist_value_at(h, r->percentiles[i]) / NS_PER_S_F);
}

static void add_totals(struct buf *out, const struct totals *t)
{
    csv_add_decimal(out, true, t->requests_per_s);
    add_u64(out, t->started);
    add_u64(out, t->sent);
    add_u64(out, t->ok);
    add_u64(out, t->failed);
    add_u64(out, t->unfinished);
    add_u64(out, t->not_sent);
    add_u64(out, t->retried);
    add_u64(out, t->bytes_sent);
    add_u64(out, t->bytes_received);
    add_u64(out, t->body_bytes_received);
    add_u64(out, t->connections_opened);
    add_u64(out, t->connections_reused);
    add_u64(out, t->tls_handshakes);
    add_u64(out, t->tls_resumed);
    csv_add_decimal(out, true, t->in_flight_mean);
}

static void add_statuses(struct buf *out, const uint64_t *status)
{
    for (unsigned first = 100; first < 600; first += 100) {
        uint64_t count = 0;

        for (unsigned i = first; i < first + 100; i++)
            count += status[i];
        add_u64(out, count);
    }
}

static void add_errors(struct buf *out, const struct error_entry *errors, size_t error_count)
{
    for (unsigned kind = 0; kind < FAIL_KINDS; kind++) {
        uint64_t count = 0;

        for (size_t i = 0; i < error_count; i++)
            count += errors[i].kind == (enum fail_kind)kind ? errors[i].count : 0;
        add_u64(out, count);
    }
}

/* They are of the whole run: empty in the rows of targets. */
static void add_watched(struct buf *out, const struct result *r, bool is_total)
{
    const uint64_t ended = r->totals.ok + r->totals.failed;

    for (size_t i = 0; i < r->watched_count; i++) {
        const struct watched *w = &r->watched[i];
        const struct watched_figure *cpu = watched_figure(w, "cpu_cores"), *rss = watched_figure(w, "rss_bytes");

        csv_add_decimal(out, is_total && cpu != NULL, cpu != NULL ? cpu->mean : 0);
        csv_add_decimal(out, is_total && cpu != NULL, cpu != NULL ? cpu->max : 0);
        csv_add_decimal(out, is_total && ended > 0, watched_cpu_s(w, r->duration_s) / (double)ended);
        csv_add_decimal(out, is_total && rss != NULL, rss != NULL ? rss->max : 0);
    }
}

static void add_row(struct buf *out, const struct result *r, const struct row *row)
{
    csv_add_text(out, row->target);
    buf_add_char(out, ',');
    csv_add_text(out, row->method);
    buf_add_str(out, r->valid ? ",true" : ",false");
    csv_add_decimal(out, true, r->duration_s);
    add_totals(out, row->totals);
    add_hist(out, row->latency, r);
    add_hist(out, row->service_time, r);
    add_statuses(out, row->status);
    add_errors(out, row->errors, row->error_count);
    add_watched(out, r, row->totals == &r->totals);
    buf_add_char(out, '\n');
}

static void requests_csv(struct buf *out, const struct result *r)
{
    const struct row total = { .target = "total",
                               .totals = &r->totals,
                               .latency = r->latency,
                               .service_time = r->service_time,
                               .status = r->status,
                               .errors = r->errors,
                               .error_count = r->error_count };

    add_header(out, r);
    for (size_t i = 0; i < r->target_count; i++) {
        const struct target_result *t = &r->targets[i];
        const struct row row = { .target = t->url,
                                 .method = t->method,
                                 .totals = &t->totals,
                                 .latency = t->latency,
                                 .service_time = t->service_time,
                                 .status = t->status,
                                 .errors = t->errors,
                                 .error_count = t->error_count };

        add_row(out, r, &row);
    }
    add_row(out, r, &total);
}

void report_csv(struct buf *out, const struct result *r)
{
    if (r->rounds != NULL)
        rounds_csv(out, r);
    else
        requests_csv(out, r);
}
