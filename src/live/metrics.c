/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/json_number.h"
#include "base/units.h"
#include "base/utf8.h"
#include "live/forms.h"

static void head(struct buf *out, const char *name, const char *type, const char *help)
{
    buf_printf(out, "# HELP plimsoll_live_%s %s\n# TYPE plimsoll_live_%s %s\n", name, help, name, type);
}

/* Of a label: no line break, quote or backslash by itself, and nothing that is not UTF-8. */
static void label_value(struct buf *out, const char *value)
{
    for (struct slice rest = slice_str(value); rest.len > 0;) {
        const size_t n = utf8_length(rest);

        if (*rest.ptr == '\n')
            buf_add_str(out, "\\n");
        else if (*rest.ptr == '"' || *rest.ptr == '\\')
            buf_printf(out, "\\%c", *rest.ptr);
        else
            buf_add_slice(out, n > 0 ? slice_take(rest, n) : SLICE("?"));
        rest = slice_drop(rest, n > 0 ? n : 1);
    }
}

static void sample(struct buf *out, const char *name, const char *label, const char *value_of_label, double value)
{
    char text[JSON_OUT_DOUBLE_MAX];

    buf_printf(out, "plimsoll_live_%s", name);
    if (label != NULL) {
        buf_printf(out, "{%s=\"", label);
        label_value(out, value_of_label);
        buf_add_str(out, "\"}");
    }
    buf_printf(out, " %s\n", isfinite(value) ? json_format_double(text, value) : "NaN");
}

static void counts(struct buf *out, const struct live_figures *f)
{
    const struct {
        const char *name, *help;
        uint64_t value;
    } all[] = {
        { "started_total", "Requests (or copies) that began.", f->started },
        { "ok_total", "Ended as expected.", f->ok },
        { "failed_total", "Failed, for whatever reason.", f->failed },
        { "unfinished_total", "Given up at the end of the run.", f->unfinished },
        { "retried_total", "Sent once more on a fresh connection.", f->retried },
        { "received_bytes_total", "Bytes of replies, heads included.", f->bytes_received },
    };

    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
        head(out, all[i].name, "counter", all[i].help);
        buf_printf(out, "plimsoll_live_%s %" PRIu64 "\n", all[i].name, all[i].value);
    }
    if (f->error_count > 0)
        head(out, "errors_total", "counter", "Failed, by kind.");
    for (size_t i = 0; i < f->error_count; i++)
        sample(out, "errors_total", "kind", f->errors[i].kind, (double)f->errors[i].count);
}

static void gauge(struct buf *out, const char *name, const char *help, double value)
{
    if (!isfinite(value))
        return;
    head(out, name, "gauge", help);
    sample(out, name, NULL, NULL, value);
}

static void gauges(struct buf *out, const struct live_figures *f)
{
    gauge(out, "elapsed_seconds", "Since the window began.", f->elapsed_s);
    gauge(out, "planned_seconds", "Length of the window.", f->planned_s > 0 ? f->planned_s : NAN);
    gauge(out, "left_seconds", "Until the end, as far as that is known.", f->left_s);
    gauge(out, "steps", "Trials, rounds or samples in all.", f->steps > 0 ? (double)f->steps : NAN);
    gauge(out, "step", "The one that runs, from 1.", f->step > 0 ? (double)f->step : NAN);
    gauge(out, "rate_per_second", "Ended as expected, in the last second.", f->achieved_per_s);
    gauge(out, "rate_asked_per_second", "Due by the schedule, in the last second.", f->asked_per_s);
    gauge(out, "in_flight", "Begun and not ended.", (double)f->in_flight);
    gauge(out, "connections", "Open now.", (double)f->connections);
    if (f->health.workers == 0)
        return;
    gauge(out, "client_cpu_cores", "Cores that the generator uses.", f->health.cpu_cores);
    gauge(out, "client_loop_lag_p99_seconds", "How late the generator sees events.",
          (double)f->health.loop_lag_p99_ns / NS_PER_S);
    gauge(out, "client_send_lateness_p99_seconds", "How late requests left although a connection was free.",
          (double)f->health.send_lateness_p99_ns / NS_PER_S);
    gauge(out, "client_limited", "1: this machine may be the limit.", f->health.limit[0] != '\0');
}

static void quantiles(struct buf *out, const struct live_latency *v)
{
    if (v->count == 0)
        return;
    head(out, "latency_now_seconds", "gauge", "Latency of the last second (or round).");
    sample(out, "latency_now_seconds", "quantile", "0.5", (double)v->p50_ns / NS_PER_S);
    sample(out, "latency_now_seconds", "quantile", "0.99", (double)v->p99_ns / NS_PER_S);
    sample(out, "latency_now_seconds", "quantile", "1", (double)v->max_ns / NS_PER_S);
}

static void histogram(struct buf *out, const struct live_latency *v)
{
    uint64_t below = 0;
    char text[JSON_OUT_DOUBLE_MAX];

    head(out, "latency_seconds", "histogram", "Latency of what ended as expected, of all seconds that are over.");
    for (size_t i = 0; i < LIVE_BUCKETS; i++) {
        below += v->buckets[i];
        buf_printf(out, "plimsoll_live_latency_seconds_bucket{le=\"%s\"} %" PRIu64 "\n",
                   i + 1 < LIVE_BUCKETS ? json_format_double(text, (double)live_bucket_bound_ns(i) / NS_PER_S) : "+Inf",
                   below);
    }
    buf_printf(out, "plimsoll_live_latency_seconds_sum %s\n", json_format_double(text, (double)v->sum_ns / NS_PER_S));
    buf_printf(out, "plimsoll_live_latency_seconds_count %" PRIu64 "\n", v->count);
}

/* "plimsoll_live_target_ok_total{target="…"}". Two rows of one name (a target given twice) would be one series twice:
 * the later one gets a number. */
static void column(struct buf *out, const struct live_table *t, size_t c)
{
    static const char *const ENDS[] = { [LIVE_COUNT] = "", [LIVE_PER_S] = "_per_second", [LIVE_SECONDS] = "_seconds" };
    const struct live_column *column = &t->columns[c];
    struct buf name, value;

    buf_init(&name, 256);
    buf_init(&value, 1024);
    buf_printf(&name, "%s_%s%s%s", t->what, column->metric, ENDS[column->unit], column->only_grows ? "_total" : "");
    if (buf_ok(&name))
        head(out, name.data, column->only_grows ? "counter" : "gauge", column->title);
    for (size_t i = 0; buf_ok(&name) && i < t->row_count; i++) {
        size_t same = 1;

        for (size_t k = 0; k < i; k++)
            same += strcmp(t->rows[k].name, t->rows[i].name) == 0;
        buf_clear(&value);
        buf_add_str(&value, t->rows[i].name);
        if (same > 1)
            buf_printf(&value, " #%zu", same);
        if (isfinite(t->rows[i].values[c]))
            sample(out, name.data, t->what, value.data != NULL ? value.data : "", t->rows[i].values[c]);
    }
    buf_release(&name);
    buf_release(&value);
}

void live_metrics(struct buf *out, const struct live_figures *f)
{
    head(out, "info", "gauge", "What runs.");
    buf_printf(out, "plimsoll_live_info{command=\"%s\",title=\"", f->command);
    label_value(out, f->title);
    buf_add_str(out, "\",stage=\"");
    label_value(out, f->stage);
    buf_add_str(out, "\"} 1\n");
    counts(out, f);
    gauges(out, f);
    quantiles(out, &f->of_second);
    histogram(out, &f->of_whole);
    for (size_t c = 0; f->table.what != NULL && c < f->table.column_count; c++)
        column(out, &f->table, c);
}
