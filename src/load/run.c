/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "load/load.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/pages.h"
#include "base/units.h"
#include "http/redact.h"
#include "load/collect.h"
#include "load/prepare.h"
#include "load/progress.h"
#include "load/pulse.h"
#include "load/watched.h"

#define POLL_NS UINT64_C(20000000)
#define GO_AHEAD_NS UINT64_C(1000000)
#define GO_GRID_NS UINT64_C(100000000)
#define STOP_AHEAD_NS UINT64_C(3000000)
#define RESOLVE_PERIOD_NS UINT64_C(400000000)

static void stop_workers(struct load *l, int how)
{
    if (atomic_load(&l->run.stop) >= how)
        how = atomic_load(&l->run.stop);
    pthread_mutex_lock(&l->run.lock);
    l->run.stop_ns = clock_now_ns() + STOP_AHEAD_NS;
    atomic_store(&l->run.stop, how);
    pthread_cond_broadcast(&l->run.changed);
    pthread_mutex_unlock(&l->run.lock);
    for (uint32_t i = 0; i < l->run.worker_count; i++)
        wakeup_send(&l->workers[i].wakeup);
}

/* Sleeps until a worker reports or POLL_NS has passed; called with the lock held. */
static void wait_a_little(struct run *run)
{
    struct timespec until;
    const uint64_t at = clock_now_ns() + POLL_NS; /* of the clock that the condition was made with */

    until.tv_sec = (time_t)(at / NS_PER_S);
    until.tv_nsec = (long)(at % NS_PER_S);
    pthread_cond_timedwait(&run->changed, &run->lock, &until);
}

static void drain_records(struct load *l)
{
    if (l->plan.on_records == NULL)
        return;
    for (uint32_t i = 0; i < l->run.worker_count; i++)
        record_ring_drain(&l->workers[i].ring, l->plan.on_records, l->plan.arg);
}

struct record_writer {
    struct load *load;
    _Atomic bool end;
};

/* Formats and writes ended requests, so that no worker does. */
static void *write_records(void *arg)
{
    struct record_writer *rw = arg;
    const struct timespec pause = { .tv_nsec = 10000000 }; /* the ring holds ten times what comes in this time */

    while (!atomic_load(&rw->end)) {
        drain_records(rw->load);
        nanosleep(&pause, NULL);
    }
    drain_records(rw->load);
    return NULL;
}

/* The stop that the caller asks for, and the one that the run itself asked for, reach the workers once each. */
static void pass_on_stop(struct load *l, int *passed)
{
    const int asked = l->plan.stop != NULL ? *l->plan.stop : 0;
    const int own = atomic_load(&l->run.stop);
    const int how = asked > own ? asked : own;

    if (how <= *passed)
        return;
    *passed = how;
    watcher_end(l->plan.watcher, clock_now_ns());
    stop_workers(l, how);
}

/* A moment soon, that the shares of one plan have in common as far as their ramps took alike long. */
static uint64_t go_time(const struct load *l)
{
    const uint64_t soon = clock_now_ns() + GO_AHEAD_NS, at = l->start.at_ns;

    return at == 0 || at > soon ? soon : at + ((soon - at - 1) / GO_GRID_NS + 1) * GO_GRID_NS;
}

static void re_resolve(struct load *l, uint64_t *next_ns)
{
    if (!l->plan.re_resolve || clock_now_ns() < *next_ns)
        return;
    for (size_t i = 0; i < l->run.target_count; i++)
        if (target_resolve(&l->run.targets[i], &l->plan, l->run.addresses, NULL) != 0)
            continue; /* the old addresses serve on */
    *next_ns = clock_now_ns() + RESOLVE_PERIOD_NS;
}

/* Over the window, as far as that is known by now. */
static void begin_watching(struct load *l)
{
    const uint64_t start = l->run.go_ns + l->plan.warmup_ns;

    watcher_begin(l->plan.watcher, start, l->plan.duration_ns > 0 ? start + l->plan.duration_ns : UINT64_MAX);
}

/* What the main thread does until every worker is over. True when the ramp reached nobody. */
static bool supervise(struct load *l)
{
    struct run *run = &l->run;
    struct progress_reader progress;
    struct pulse_reader pulse;
    uint64_t next_resolve = 0;
    bool never_reached = false;
    int passed = 0;

    progress_reader_init(&progress, &l->plan, l->workers, run->worker_count);
    pulse_reader_init(&pulse, run, l->workers);
    for (;;) {
        uint32_t ended;

        pthread_mutex_lock(&run->lock);
        if (run->ended < run->worker_count)
            wait_a_little(run);
        if (run->ramped == run->worker_count && !run->go && atomic_load(&run->stop) == 0) {
            never_reached = run->connected == 0 && !l->plan.keep_trying;
            if (never_reached) {
                atomic_store(&run->stop, 2);
            } else {
                run->go = true;
                run->go_ns = go_time(l);
                begin_watching(l);
            }
            pthread_cond_broadcast(&run->changed);
        }
        ended = run->ended;
        pthread_mutex_unlock(&run->lock);
        if (ended == run->worker_count)
            break;
        pass_on_stop(l, &passed);
        re_resolve(l, &next_resolve);
        progress_reader_poll(&progress, run);
        pulse_reader_poll(&pulse);
    }
    pulse_reader_last(&pulse);
    pulse_reader_release(&pulse);
    progress_reader_release(&progress);
    return never_reached;
}

static int start_workers(struct load *l, struct err *err)
{
    for (uint32_t i = 0; i < l->run.worker_count; i++)
        if (loader_start(&l->workers[i], err) != 0)
            return -1;
    return 0;
}

static void join_workers(struct load *l)
{
    for (uint32_t i = 0; i < l->run.worker_count; i++) {
        if (l->workers[i].thread_started)
            pthread_join(l->workers[i].thread, NULL);
        l->workers[i].thread_started = false;
    }
}

/* "Server: nginx" of the first reply's head. */
static void first_server(struct load_first *first, const char *head, size_t len)
{
    struct slice rest = slice_from(head, len);

    while (rest.len > 0) {
        struct slice line = slice_split(&rest, '\n');

        if (!slice_starts_nocase(line, SLICE("server:")))
            continue;
        line = slice_drop(line, 7);
        if (slice_ends(line, SLICE("\r")))
            line = slice_take(line, line.len - 1);
        line = slice_trim(line);
        snprintf(first->server, sizeof(first->server), "%.*s", SLICE_FMT(line));
        return;
    }
}

int load_run(struct load *l, struct result **out, struct err *err)
{
    struct run_facts facts = { .started_wall_ns = clock_wall_ns() + (uint64_t)l->start.clock_offset_ns,
                               .ramp_start_ns = clock_now_ns(),
                               .open_files_limit = l->open_files_limit };
    struct record_writer writer = { .load = l };
    pthread_t writer_thread;
    bool writing = false;
    int rc = -1;

    *out = NULL;
    if (watcher_start(l->plan.watcher, err) != 0)
        return -1;
    net_counters_read(&facts.net_before);
    if (l->plan.on_records != NULL)
        writing = pthread_create(&writer_thread, NULL, write_records, &writer) == 0;
    if (start_workers(l, err) == 0) {
        facts.never_reached = supervise(l);
        rc = 0;
    } else {
        stop_workers(l, 2);
    }
    join_workers(l);
    watcher_join(l->plan.watcher);
    atomic_store(&writer.end, true);
    if (writing)
        pthread_join(writer_thread, NULL);
    net_counters_read(&facts.net_after);
    facts.interrupted = l->plan.stop != NULL && *l->plan.stop != 0;
    if (rc != 0 || result_new(out, err) != 0)
        return -1;
    l->first = l->workers[0].first;
    first_server(&l->first, l->workers[0].first_head, l->workers[0].first_head_len);
    if (collect(*out, &l->run, l->workers, &facts, err) != 0) {
        result_free(*out);
        *out = NULL;
        return -1;
    }
    return 0;
}

const struct load_first *load_first_reply(const struct load *l)
{
    return &l->first;
}

void load_set_start(struct load *l, const struct load_start *start)
{
    l->start = *start;
}

uint64_t load_window_start_ns(struct load *l)
{
    struct run *run = &l->run;
    uint64_t start;

    pthread_mutex_lock(&run->lock);
    start = run->go ? run->go_ns + l->plan.warmup_ns : UINT64_MAX;
    pthread_mutex_unlock(&run->lock);
    return start;
}

static void describe_model(const struct load *l, struct buf *out)
{
    const struct load_plan *plan = &l->plan;
    char a[UNITS_TEXT_MAX], b[UNITS_TEXT_MAX];

    if (l->run.is_h2)
        buf_printf(out, "HTTP/2, %u request%s in flight on a connection at most (shown below as HTTP/1.1 has it)\n",
                   l->run.streams, l->run.streams == 1 ? "" : "s");
    if (l->run.is_pipelined)
        buf_printf(out, "pipelined: %u request%s in flight on a connection at most\n", l->run.streams,
                   units_plural(l->run.streams));
    for (size_t i = 0; i < plan->schedule.stage_count; i++) {
        const struct load_stage *g = &plan->schedule.stages[i];

        buf_printf(out, "%s requests come due at %s/s", i == 0 ? "open model:" : "then",
                   units_format_number(a, g->from_per_s));
        if (g->from_per_s != g->to_per_s)
            buf_printf(out, " to %s/s", units_format_number(b, g->to_per_s));
        if (g->length_ns != UINT64_MAX)
            buf_printf(out, " for %s", units_format_duration(a, (double)g->length_ns));
        buf_add_str(out, "\n");
    }
    if (plan->schedule.burst_size > 0)
        buf_printf(out, "open model: %llu request%s due together every %s\n",
                   (unsigned long long)plan->schedule.burst_size, plan->schedule.burst_size == 1 ? " comes" : "s come",
                   units_format_duration(a, (double)plan->schedule.burst_period_ns));
    if (plan->think_max_ns > 0)
        buf_printf(out, "each connection pauses %s to %s after a reply\n",
                   units_format_duration(a, (double)plan->think_min_ns),
                   units_format_duration(b, (double)plan->think_max_ns));
    if (plan->ramp_up_ns > 0)
        buf_printf(out, "connections join one by one over %s\n", units_format_duration(a, (double)plan->ramp_up_ns));
}

void load_describe(const struct load *l, struct buf *out)
{
    char text[ADDR_TEXT_MAX], time[UNITS_TEXT_MAX];

    if (load_share_count(l->run.share) > 1)
        buf_printf(out, "share %u of %u: of the plan's %llu connection%s ", l->run.share.index + 1, l->run.share.count,
                   (unsigned long long)l->run.all_connections, units_plural(l->run.all_connections));
    buf_printf(out, "%u connection%s on %u thread%s, ", l->connections, l->connections == 1 ? "" : "s",
               l->run.worker_count, l->run.worker_count == 1 ? "" : "s");
    if (l->plan.requests > 0)
        buf_printf(out, "%llu request%s%s", (unsigned long long)l->plan.requests, units_plural(l->plan.requests),
                   l->plan.duration_ns > 0 ? " or " : "");
    if (l->plan.duration_ns > 0)
        buf_add_str(out, units_format_duration(time, (double)l->plan.duration_ns));
    if (l->plan.warmup_ns > 0)
        buf_printf(out, " after %s of warm-up", units_format_duration(time, (double)l->plan.warmup_ns));
    buf_add_str(out, "\n");
    describe_model(l, out);
    for (size_t i = 0; i < watcher_part_count(l->plan.watcher); i++) {
        const struct watcher_part *p = watcher_part(l->plan.watcher, i);

        buf_printf(out, "watching %s: ", p->name);
        load_redact_spec(out, slice_str(p->spec));
        buf_add_str(out, "\n");
    }
    for (size_t i = 0; i < l->run.target_count; i++) {
        const struct target *t = &l->run.targets[i];
        const struct address_set *set = atomic_load(&t->addresses);

        buf_printf(out, "%s ", t->spec->method);
        redact_url(out, slice_str(t->spec->url));
        for (size_t k = 0; k < set->count; k++)
            buf_printf(out, "%s%s", k == 0 ? " -> " : ", ", addr_format(text, &set->items[k].addr));
        buf_add_str(out, l->plan.proxy != NULL ? " (the proxy)\n" : "\n");
        redact_head(out, buf_slice(&t->connect_request));
        redact_head(out,
                    slice_take(buf_slice(&t->keep_request), t->keep_request.len < 4096 ? t->keep_request.len : 4096));
    }
}

void load_free(struct load *l)
{
    if (l == NULL)
        return;
    for (uint32_t i = 0; l->workers != NULL && i < l->run.worker_count; i++)
        loader_release(&l->workers[i]);
    pages_unmap(l->workers, l->workers_bytes);
    for (size_t i = 0; i < l->run.target_count; i++)
        target_release(&l->run.targets[i]);
    free(l->run.targets);
    free(l->run.places);
    free(l->run.tls_configs);
    feed_release(&l->run.feed);
    pages_unmap(l->noise, l->noise_bytes);
    pages_unmap(l->run.addresses, sizeof(*l->run.addresses));
    pthread_mutex_destroy(&l->run.lock);
    pthread_cond_destroy(&l->run.changed);
    free(l);
}
