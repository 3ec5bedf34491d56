/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>
#include <math.h>

#include "base/json_number.h"
#include "base/json_text.h"
#include "base/units.h"
#include "live/forms.h"

static void key(struct buf *out, const char *name)
{
    const char last = out->len > 0 ? out->data[out->len - 1] : '{';

    if (last != '{' && last != '[')
        buf_add_str(out, ", ");
    buf_printf(out, "\"%s\": ", name);
}

static void number(struct buf *out, const char *name, double value)
{
    char text[JSON_OUT_DOUBLE_MAX];

    key(out, name);
    buf_add_str(out, isfinite(value) ? json_format_double(text, value) : "null");
}

static void count(struct buf *out, const char *name, uint64_t value)
{
    key(out, name);
    buf_printf(out, "%" PRIu64, value);
}

static void text(struct buf *out, const char *name, const char *value)
{
    key(out, name);
    if (value == NULL)
        buf_add_str(out, "null");
    else
        json_add_string(out, slice_str(value));
}

static void flag(struct buf *out, const char *name, bool value)
{
    key(out, name);
    buf_add_str(out, value ? "true" : "false");
}

static double seconds(uint64_t ns)
{
    return (double)ns / NS_PER_S;
}

static void latency(struct buf *out, const char *name, const struct live_latency *v)
{
    key(out, name);
    if (v->count == 0) {
        buf_add_str(out, "null");
        return;
    }
    buf_add_char(out, '{');
    count(out, "count", v->count);
    count(out, "sum_ns", v->sum_ns);
    number(out, "p50", seconds(v->p50_ns));
    number(out, "p99", seconds(v->p99_ns));
    number(out, "max", seconds(v->max_ns));
    key(out, "buckets");
    buf_add_char(out, '[');
    for (size_t i = 0; i < LIVE_BUCKETS; i++)
        buf_printf(out, "%s%" PRIu64, i > 0 ? "," : "", v->buckets[i]);
    buf_add_str(out, "]}");
}

static void errors(struct buf *out, const struct live_figures *f)
{
    key(out, "errors");
    buf_add_char(out, '{');
    for (size_t i = 0; i < f->error_count; i++) {
        if (i > 0)
            buf_add_str(out, ", ");
        json_add_string(out, slice_str(f->errors[i].kind));
        buf_printf(out, ": %" PRIu64, f->errors[i].count);
    }
    buf_add_char(out, '}');
}

static void health(struct buf *out, const struct live_health *h)
{
    key(out, "client");
    if (h->workers == 0) {
        buf_add_str(out, "null");
        return;
    }
    buf_add_char(out, '{');
    count(out, "workers", h->workers);
    number(out, "cpu_cores", h->cpu_cores);
    number(out, "cpu_busiest", h->cpu_busiest);
    number(out, "loop_lag_p99", seconds(h->loop_lag_p99_ns));
    number(out, "send_lateness_p99", seconds(h->send_lateness_p99_ns));
    count(out, "open_files", h->open_files);
    text(out, "limited", h->limit[0] != '\0' ? h->limit : NULL);
    buf_add_char(out, '}');
}

static void row(struct buf *out, const struct live_table *t, const struct live_row *r)
{
    buf_add_char(out, '{');
    text(out, "name", r->name);
    for (size_t i = 0; i < t->column_count; i++)
        number(out, t->columns[i].metric, r->values[i]);
    if (r->note[0] != '\0')
        text(out, "note", r->note);
    flag(out, "alarming", r->alarming);
    buf_add_char(out, '}');
}

static void table(struct buf *out, const struct live_table *t)
{
    key(out, "table");
    if (t->what == NULL) {
        buf_add_str(out, "null");
        return;
    }
    buf_add_char(out, '{');
    text(out, "of", t->what);
    count(out, "total", t->total);
    key(out, "columns");
    buf_add_char(out, '[');
    for (size_t i = 0; i < t->column_count; i++) {
        static const char *const UNITS[] = { [LIVE_COUNT] = "", [LIVE_PER_S] = "1/s", [LIVE_SECONDS] = "s" };

        buf_add_str(out, i > 0 ? ", {" : "{");
        text(out, "name", t->columns[i].metric);
        text(out, "title", t->columns[i].title);
        text(out, "unit", UNITS[t->columns[i].unit]);
        buf_add_char(out, '}');
    }
    buf_add_char(out, ']');
    key(out, "rows");
    buf_add_char(out, '[');
    for (size_t i = 0; i < t->row_count; i++) {
        if (i > 0)
            buf_add_str(out, ", ");
        row(out, t, &t->rows[i]);
    }
    buf_add_str(out, "]}");
}

/* Columns beside each other: half the bytes of an object per second. */
static void points(struct buf *out, const struct live_figures *f)
{
    char value[JSON_OUT_DOUBLE_MAX];

    text(out, "points_are", "rate, asked, p50, p99, max, failed");
    key(out, "points");
    buf_add_char(out, '[');
    for (size_t i = 0; i < live_points_kept(f); i++) {
        const struct live_point *p = live_point_at(f, i);

        buf_printf(out, "%s[%.6g,", i > 0 ? "," : "", isfinite(p->achieved_per_s) ? p->achieved_per_s : 0.0);
        buf_add_str(out, isfinite(p->asked_per_s) ? json_format_double(value, p->asked_per_s) : "null");
        buf_printf(out, ",%.9g,%.9g,%.9g,%" PRIu64 "]", seconds(p->p50_ns), seconds(p->p99_ns), seconds(p->max_ns),
                   p->failed);
    }
    buf_add_char(out, ']');
}

void live_json(struct buf *out, const struct live_figures *f)
{
    buf_add_char(out, '{');
    text(out, "format", "plimsoll-live");
    count(out, "version", 1);
    text(out, "command", f->command);
    text(out, "title", f->title);
    text(out, "stage", f->stage);
    flag(out, "stopping", f->is_stopping);
    flag(out, "over", f->is_over);
    number(out, "elapsed_s", f->elapsed_s);
    number(out, "planned_s", f->planned_s > 0 ? f->planned_s : NAN);
    number(out, "left_s", f->left_s);
    number(out, "planned", f->planned > 0 ? (double)f->planned : NAN);
    text(out, "step_word", f->step_word);
    count(out, "step", f->step);
    count(out, "steps", f->steps);
    text(out, "step_name", f->step_name);
    text(out, "unit", f->unit);
    number(out, "rate", f->achieved_per_s);
    number(out, "rate_asked", f->asked_per_s);
    count(out, "started", f->started);
    count(out, "ok", f->ok);
    count(out, "failed", f->failed);
    count(out, "unfinished", f->unfinished);
    count(out, "retried", f->retried);
    count(out, "in_flight", f->in_flight);
    count(out, "connections", f->connections);
    count(out, "bytes_received", f->bytes_received);
    text(out, "latency_now_of", f->second);
    latency(out, "latency_now", &f->of_second);
    text(out, "latency_of", f->whole);
    latency(out, "latency", &f->of_whole);
    errors(out, f);
    health(out, &f->health);
    table(out, &f->table);
    points(out, f);
    text(out, "message", f->message);
    buf_add_str(out, "}\n");
}
