/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/units.h"
#include "load/loader.h"
#include "load/progress.h"
#include "load/pulse.h"

void pulse_reader_init(struct pulse_reader *r, struct run *run, struct loader *workers)
{
    const size_t values = run->worker_count * pulse_size(run->target_count);

    *r = (struct pulse_reader){ .plan = run->plan, .run = run, .workers = workers };
    if (run->plan->on_pulse == NULL)
        return;
    r->cpu_before = calloc(run->worker_count, sizeof(*r->cpu_before));
    r->targets = calloc(run->target_count, sizeof(*r->targets));
    r->cursors = calloc(run->worker_count, sizeof(*r->cursors));
    if (r->cpu_before == NULL || r->targets == NULL || r->cursors == NULL || hist_new(&r->second, NULL) != 0 ||
        hist_new(&r->whole, NULL) != 0)
        return;
    r->latest = calloc(values, sizeof(*r->latest));
}

void pulse_reader_release(struct pulse_reader *r)
{
    hist_free(r->second);
    hist_free(r->whole);
    free(r->cpu_before);
    free(r->targets);
    free(r->cursors);
    free(r->latest);
}

static void add_targets(struct pulse_reader *r, const uint64_t *values)
{
    for (size_t i = 0; i < r->run->target_count; i++) {
        struct load_pulse_target *t = &r->targets[i];
        const uint64_t *v = values + PULSE_TARGETS + i * PULSE_PER_TARGET;

        t->started += v[PULSE_TARGET_STARTED];
        t->ok += v[PULSE_TARGET_OK];
        t->failed += v[PULSE_TARGET_FAILED];
        t->latency_sum_ns += v[PULSE_TARGET_SUM_NS];
        if (v[PULSE_TARGET_MAX_NS] > t->latency_max_ns)
            t->latency_max_ns = v[PULSE_TARGET_MAX_NS];
    }
}

static uint64_t larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static void add_worker(struct load_pulse *p, const uint64_t *v)
{
    p->started += v[PULSE_STARTED];
    p->ok += v[PULSE_OK];
    p->failed += v[PULSE_FAILED];
    p->unfinished += v[PULSE_UNFINISHED];
    p->retried += v[PULSE_RETRIED];
    p->bytes_received += v[PULSE_BYTES_RECEIVED];
    p->in_flight += v[PULSE_IN_FLIGHT];
    p->copied_s += (double)v[PULSE_AT_NS] / NS_PER_S;
    p->connections += v[PULSE_CONNECTIONS];
    p->loop_lag_p99_ns = larger(p->loop_lag_p99_ns, v[PULSE_LAG_P99_NS]);
    p->send_lateness_p99_ns = larger(p->send_lateness_p99_ns, v[PULSE_LATENESS_P99_NS]);
    p->open_files = larger(p->open_files, v[PULSE_HIGHEST_FD] + 1);
    for (size_t k = 0; k < FAIL_KINDS; k++)
        p->failed_by_kind[k] += v[PULSE_KINDS + k];
}

/* A worker that was writing all the while counts as it was before. */
static void read_workers(struct pulse_reader *r, struct load_pulse *p)
{
    const size_t size = pulse_size(r->run->target_count);

    memset(r->targets, 0, r->run->target_count * sizeof(*r->targets));
    for (uint32_t i = 0; i < r->run->worker_count; i++) {
        uint64_t *values = r->latest + i * size;

        (void)pulse_read(&r->workers[i].pulse, values);
        add_worker(p, values);
        add_targets(r, values);
    }
    p->targets = r->targets;
    p->target_count = r->run->target_count;
    p->workers = r->run->worker_count;
    p->copied_s /= p->workers;
}

/* Shares of a core, over the last second or so. */
static void read_cpu(struct pulse_reader *r, struct load_pulse *p, uint64_t now)
{
    const size_t size = pulse_size(r->run->target_count);

    if (now - r->cpu_at_ns >= NS_PER_S) {
        const double passed = (double)(now - r->cpu_at_ns);
        double sum = 0, most = 0;

        for (uint32_t i = 0; i < r->run->worker_count; i++) {
            const uint64_t cpu = r->latest[i * size + PULSE_CPU_NS];
            const double share = r->cpu_before[i] > 0 && r->cpu_at_ns > 0 ? (double)(cpu - r->cpu_before[i]) / passed
                                                                          : 0;

            r->cpu_before[i] = cpu;
            sum += share;
            most = share > most ? share : most;
        }
        r->cpu_cores = sum;
        r->cpu_busiest = most;
        r->cpu_at_ns = now;
    }
    p->cpu_cores = r->cpu_cores;
    p->cpu_busiest = r->cpu_busiest;
}

/* Requests that the schedule had due; 0 without one. */
static double due_between(const struct run *run, uint64_t from_ns, uint64_t to_ns)
{
    return run->is_open ? pace_due_before(run, to_ns) - pace_due_before(run, from_ns) : 0;
}

/* What the drain brought is no second. */
static bool is_of_window(const struct load_plan *plan, const struct interval_counts *counts)
{
    return plan->duration_ns == 0 || counts->index * NS_PER_S < plan->duration_ns;
}

/* Seconds that every worker has closed: a figure of a second is that of all of them. */
static void next_second(struct pulse_reader *r)
{
    struct interval_counts counts;

    for (uint32_t i = 0; i < r->run->worker_count; i++) {
        size_t cursor = r->cursors[i];

        if (!interval_log_next(&r->workers[i].log, &cursor, &counts, NULL) || !is_of_window(r->plan, &counts))
            return;
    }
    hist_reset(r->second);
    r->second_ok = r->second_failed = 0;
    for (uint32_t i = 0; i < r->run->worker_count; i++) {
        if (!interval_log_next(&r->workers[i].log, &r->cursors[i], &counts, r->second))
            return;
        r->second_ok += counts.ok;
        r->second_failed += counts.failed;
        r->second_s = (double)(counts.end_ns - counts.start_ns) / NS_PER_S;
    }
    r->second_due = due_between(r->run, counts.start_ns - r->workers[0].window_start_ns,
                                counts.end_ns - r->workers[0].window_start_ns);
    hist_merge(r->whole, r->second);
    r->seconds++;
}

/* At the end workers need not have as many: what is left belongs to the last second. */
static void rest_of_seconds(struct pulse_reader *r)
{
    struct interval_counts counts;
    struct hist *rest = NULL;

    if (hist_new(&rest, NULL) != 0)
        return;
    for (uint32_t i = 0; i < r->run->worker_count; i++)
        while (interval_log_next(&r->workers[i].log, &r->cursors[i], &counts, rest))
            continue;
    hist_merge(r->whole, rest);
    hist_free(rest);
}

static void tell(struct pulse_reader *r, uint64_t now, bool last)
{
    const struct load_plan *plan = r->plan;
    struct load_pulse p = { .is_last = last,
                            .planned = plan->requests,
                            .planned_s = (double)plan->duration_ns / NS_PER_S,
                            .has_schedule = plan->schedule.stage_count > 0 || plan->schedule.burst_size > 0 };

    p.stage = run_stage(r->run, now, &p.elapsed_s);
    read_workers(r, &p);
    read_cpu(r, &p, now);
    if (atomic_load(&r->run->stop) == 0)
        next_second(r);
    if (last)
        rest_of_seconds(r);
    p.second_s = r->second_s;
    p.second_due = r->second_due;
    p.second_ok = r->second_ok;
    p.second_failed = r->second_failed;
    p.seconds = r->seconds;
    p.second = r->second;
    p.whole = r->whole;
    plan->on_pulse(plan->arg, &p);
}

void pulse_reader_poll(struct pulse_reader *r)
{
    const uint64_t now = clock_now_ns();

    if (r->latest == NULL || now < r->next_ns)
        return;
    tell(r, now, false);
    r->next_ns = now + PULSE_PERIOD_NS;
}

void pulse_reader_last(struct pulse_reader *r)
{
    if (r->latest != NULL)
        tell(r, clock_now_ns(), true);
}
