/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "load/loader.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/prctl.h>

#include "base/clock.h"
#include "base/pages.h"
#include "base/units.h"

#define LAG_PERIOD_NS UINT64_C(10000000)
#define RAMP_TICK_NS UINT64_C(1000000)
#define RAMP_FIRST 16u    /* connections opened at once, and then so many a ms, over all workers: listen queues */
#define RAMP_PER_MS 16u   /* are short, and one that overflows costs a second (the SYN's retransmission) */
#define RAMP_OPENING 512u /* and so many at once may be on their way */
#define LINGER_MAX 4096u
/* Address space for sessions: buffers, header tables, streams. */
#define H2_POOL_BASE ((size_t)16 << 20)
#define H2_POOL_PER_CONNECTION ((size_t)1 << 20)

struct watch *loader_take_watch(struct loader *w)
{
    if (w->free_watch_count == 0)
        BUG("no watch is left: %u connections", w->conn_count);
    return w->free_watches[--w->free_watch_count];
}

void loader_watch_closed(struct watch *watch)
{
    const struct client *c = watch->arg;
    struct loader *w = c->loader;

    w->free_watches[w->free_watch_count++] = watch;
}

void loader_check_over(struct loader *w, uint64_t now)
{
    const bool none_to_come = w->stage == STAGE_DRAIN || (w->stage == STAGE_WINDOW && w->budget == 0);

    if (none_to_come && w->in_flight == 0)
        loader_finish(w, now);
}

static void end_window(struct loader *w, uint64_t now)
{
    w->cpu_end_ns = clock_thread_cpu_ns();
    account_roll(w, now);
    account_time(w, now);
}

/* Everything that is still on its way is unfinished; the loop ends. */
void loader_finish(struct loader *w, uint64_t now)
{
    if (w->stage == STAGE_OVER)
        return;
    if (w->stage == STAGE_WINDOW)
        end_window(w, now);
    w->finished_ns = now;
    w->not_sent = pace_not_sent(w);
    for (uint32_t i = 0; i < w->conn_count; i++) {
        struct client *c = &w->conns[i];

        if (c->state == CLIENT_SENDING || c->state == CLIENT_READING ||
            (c->state == CLIENT_PIPELINE && c->front != NULL))
            http1_note_reply(c);
        for (uint32_t k = 0; k < c->exchange_count; k++) {
            if (!c->exchanges[k].active)
                continue;
            account_unfinished(&c->exchanges[k], now);
            exchange_free(&c->exchanges[k]);
        }
    }
    if (w->interval.start_ns != 0)
        account_last_interval(w, now);
    w->stage = STAGE_OVER;
    w->finished_ns = now;
    pulse_publish(w);
    for (uint32_t i = 0; i < w->conn_count; i++) {
        client_close(&w->conns[i]);
        w->conns[i].state = CLIENT_FINISHED;
    }
    linger_close_all(w);
    loop_stop(w->loop);
}

static void start_idle(struct loader *w)
{
    for (uint32_t i = 0; i < w->active && w->stage != STAGE_OVER; i++) {
        struct client *c = &w->conns[i];
        const uint64_t now = clock_now_ns();

        if (c->state != CLIENT_SLEEPING && c->state != CLIENT_FINISHED)
            loader_next_all(c, now);
    }
}

static void begin_window(struct loader *w)
{
    w->stage = STAGE_WINDOW;
    w->cpu_start_ns = clock_thread_cpu_ns();
    w->in_flight_at_ns = w->window_start_ns;
    w->alive_ns = w->window_start_ns;
    w->interval.start_ns = w->window_start_ns;
    w->interval_end_ns = w->window_start_ns + NS_PER_S;
    if (w->interval_end_ns > w->window_end_ns)
        w->interval_end_ns = w->window_end_ns;
    w->lag_due_ns = clock_now_ns() + LAG_PERIOD_NS;
    alarm_at(&w->lag_alarm, w->lag_due_ns);
    if (w->window_end_ns != UINT64_MAX)
        alarm_at(&w->stage_alarm, w->window_end_ns);
    pace_begin(w);
    start_idle(w);
}

static void begin_drain(struct loader *w, uint64_t now)
{
    end_window(w, now);
    w->stage = STAGE_DRAIN;
    w->drain_end_ns = now + w->run->plan->drain_ns;
    alarm_at(&w->stage_alarm, w->drain_end_ns);
    loader_check_over(w, now);
}

static void on_stage(struct alarm_ns *a)
{
    struct loader *w = a->arg;
    const uint64_t now = clock_now_ns();

    switch (w->stage) {
    case STAGE_RAMP:
        if (w->run->plan->warmup_ns > 0) {
            w->stage = STAGE_WARMUP;
            alarm_at(a, w->window_start_ns);
            pace_begin(w);
            start_idle(w);
            return;
        }
        begin_window(w);
        return;
    case STAGE_WARMUP:
        begin_window(w);
        return;
    case STAGE_WINDOW:
        begin_drain(w, now);
        return;
    case STAGE_DRAIN:
        loader_finish(w, now);
        return;
    case STAGE_OVER:
        return;
    }
}

/* A timer of the loop that watches the loop: how late it fires is how late any event may have been seen. */
static void on_lag(struct alarm_ns *a)
{
    struct loader *w = a->arg;
    const uint64_t now = clock_now_ns();

    if (w->stage != STAGE_WINDOW && (w->stage != STAGE_DRAIN || w->run->plan->on_pulse == NULL))
        return;
    if (w->stage == STAGE_WINDOW) {
        hist_record(&w->loop_lag, now > w->lag_due_ns ? now - w->lag_due_ns : 0);
        account_roll(w, now);
    }
    if (now >= w->pulse_due_ns) {
        pulse_publish(w);
        /* In step with the seconds of the window: what is read soon after one ends is of that second. */
        w->pulse_due_ns = now - (now - w->window_start_ns) % PULSE_PERIOD_NS + PULSE_PERIOD_NS;
    }
    w->lag_due_ns = now + LAG_PERIOD_NS;
    alarm_at(a, w->lag_due_ns);
}

static void cut_window(struct loader *w, uint64_t end)
{
    if (end < w->window_end_ns)
        w->window_end_ns = end;
    if (w->interval_end_ns > w->window_end_ns)
        w->interval_end_ns = w->window_end_ns;
}

static uint64_t run_stop_ns(struct run *run)
{
    uint64_t at;

    pthread_mutex_lock(&run->lock);
    at = run->stop_ns;
    pthread_mutex_unlock(&run->lock);
    return at;
}

static void on_stop(struct wakeup *wakeup)
{
    struct loader *w = wakeup->arg;
    const uint64_t now = clock_now_ns();
    const int stop = atomic_load(&w->run->stop);

    if (stop == 0 || w->stage == STAGE_OVER)
        return;
    if (w->stage == STAGE_RAMP) {
        loop_stop(w->loop);
        return;
    }
    if (w->stage == STAGE_WARMUP) { /* there was no window: an empty one ends now */
        w->window_start_ns = w->window_end_ns = now;
        w->in_flight_at_ns = now;
    }
    if (w->stage == STAGE_WINDOW && stop == 1) {
        /* The same moment for all workers, also for one that hears of it late: what it did since is of the drain. */
        cut_window(w, run_stop_ns(w->run));
        alarm_at(&w->stage_alarm, w->window_end_ns);
        return;
    }
    if (w->stage != STAGE_DRAIN)
        cut_window(w, now);
    if (stop > 1 || w->stage == STAGE_DRAIN) /* asked to stop while it only waits: it has waited enough */
        loader_finish(w, now);
    else
        begin_drain(w, now);
}

static bool ramp_is_over(const struct loader *w)
{
    return w->ramp_next == w->active && w->ramp_waiting == 0;
}

static void on_ramp(struct timer *t)
{
    struct loader *w = t->arg;
    const uint64_t now = clock_now_ns();
    const uint64_t due = RAMP_FIRST + (now - w->ramp_start_ns) * RAMP_PER_MS / NS_PER_MS;

    while (w->ramp_next < w->active && w->ramp_next <= due / w->run->worker_count && w->ramp_waiting < RAMP_OPENING) {
        struct client *c = &w->conns[w->ramp_next++];

        c->in_ramp = true;
        w->ramp_waiting++;
        client_open(c, now);
    }
    if (ramp_is_over(w))
        loop_stop(w->loop);
    else
        timer_start(t, RAMP_TICK_NS);
}

static void on_ramp_limit(struct timer *t)
{
    struct loader *w = t->arg;

    if (w->stage == STAGE_RAMP)
        loop_stop(w->loop);
}

static void ramp(struct loader *w)
{
    timer_init(&w->ramp_timer, w->loop);
    w->ramp_timer.on_time = on_ramp;
    w->ramp_timer.arg = w;
    timer_init(&w->ramp_limit_timer, w->loop);
    w->ramp_limit_timer.on_time = on_ramp_limit;
    w->ramp_limit_timer.arg = w;
    w->ramp_start_ns = clock_now_ns();
    timer_start(&w->ramp_limit_timer, w->run->plan->connect_timeout_ns);
    if (!w->run->plan->open_on_demand) {
        timer_start(&w->ramp_timer, 0);
        loop_run(w->loop);
    }
    timer_stop(&w->ramp_timer);
    timer_stop(&w->ramp_limit_timer);
    w->ramp_end_ns = clock_now_ns();
}

/* Waits until every worker has opened its connections; false when the run is not to go on. */
static bool meet(struct loader *w)
{
    struct run *run = w->run;
    uint64_t connected = 0;
    bool go;

    for (uint32_t i = 0; i < w->conn_count; i++)
        connected += w->conns[i].watch != NULL;
    connected += w->ramp_opened + w->ramp_refusals; /* more than once is no harm: it asks for any */
    pthread_mutex_lock(&run->lock);
    run->ramped++;
    run->connected += connected;
    pthread_cond_broadcast(&run->changed);
    while (!run->go && atomic_load(&run->stop) == 0)
        pthread_cond_wait(&run->changed, &run->lock);
    go = run->go;
    w->window_start_ns = run->go_ns + run->plan->warmup_ns;
    pthread_mutex_unlock(&run->lock);
    if (run->plan->duration_ns > 0 && go)
        w->window_end_ns = w->window_start_ns + run->plan->duration_ns;
    return go;
}

static void *loader_main(void *arg)
{
    struct loader *w = arg;
    struct run *run = w->run;

    prctl(PR_SET_TIMERSLACK, 1UL);
    ramp(w);
    if (meet(w)) {
        alarm_at(&w->stage_alarm, run->go_ns);
        loop_run(w->loop);
    }
    if (w->stage != STAGE_OVER) { /* stopped before it began */
        w->window_start_ns = w->window_end_ns = clock_now_ns();
        w->interval.start_ns = w->window_start_ns; /* one of no length: for what failed meanwhile */
        loader_finish(w, w->window_start_ns);
    }
    pthread_mutex_lock(&run->lock);
    run->ended++;
    pthread_cond_broadcast(&run->changed);
    pthread_mutex_unlock(&run->lock);
    return NULL;
}

int loader_start(struct loader *w, struct err *err)
{
    const int rc = pthread_create(&w->thread, NULL, loader_main, w);

    if (rc != 0)
        return err_set(err, ERR_SYSTEM, rc, "cannot start a worker thread");
    w->thread_started = true;
    return 0;
}

static void *map(size_t bytes, struct err *err)
{
    void *p = NULL;

    return pages_map(&p, bytes, err) == 0 ? p : NULL;
}

/* A connection that fails at once may open a few more sockets before the loop's turn ends and the watches come back. */
static size_t watch_capacity(const struct loader *w)
{
    return 6u * w->conn_count + 64;
}

#define MAP(field, count) (((field) = map((count) * sizeof(*(field)), err)) != NULL)

static int init_memory(struct loader *w, struct err *err)
{
    const struct run *run = w->run;
    const struct load_plan *plan = run->plan;
    const uint64_t seconds = plan->duration_ns > 0 ? plan->duration_ns / NS_PER_S + 2 : 1u << 16;
    const size_t saved = plan->save_failures_dir != NULL ? plan->save_failures_max : 0;

    w->linger_capacity = w->conn_count + LINGER_MAX;
    if (w->is_open && !MAP(w->turns, w->conn_count))
        return -1;
    if (!MAP(w->conns, w->conn_count) || !MAP(w->exchanges, (size_t)w->conn_count * run->streams) ||
        !MAP(w->tallies, run->target_count) || !MAP(w->watches, watch_capacity(w)) ||
        !MAP(w->free_watches, watch_capacity(w)) || !MAP(w->lingers, w->linger_capacity) ||
        !MAP(w->scratch, SCRATCH_BYTES) || !MAP(w->keep, w->conn_count * run->keep_max) ||
        !MAP(w->thinking, (size_t)w->conn_count * run->streams))
        return -1;
    w->body_way = (struct body_way){ w->scratch, SCRATCH_BYTES, w->conn_count <= COPY_FILES_AT_MOST };
    if (failures_init(&w->failures,
                      &(struct failures_limits){ run->target_count, saved, run->keep_max, run->render_max },
                      err) != 0 ||
        interval_log_init(&w->log, seconds, err) != 0)
        return -1;
    if (run->is_h2 &&
        (!MAP(w->h2_out, (size_t)w->conn_count * H2_OUT_BYTES) ||
         h2_pool_new(&w->h2_pool, H2_POOL_BASE + (size_t)w->conn_count * H2_POOL_PER_CONNECTION, err) != 0))
        return -1;
    if (plan->on_pulse != NULL && pulse_init(&w->pulse, run->target_count, err) != 0)
        return -1;
    if (plan->cookies && !MAP(w->cookies, w->conn_count))
        return -1;
    if (run->render_max > 0 && !MAP(w->rendered, (size_t)w->conn_count * run->streams * run->render_max))
        return -1;
    for (size_t i = 0; run->is_h2 && run->render_max > 0 && i < (size_t)w->conn_count * run->streams; i++)
        if (h2_request_reserve(&w->exchanges[i].h2_request, run->render_max, err) != 0)
            return -1;
    if (run->checks && check_states_new(&w->check_states, (size_t)w->conn_count * run->streams, run->has_digests,
                                        run->has_patterns, err) != 0)
        return -1;
    if (run->has_patterns && pattern_matcher_new(&w->matcher, err) != 0)
        return -1;
    if (plan->on_records != NULL && record_ring_init(&w->ring, err) != 0)
        return -1;
    w->free_watch_count = watch_capacity(w);
    for (size_t i = 0; i < w->free_watch_count; i++)
        w->free_watches[i] = &w->watches[w->free_watch_count - 1 - i];
    return 0;
}

static int init_histograms(struct loader *w, struct err *err)
{
    for (size_t i = 0; i < w->run->target_count; i++)
        if (hist_init(&w->tallies[i].latency, err) != 0 || hist_init(&w->tallies[i].service_time, err) != 0)
            return -1;
    for (int i = 0; i < CLASSES; i++)
        if (hist_init(&w->by_class[i], err) != 0)
            return -1;
    for (int i = 0; i < PHASES; i++)
        if (hist_init(&w->phases[i], err) != 0)
            return -1;
    if (hist_init(&w->send_lateness, err) != 0 || hist_init(&w->tls_full, err) != 0 ||
        hist_init(&w->tls_resumed, err) != 0)
        return -1;
    return hist_init(&w->loop_lag, err) != 0 || hist_init(&w->interval_latency, err) != 0 ? -1 : 0;
}

static int init_tls_config(struct loader *w, uint32_t k, struct err *err)
{
    const struct run *run = w->run;
    struct tls_client_config config = run->tls_configs[k];
    double least = 1, most = 0;

    for (size_t i = 0; i < run->target_count; i++) {
        const struct target *t = &run->targets[i];

        if (!t->https || t->tls_config != k)
            continue;
        least = t->manner.tls_resume < least ? t->manner.tls_resume : least;
        most = t->manner.tls_resume > most ? t->manner.tls_resume : most;
    }
    if (least < 1 && tls_client_context(&w->tls[k].fresh, &config, err) != 0)
        return -1;
    config.session_cache = true;
    config.session_peers = (uint32_t)run->target_count;
    return most > 0 ? tls_client_context(&w->tls[k].resuming, &config, err) : 0;
}

static int init_tls(struct loader *w, struct err *err)
{
    if (w->run->tls_config_count == 0)
        return 0;
    w->tls = calloc(w->run->tls_config_count, sizeof(*w->tls));
    if (w->tls == NULL)
        return err_set(err, ERR_SYSTEM, ENOMEM, "no memory for TLS settings");
    for (uint32_t k = 0; k < w->run->tls_config_count; k++)
        if (init_tls_config(w, k, err) != 0)
            return -1;
    return 0;
}

static int init_loop(struct loader *w, struct err *err)
{
    if (loop_new(&w->loop, err) != 0)
        return -1;
    lists_init(w);
    w->wakeup.on_wakeup = on_stop;
    w->wakeup.arg = w;
    w->stage_alarm.on_time = on_stage;
    w->stage_alarm.arg = w;
    w->lag_alarm.on_time = on_lag;
    w->lag_alarm.arg = w;
    if (wakeup_init(&w->wakeup, w->loop, err) != 0 || alarm_init(&w->stage_alarm, w->loop, err) != 0 ||
        alarm_init(&w->lag_alarm, w->loop, err) != 0)
        return -1;
    return init_tls(w, err);
}

int loader_init(struct loader *w, struct run *run, uint32_t index, const struct loader_share *share, struct err *err)
{
    w->run = run;
    w->index = index;
    w->conn_count = share->conn_count + share->grow_count;
    w->budget = share->budget;
    w->next_seq = share->first_seq;
    w->seq_step = share->seq_step;
    w->next_warm_seq = share->first_warm_seq;
    w->is_open = run->is_open;
    w->in_flight_limit = share->in_flight_limit;
    w->stage = STAGE_RAMP;
    w->window_start_ns = w->window_end_ns = w->interval_end_ns = UINT64_MAX;
    if (init_memory(w, err) != 0 || init_histograms(w, err) != 0 || init_loop(w, err) != 0)
        return -1;
    for (uint32_t i = 0; i < w->conn_count; i++) {
        const uint64_t k = deal_number(&run->workers, index, i);
        const struct place place = run->places[k];

        client_init(&w->conns[i], w, &run->targets[place.target], i, place.ordinal);
        w->conns[i].number = (uint32_t)deal_number(&run->shares, run->share.index, k);
        if (w->turns != NULL && i < share->conn_count)
            w->turns[i] = w->conns[i].number;
    }
    w->active = w->is_open ? share->conn_count : pace_active_share(w, 0);
    if (pace_init(w, err) != 0)
        return -1;
    w->is_complete = true;
    return 0;
}

void loader_release(struct loader *w)
{
    if (w->run == NULL)
        return;
    if (w->loop != NULL) {
        if (w->is_complete) {
            alarm_close(&w->stage_alarm);
            alarm_close(&w->lag_alarm);
            pace_release(w);
        }
        loop_free(w->loop);
    }
    for (uint32_t k = 0; w->tls != NULL && k < w->run->tls_config_count; k++) {
        tls_context_free(w->tls[k].fresh);
        tls_context_free(w->tls[k].resuming);
    }
    free(w->tls);
    for (size_t i = 0; w->tallies != NULL && i < w->run->target_count; i++) {
        hist_release(&w->tallies[i].latency);
        hist_release(&w->tallies[i].service_time);
    }
    for (int i = 0; i < CLASSES; i++)
        hist_release(&w->by_class[i]);
    for (int i = 0; i < PHASES; i++)
        hist_release(&w->phases[i]);
    hist_release(&w->loop_lag);
    hist_release(&w->send_lateness);
    hist_release(&w->tls_full);
    hist_release(&w->tls_resumed);
    hist_release(&w->interval_latency);
    interval_log_release(&w->log);
    record_ring_release(&w->ring);
    for (size_t i = 0; w->exchanges != NULL && i < (size_t)w->conn_count * w->run->streams; i++)
        h2_request_free(w->exchanges[i].h2_request);
    pages_unmap(w->cookies, w->conn_count * sizeof(*w->cookies));
    pages_unmap(w->rendered, (size_t)w->conn_count * w->run->streams * w->run->render_max);
    failures_release(&w->failures);
    pulse_release(&w->pulse);
    check_states_free(w->check_states, (size_t)w->conn_count * w->run->streams);
    pattern_matcher_free(w->matcher);
    pages_unmap(w->conns, w->conn_count * sizeof(*w->conns));
    pages_unmap(w->exchanges, (size_t)w->conn_count * w->run->streams * sizeof(*w->exchanges));
    h2_pool_free(w->h2_pool);
    pages_unmap(w->h2_out, (size_t)w->conn_count * H2_OUT_BYTES);
    pages_unmap(w->tallies, w->run->target_count * sizeof(*w->tallies));
    pages_unmap(w->watches, watch_capacity(w) * sizeof(*w->watches));
    pages_unmap(w->free_watches, watch_capacity(w) * sizeof(*w->free_watches));
    pages_unmap(w->lingers, w->linger_capacity * sizeof(*w->lingers));
    pages_unmap(w->scratch, SCRATCH_BYTES);
    pages_unmap(w->turns, w->conn_count * sizeof(*w->turns));
    pages_unmap(w->thinking, (size_t)w->conn_count * w->run->streams * sizeof(*w->thinking));
    pages_unmap(w->keep, w->conn_count * w->run->keep_max);
}
