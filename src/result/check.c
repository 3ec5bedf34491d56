/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "result/result.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

/* One check of one result: where we are (for the sentence) and whether anything was broken so far. */
struct checker {
    struct result *r;
    bool ok;
};

static void __attribute__((format(printf, 2, 3))) broken(struct checker *c, const char *fmt, ...)
{
    char what[512];
    va_list args;

    va_start(args, fmt);
    vsnprintf(what, sizeof(what), fmt, args);
    va_end(args);
    c->ok = false;
    result_add_reason(c->r, "figures contradict each other: %s", what);
}

static uint64_t recorded(const struct hist *h)
{
    return hist_count(h) + hist_overflow(h);
}

static void check_conservation(struct checker *c, const char *where, const struct totals *t)
{
    const uint64_t sum = t->ok + t->failed + t->unfinished;

    if (t->started != sum)
        broken(c, "%s: %" PRIu64 " started, but ok + failed + unfinished = %" PRIu64, where, t->started, sum);
    if (t->sent > t->started)
        broken(c, "%s: %" PRIu64 " sent, but only %" PRIu64 " started", where, t->sent, t->started);
}

static void check_errors(struct checker *c, const char *where, const struct error_entry *errors, size_t count,
                         uint64_t failed)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < count; i++)
        sum += errors[i].count;
    if (sum != failed)
        broken(c, "%s: %" PRIu64 " failed, but the errors add up to %" PRIu64, where, failed, sum);
}

static void check_kinds(struct checker *c)
{
    for (size_t i = 0; i < c->r->interval_count; i++) {
        const struct interval *v = &c->r->intervals[i];
        uint64_t sum = 0;

        for (size_t k = 0; v->by_kind != NULL && k < FAIL_KINDS; k++)
            sum += v->by_kind[k];
        if (v->by_kind != NULL && sum != v->failed)
            broken(c, "second %zu: %" PRIu64 " failed, but their kinds add up to %" PRIu64, i + 1, v->failed, sum);
    }
}

/* min <= p(q) <= max, rising in q. */
static void check_percentiles(struct checker *c, const char *where, const struct hist *h)
{
    uint64_t before = hist_min_ns(h), values[RESULT_PERCENTILE_MAX];

    if (hist_count(h) == 0)
        return;
    hist_values_at(h, RESULT_PERCENTILES, RESULT_PERCENTILE_COUNT, values);
    for (size_t i = 0; i < RESULT_PERCENTILE_COUNT; i++) {
        const uint64_t value = values[i];

        if (value < before || value > hist_max_ns(h)) {
            broken(c, "%s: p%g is %" PRIu64 " ns, outside %" PRIu64 " … %" PRIu64 " ns", where, RESULT_PERCENTILES[i],
                   value, before, hist_max_ns(h));
            return;
        }
        before = value;
    }
}

static void check_latency(struct checker *c, const char *where, const struct hist *latency, uint64_t ok)
{
    if (recorded(latency) != ok)
        broken(c, "%s: %" PRIu64 " ok, but %" PRIu64 " latencies", where, ok, recorded(latency));
}

static const char *name_of(const struct target_result *t)
{
    return t->url != NULL ? t->url : "target";
}

static void check_all_percentiles(struct checker *c)
{
    const struct result *r = c->r;

    check_percentiles(c, "latency", r->latency);
    check_percentiles(c, "service time", r->service_time);
    for (size_t i = 0; i < r->target_count; i++)
        check_percentiles(c, name_of(&r->targets[i]), r->targets[i].latency);
}

/* Each class's histogram holds as many values as there were such statuses, and all of them are all that ended.
 * A status outside 100 … 599 (RFC 9110 15: treated as an error) is in the class "error". */
static void check_classes(struct checker *c)
{
    const struct result *r = c->r;
    uint64_t ended = recorded(r->by_class[CLASS_ERROR]);

    for (unsigned class = CLASS_1XX; class < CLASS_ERROR; class ++) {
        const unsigned first = (class - CLASS_1XX + 1) * 100;
        uint64_t count = 0;

        for (unsigned status = first; status < first + 100; status++)
            count += r->status[status];
        ended += count;
        if (count != recorded(r->by_class[class]))
            broken(c, "%" PRIu64 " replies with status %s, but %" PRIu64 " latencies of them", count,
                   reply_class_text((enum reply_class) class), recorded(r->by_class[class]));
        check_percentiles(c, reply_class_text((enum reply_class) class), r->by_class[class]);
    }
    check_percentiles(c, "error", r->by_class[CLASS_ERROR]);
    if (ended != r->totals.ok + r->totals.failed)
        broken(c, "%" PRIu64 " ended, but statuses and failures without one add up to %" PRIu64,
               r->totals.ok + r->totals.failed, ended);
}

static void check_sum(struct checker *c, const char *what, uint64_t total, const char *parts, uint64_t sum)
{
    if (total != sum)
        broken(c, "%" PRIu64 " %s in all, but %" PRIu64 " over the %s", total, what, sum, parts);
}

static void check_intervals(struct checker *c)
{
    const struct result *r = c->r;
    uint64_t started = 0, ok = 0, failed = 0;

    for (size_t i = 0; i < r->interval_count; i++) {
        started += r->intervals[i].started;
        ok += r->intervals[i].ok;
        failed += r->intervals[i].failed;
    }
    if (r->interval_count == 0)
        return;
    check_sum(c, "started", r->totals.started, "intervals", started);
    check_sum(c, "ok", r->totals.ok, "intervals", ok);
    check_sum(c, "failed", r->totals.failed, "intervals", failed);
}

static void check_targets(struct checker *c)
{
    const struct result *r = c->r;
    struct totals sum = { 0 };

    for (size_t i = 0; i < r->target_count; i++) {
        const struct target_result *t = &r->targets[i];
        const char *where = name_of(t);

        check_conservation(c, where, &t->totals);
        check_errors(c, where, t->errors, t->error_count, t->totals.failed);
        check_latency(c, where, t->latency, t->totals.ok);
        sum.started += t->totals.started;
        sum.ok += t->totals.ok;
        sum.failed += t->totals.failed;
        sum.unfinished += t->totals.unfinished;
    }
    if (r->target_count == 0)
        return;
    check_sum(c, "started", r->totals.started, "targets", sum.started);
    check_sum(c, "ok", r->totals.ok, "targets", sum.ok);
    check_sum(c, "failed", r->totals.failed, "targets", sum.failed);
    check_sum(c, "unfinished", r->totals.unfinished, "targets", sum.unfinished);
}

/* The time that requests spent inside the window, divided by the window, is the mean number in flight (Little 1961);
 * the two sides are measured independently. Within 1 % or one request. */
static void check_little(struct checker *c)
{
    const struct totals *t = &c->r->totals;
    const double mean = c->r->duration_s > 0 ? t->in_window_s / c->r->duration_s : 0;

    if (!isfinite(mean) || !isfinite(t->in_flight_mean) ||
        fabs(mean - t->in_flight_mean) > fmax(0.01 * t->in_flight_mean, 1))
        broken(c, "Little's law: %.3f requests in flight on average, but their times add up to %.3f", t->in_flight_mean,
               mean);
}

static void check_throughput(struct checker *c)
{
    const struct totals *t = &c->r->totals;
    const double rate = c->r->duration_s > 0 ? (double)t->ok_in_window / c->r->duration_s : 0;

    if (t->ok_in_window > t->ok)
        broken(c, "%" PRIu64 " ok inside the window, but %" PRIu64 " ok in all", t->ok_in_window, t->ok);
    if (!isfinite(t->requests_per_s) || fabs(rate - t->requests_per_s) > 1e-6 * rate + 1e-9)
        broken(c, "%.3f requests/s, but %" PRIu64 " ok in %.3f s are %.3f", t->requests_per_s, t->ok_in_window,
               c->r->duration_s, rate);
}

static void check_counts(struct checker *c)
{
    const struct result *r = c->r;

    check_conservation(c, "total", &r->totals);
    check_errors(c, "total", r->errors, r->error_count, r->totals.failed);
    check_kinds(c);
    check_latency(c, "latency", r->latency, r->totals.ok);
    check_targets(c);
    check_intervals(c);
}

bool result_check_counts(struct result *r)
{
    struct checker c = { .r = r, .ok = true };

    if (!result_is_import(r))
        check_counts(&c);
    if (!c.ok)
        r->valid = false;
    return c.ok;
}

bool result_check(struct result *r)
{
    struct checker c = { .r = r, .ok = true };

    if (result_is_import(r))
        return true;
    if (r->rounds != NULL) {
        c.ok = result_check_rounds(r);
        r->valid = r->valid && c.ok;
        return c.ok;
    }
    check_counts(&c);
    check_all_percentiles(&c);
    check_classes(&c);
    check_throughput(&c);
    check_little(&c);
    if (!c.ok)
        r->valid = false;
    return c.ok;
}
