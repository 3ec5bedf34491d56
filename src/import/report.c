/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "import/report.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_number.h"
#include "stats/summary.h"

enum { NAME_MAX_BYTES = 128, TEXT_MAX_BYTES = 1 << 16 };

void report_begin(struct report *p, struct source *s, const char *tool)
{
    *p = (struct report){ .source = s, .r = source_new_result(s, tool) };
    p->failed = p->r == NULL;
}

static bool fill_target(struct report *p)
{
    struct target_result *t = p->r->target_count > 0 ? &p->r->targets[0] : NULL;

    if (t == NULL)
        return true;
    t->totals = p->r->totals;
    memcpy(t->status, p->r->status, sizeof(t->status));
    return (hist_count(p->r->latency) == 0 || hist_copy(&t->latency, p->r->latency, p->source->err) == 0) &&
           (hist_count(p->r->service_time) == 0 ||
            hist_copy(&t->service_time, p->r->service_time, p->source->err) == 0);
}

static int give(struct report *p, const char *suffix)
{
    if (p->failed) {
        result_free(p->r);
        p->r = NULL;
        return -1;
    }
    return source_give(p->source, p->r, suffix);
}

int report_end(struct report *p, const char *suffix)
{
    if (!p->failed && p->r->target_count == 1 && !fill_target(p))
        p->failed = true;
    return give(p, suffix);
}

int report_end_many(struct report *p)
{
    return give(p, NULL);
}

void report_fail(struct report *p, const char *fmt, ...)
{
    char what[256];
    va_list args;

    if (p->failed)
        return;
    va_start(args, fmt);
    vsnprintf(what, sizeof(what), fmt, args);
    va_end(args);
    p->failed = true;
    if (p->line > 0)
        err_set(p->source->err, ERR_CONFIG, 0, "%s:%u: %s", p->source->name, p->line, what);
    else
        err_set(p->source->err, ERR_CONFIG, 0, "%s: %s", p->source->name, what);
}

void report_no_memory(struct report *p)
{
    if (!p->failed)
        err_set(p->source->err, ERR_SYSTEM, ENOMEM, "cannot import %s", p->source->name);
    p->failed = true;
}

/* Keeps memory failures of everything that answers with a bool. */
static void need(struct report *p, bool ok)
{
    if (!ok)
        report_no_memory(p);
}

void report_warn(struct report *p, const char *fmt, ...)
{
    char what[256];
    va_list args;

    if (p->failed)
        return;
    va_start(args, fmt);
    vsnprintf(what, sizeof(what), fmt, args);
    va_end(args);
    need(p, result_add_warning(p->r, "%s", what));
}

static uint64_t *total_member(struct totals *t, enum total part)
{
    switch (part) {
    case TOTAL_STARTED:
        return &t->started;
    case TOTAL_SENT:
        return &t->sent;
    case TOTAL_OK:
        return &t->ok;
    case TOTAL_FAILED:
        return &t->failed;
    case TOTAL_UNFINISHED:
        return &t->unfinished;
    case TOTAL_NOT_SENT:
        return &t->not_sent;
    case TOTAL_RETRIED:
        return &t->retried;
    case TOTAL_INTERIM_REPLIES:
        return &t->interim_replies;
    case TOTAL_EARLY_REPLIES:
        return &t->early_replies;
    case TOTAL_OK_IN_WINDOW:
        return &t->ok_in_window;
    case TOTAL_BYTES_SENT:
        return &t->bytes_sent;
    case TOTAL_BYTES_RECEIVED:
        return &t->bytes_received;
    case TOTAL_BODY_BYTES_RECEIVED:
        return &t->body_bytes_received;
    case TOTAL_CONNECTIONS_OPENED:
        return &t->connections_opened;
    case TOTAL_CONNECTIONS_REUSED:
        return &t->connections_reused;
    case TOTAL_TLS_HANDSHAKES:
        return &t->tls_handshakes;
    case TOTAL_TLS_RESUMED:
        return &t->tls_resumed;
    case TOTAL_REQUESTS_PER_S:
    case TOTAL_IN_FLIGHT_MEAN:
    case TOTAL_IN_WINDOW_S:
    case TOTALS:
        break;
    }
    BUG("total %d is not a count", (int)part);
}

void report_total(struct report *p, enum total part, uint64_t value)
{
    if (p->failed)
        return;
    if (value > INT64_MAX) {
        report_fail(p, "%" PRIu64 " is too large a count", value);
        return;
    }
    *total_member(&p->r->totals, part) = value;
    p->r->totals.absent &= ~(UINT32_C(1) << part);
}

static bool is_figure(struct report *p, const char *what, double value)
{
    if (!isfinite(value) || value < 0)
        report_fail(p, "%s can not be %g", what, value);
    return !p->failed;
}

void report_rate(struct report *p, double requests_per_s)
{
    if (!is_figure(p, "the rate of requests", requests_per_s))
        return;
    p->r->totals.requests_per_s = requests_per_s;
    p->r->totals.absent &= ~(UINT32_C(1) << TOTAL_REQUESTS_PER_S);
}

void report_duration(struct report *p, double seconds)
{
    if (is_figure(p, "the duration", seconds))
        p->r->duration_s = seconds;
}

void report_metric(struct report *p, const char *name, double value, const char *unit, bool higher_is_better)
{
    if (!p->failed && !isfinite(value))
        report_fail(p, "%s can not be %g", name, value);
    if (!p->failed)
        need(p, result_set_metric(p->r, name, value, unit, higher_is_better));
}

void report_time(struct report *p, const char *of, const char *what, double seconds)
{
    char name[NAME_MAX_BYTES];

    snprintf(name, sizeof(name), "%s_%s", of, what);
    if (is_figure(p, name, seconds))
        report_metric(p, name, seconds, "s", false);
}

void report_percentile(struct report *p, const char *of, double percentile, double seconds)
{
    char key[SUMMARY_KEY_MAX];

    report_time(p, of, summary_percentile_key(key, percentile), seconds);
}

void report_seen(struct report *p, uint64_t count, const char *fmt, ...)
{
    char what[256];
    va_list args;

    va_start(args, fmt);
    vsnprintf(what, sizeof(what), fmt, args);
    va_end(args);
    if (!p->failed)
        need(p, result_add_seen(p->r, what, count));
}

void report_status(struct report *p, unsigned status, uint64_t count)
{
    if (status >= STATUS_MAX)
        report_fail(p, "%u is not a status", status);
    if (!p->failed)
        p->r->status[status] += count;
}

void report_config_text(struct report *p, const char *name, struct slice value)
{
    char *copy = p->failed ? NULL : slice_dup(value);

    if (!p->failed)
        need(p, copy != NULL && result_add_config_string(p->r, name, copy));
    free(copy);
}

void report_config_number(struct report *p, const char *name, uint64_t value)
{
    if (!p->failed)
        need(p, result_add_config(p->r, name, "%" PRIu64, value));
}

void report_config_double(struct report *p, const char *name, double value)
{
    char text[JSON_OUT_DOUBLE_MAX];

    if (!p->failed && isfinite(value))
        need(p, result_add_config(p->r, name, "%s", json_format_double(text, value)));
}

void report_dimension(struct report *p, const char *name, struct slice value)
{
    char *copy = p->failed ? NULL : slice_dup(value);

    if (!p->failed)
        need(p, copy != NULL && result_set_dimension(p->r, name, copy));
    free(copy);
}

void report_target(struct report *p, struct slice method, struct slice url)
{
    if (p->failed || p->r->targets != NULL || url.len == 0 || url.len > TEXT_MAX_BYTES)
        return;
    p->r->targets = calloc(1, sizeof(*p->r->targets));
    if (p->r->targets == NULL) {
        report_no_memory(p);
        return;
    }
    p->r->target_count = 1;
    p->r->targets[0].url = slice_dup(url);
    p->r->targets[0].method = method.len > 0 ? slice_dup(method) : NULL;
    need(p, p->r->targets[0].url != NULL && (method.len == 0 || p->r->targets[0].method != NULL));
}

void report_started(struct report *p, struct slice time)
{
    if (p->failed)
        return;
    if (time.len >= sizeof(p->r->started))
        report_fail(p, "\"%.*s\" is not a time", SLICE_FMT(slice_take(time, 60)));
    else
        snprintf(p->r->started, sizeof(p->r->started), "%.*s", SLICE_FMT(time));
}
