/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "load/pulse.h"

#include "base/clock.h"
#include "base/pages.h"
#include "load/loader.h"

#define READ_TRIES 64
#define SLOW_BEATS 10u /* percentiles of the health once a second: they walk a histogram */

int pulse_init(struct pulse *p, size_t targets, struct err *err)
{
    if (pages_map(&p->_memory, pulse_size(targets) * sizeof(*p->_values), err) != 0)
        return -1;
    p->_values = p->_memory;
    p->_count = pulse_size(targets);
    return 0;
}

void pulse_release(struct pulse *p)
{
    pages_unmap(p->_memory, p->_count * sizeof(*p->_values));
    p->_memory = NULL;
}

static void put(struct pulse *p, size_t i, uint64_t value)
{
    atomic_store_explicit(&p->_values[i], value, memory_order_release);
}

static void put_totals(struct loader *w)
{
    struct warm_tally sum = { 0 }; /* the same counters, without histograms */
    uint64_t bytes = 0;

    for (size_t i = 0; i < w->run->target_count; i++) {
        const struct tally *t = &w->tallies[i];
        const size_t at = PULSE_TARGETS + i * PULSE_PER_TARGET;

        sum.started += t->started;
        sum.ok += t->ok;
        sum.failed += t->failed;
        sum.unfinished += t->unfinished;
        sum.retried += t->retried;
        bytes += t->bytes_received;
        put(&w->pulse, at + PULSE_TARGET_STARTED, t->started);
        put(&w->pulse, at + PULSE_TARGET_OK, t->ok);
        put(&w->pulse, at + PULSE_TARGET_FAILED, t->failed);
        put(&w->pulse, at + PULSE_TARGET_SUM_NS, hist_sum_ns(&t->latency));
        put(&w->pulse, at + PULSE_TARGET_MAX_NS, hist_max_ns(&t->latency));
    }
    put(&w->pulse, PULSE_STARTED, sum.started);
    put(&w->pulse, PULSE_OK, sum.ok);
    put(&w->pulse, PULSE_FAILED, sum.failed);
    put(&w->pulse, PULSE_UNFINISHED, sum.unfinished);
    put(&w->pulse, PULSE_RETRIED, sum.retried);
    put(&w->pulse, PULSE_BYTES_RECEIVED, bytes);
}

static void put_health(struct loader *w)
{
    put(&w->pulse, PULSE_IN_FLIGHT, w->in_flight);
    put(&w->pulse, PULSE_CONNECTIONS, w->open_connections);
    put(&w->pulse, PULSE_CPU_NS, clock_thread_cpu_ns());
    put(&w->pulse, PULSE_AT_NS, clock_now_ns() - w->window_start_ns);
    put(&w->pulse, PULSE_HIGHEST_FD, (uint64_t)(w->highest_fd > 0 ? w->highest_fd : 0));
    for (size_t k = 0; k < FAIL_KINDS; k++)
        put(&w->pulse, PULSE_KINDS + k, w->failed_by_kind[k]);
    if (w->pulse._beats++ % SLOW_BEATS != 0)
        return;
    put(&w->pulse, PULSE_LAG_P99_NS, hist_value_at(&w->loop_lag, 99));
    put(&w->pulse, PULSE_LATENESS_P99_NS, hist_value_at(&w->send_lateness, 99));
}

void pulse_publish(struct loader *w)
{
    struct pulse *p = &w->pulse;
    uint64_t version;

    if (p->_memory == NULL)
        return;
    version = atomic_load_explicit(&p->_version, memory_order_relaxed);
    atomic_store_explicit(&p->_version, version + 1, memory_order_relaxed);
    put_totals(w);
    put_health(w);
    atomic_store_explicit(&p->_version, version + 2, memory_order_release);
}

bool pulse_read(struct pulse *p, uint64_t *out)
{
    for (int tries = 0; tries < READ_TRIES; tries++) {
        const uint64_t before = atomic_load_explicit(&p->_version, memory_order_acquire);

        if (before % 2 != 0)
            continue;
        for (size_t i = 0; i < p->_count; i++)
            out[i] = atomic_load_explicit(&p->_values[i], memory_order_acquire);
        if (atomic_load_explicit(&p->_version, memory_order_relaxed) == before)
            return true;
    }
    return false;
}
