/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "serve/worker.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "serve/access_log.h"
#include "serve/conn.h"
#include "serve/http2.h"
#include "serve/site.h"
#include "serve/http_date.h"
#include "serve/offload.h"
#include "serve/self.h"
#include "serve/turns.h"
#include "serve/upstream.h"

enum { ACCEPTS_PER_EVENT = 64 }; /* a storm of connections must not starve those that are open */

#define TICK_MIN_NS 10000000u      /* time-outs are not more exact than this */
#define ACCEPT_AGAIN_NS 100000000u /* after running out of descriptors */
#define LOG_NS 500000000u
#define LINGER_NS 2000000000u

/* ---- Time ---- */

static void refresh_date(struct worker *w)
{
    uint64_t wall_ns = clock_wall_ns();
    char text[HTTP_DATE_MAX];
    struct slice date = http_date_format(text, (time_t)(wall_ns / 1000000000u));

    w->date_len = (size_t)snprintf(w->date, sizeof(w->date), "Date: %.*s\r\n", SLICE_FMT(date));
    w->date_due_ns = w->now_ns + 1000000000u - wall_ns % 1000000000u;
}

void worker_touch(struct worker *w)
{
    w->now_ns = clock_now_ns();
    if (w->now_ns >= w->date_due_ns) {
        refresh_date(w);
    }
}

static void arm_tick(struct worker *w)
{
    uint64_t due_ns = deadlines_next_ns(&w->deadlines);

    w->tick_due_ns = due_ns;
    if (due_ns != UINT64_MAX) {
        uint64_t left_ns = due_ns > w->now_ns ? due_ns - w->now_ns : 0;
        timer_start(&w->tick, left_ns > TICK_MIN_NS ? left_ns : TICK_MIN_NS);
    }
}

void worker_deadline(struct worker *w, struct deadline *d, enum deadline_kind kind)
{
    deadline_begin(&w->deadlines, d, kind, w->now_ns);
    if (w->deadlines.length_ns[kind] > 0 && w->now_ns + w->deadlines.length_ns[kind] < w->tick_due_ns) {
        arm_tick(w);
    }
}

static void tick(struct timer *t)
{
    struct worker *w = t->arg;
    struct deadline *d;
    enum deadline_kind kind;

    worker_touch(w);
    while ((d = deadlines_expired(&w->deadlines, w->now_ns, &kind)) != NULL) {
        if (kind == DEADLINE_STREAM) {
            http2_body_expired(d);
        } else {
            conn_expired((struct conn *)(void *)d, kind);
        }
    }
    arm_tick(w);
}

/* ---- Accepting ---- */

static void pause_listener(struct worker_listener *l)
{
    l->paused = true;
    watch_change(&l->watch, 0);
}

static void resume_listeners(struct worker *w)
{
    for (size_t i = 0; i < w->listener_count; i++) {
        if (w->listeners[i].paused && w->listeners[i].fd >= 0) {
            w->listeners[i].paused = false;
            watch_change(&w->listeners[i].watch, WATCH_READ);
        }
    }
}

static void accept_again(struct timer *t)
{
    resume_listeners(t->arg);
}

static bool is_full(const struct worker *w)
{
    return w->max_open > 0 && w->counts.open >= w->max_open;
}

void worker_conn_closed(struct worker *w)
{
    if (w->max_open > 0 && !is_full(w)) {
        resume_listeners(w);
    }
}

/* False: nothing more to accept now. */
static bool accept_one(struct worker_listener *l)
{
    struct worker *w = l->worker;
    struct addr peer;

    if (is_full(w)) {
        pause_listener(l);
        return false;
    }
    int fd = listen_accept(l->fd, &peer);
    if (fd >= 0) {
        conn_accept(w, fd, l->tls);
        return true;
    }
    if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM) {
        pause_listener(l);
        timer_start(&w->accept_again, ACCEPT_AGAIN_NS);
        return false;
    }
    return errno == ECONNABORTED || errno == EINTR; /* that one went, there may be others */
}

static void listener_ready(struct watch *watch, unsigned events)
{
    struct worker_listener *l = watch->arg;

    (void)events;
    worker_touch(l->worker);
    for (int i = 0; i < ACCEPTS_PER_EVENT && accept_one(l); i++) {
    }
}

int worker_listen(struct worker *w, int fd, bool tls, struct err *err)
{
    struct worker_listener *l = &w->listeners[w->listener_count];

    *l = (struct worker_listener){ .worker = w, .fd = fd, .tls = tls };
    l->watch.arg = l;
    l->watch.on_ready = listener_ready;
    if (watch_start(&l->watch, w->loop, fd, WATCH_READ, err) != 0) {
        close(fd);
        return -1;
    }
    w->listener_count++;
    return 0;
}

/* Connections whose handshake the kernel has finished are still served; a bounded number, for others may come all the
 * time. */
static void close_listeners(struct worker *w)
{
    for (size_t i = 0; i < w->listener_count; i++) {
        struct worker_listener *l = &w->listeners[i];
        if (l->fd < 0) {
            continue;
        }
        for (int n = 0; n < w->config->backlog && accept_one(l); n++) {
        }
        watch_stop(&l->watch);
        close(l->fd);
        l->fd = -1;
    }
}

/* ---- Stopping ---- */

static void stop_when_over(struct worker *w)
{
    if (w->phase != WORKER_SERVING && w->living == 0 && w->away == 0) {
        loop_stop(w->loop);
    }
}

void worker_conn_forgotten(struct worker *w)
{
    w->living--;
    stop_when_over(w);
}

static void drop_all(struct worker *w)
{
    w->phase = WORKER_DROPPING;
    w->was_cut_off |= w->conns != NULL;
    while (w->conns != NULL) {
        conn_reset(w->conns);
    }
    stop_when_over(w);
}

static void grace_is_over(struct timer *t)
{
    drop_all(t->arg);
}

static void stop_gracefully(struct worker *w)
{
    w->phase = WORKER_STOPPING;
    close_listeners(w);
    upstream_stop(w->upstream);
    for (struct conn *c = w->conns, *next; c != NULL; c = next) {
        next = c->next;
        conn_stop(c);
    }
    timer_start(&w->grace, w->config->grace_ns);
    stop_when_over(w);
}

static void reload(struct worker *w, int calls)
{
    w->reloads_done = calls;
    shared_tls_reload(&w->site->tls, w->config, calls);
}

static void woken(struct wakeup *wakeup)
{
    struct worker *w = wakeup->arg;
    int stops = __atomic_load_n(&w->stop_calls, __ATOMIC_RELAXED);
    int reloads = __atomic_load_n(&w->reload_calls, __ATOMIC_RELAXED);

    worker_touch(w);
    offload_collect(w);
    turn_collect(w);
    if (reloads != w->reloads_done) {
        reload(w, reloads);
    }
    if (stops > 0 && w->phase == WORKER_SERVING) {
        stop_gracefully(w);
    }
    if (stops > 1 && w->phase == WORKER_STOPPING) {
        drop_all(w);
    }
    stop_when_over(w);
}

/* ---- Life ---- */

static void set_lengths(struct worker *w)
{
    deadlines_init(&w->deadlines);
    w->deadlines.length_ns[DEADLINE_HEAD] = w->config->head_timeout_ns;
    w->deadlines.length_ns[DEADLINE_BODY] = w->config->body_timeout_ns;
    w->deadlines.length_ns[DEADLINE_STREAM] = w->config->body_timeout_ns;
    w->deadlines.length_ns[DEADLINE_SEND] = w->config->send_timeout_ns;
    w->deadlines.length_ns[DEADLINE_IDLE] = w->config->idle_timeout_ns;
    w->deadlines.length_ns[DEADLINE_LINGER] = LINGER_NS;
    double quota = (double)w->config->body_min_rate * (double)w->config->body_timeout_ns / 1e9;
    w->body_quota_bytes = quota > 1 ? (uint64_t)quota : 1;
}

static void set_timer(struct worker *w, struct timer *t, void (*on_time)(struct timer *t))
{
    t->on_time = on_time;
    t->arg = w;
    timer_init(t, w->loop);
}

/* Before each sleep: lines are written twice a second at least, and not with every request under load. */
static void write_log(void *arg)
{
    struct worker *w = arg;

    if (w->log_lines.len == 0) {
        return;
    }
    if (w->now_ns >= w->log_due_ns) {
        access_log_flush(&w->log_lines, w->site->access_log);
        w->log_due_ns = w->now_ns + LOG_NS;
    } else if (!timer_is_running(&w->log_later)) {
        timer_start(&w->log_later, LOG_NS);
    }
}

static void log_is_due(struct timer *t)
{
    worker_touch(t->arg); /* write_log() follows in this turn */
}

int worker_init(struct worker *w, const struct serve_config *config, struct site *site, struct err *err)
{
    *w = (struct worker){ .config = config,
                          .site = site,
                          .tick_due_ns = UINT64_MAX,
                          .read_size = config->head_max_bytes + (size_t)WORKER_READ_BYTES };
    pthread_mutex_init(&w->mail_lock, NULL);
    if (loop_new(&w->loop, err) != 0) {
        return -1;
    }
    w->read_bytes = malloc(w->read_size);
    w->out_bytes = malloc(WORKER_OUT_BYTES);
    w->self_memory = calloc(1, sizeof(*w->self_memory));
    w->listeners = calloc(config->listen.count + config->tls_listen.count, sizeof(*w->listeners));
    w->wakeup.on_wakeup = woken;
    w->wakeup.arg = w;
    if (w->read_bytes == NULL || w->out_bytes == NULL || w->self_memory == NULL || w->listeners == NULL) {
        err_set(err, ERR_SYSTEM, ENOMEM, "cannot start a server thread");
    } else if (wakeup_init(&w->wakeup, w->loop, err) == 0) {
        set_lengths(w);
        set_timer(w, &w->tick, tick);
        set_timer(w, &w->grace, grace_is_over);
        set_timer(w, &w->log_later, log_is_due);
        buf_init(&w->log_lines, ACCESS_LOG_MAX);
        set_timer(w, &w->accept_again, accept_again);
        if (upstream_new(&w->upstream, w, err) == 0) {
            return 0;
        }
    }
    worker_release(w);
    return -1;
}

void worker_run(struct worker *w)
{
    worker_touch(w);
    if (w->site->access_log >= 0) {
        loop_on_turn(w->loop, write_log, NULL, w);
    }
    loop_run(w->loop);
    access_log_flush(&w->log_lines, w->site->access_log);
}

void worker_count(const struct worker *workers, size_t n, struct serve_counts *out)
{
    *out = (struct serve_counts){ 0 };
    for (size_t i = 0; i < n; i++) {
        const struct serve_counts *c = &workers[i].counts;
        out->connections += __atomic_load_n(&c->connections, __ATOMIC_RELAXED);
        out->open += __atomic_load_n(&c->open, __ATOMIC_RELAXED);
        out->requests += __atomic_load_n(&c->requests, __ATOMIC_RELAXED);
        out->replies += __atomic_load_n(&c->replies, __ATOMIC_RELAXED);
        out->bytes_sent += __atomic_load_n(&c->bytes_sent, __ATOMIC_RELAXED);
        out->bytes_received += __atomic_load_n(&c->bytes_received, __ATOMIC_RELAXED);
    }
}

void worker_release(struct worker *w)
{
    loop_free(w->loop);
    for (size_t i = 0; i < w->listener_count; i++) {
        if (w->listeners[i].fd >= 0) {
            close(w->listeners[i].fd);
        }
    }
    while (w->spare != NULL) {
        struct conn *next = w->spare->next;
        free(w->spare);
        w->spare = next;
    }
    upstream_free(w->upstream);
    free(w->listeners);
    free(w->read_bytes);
    buf_release(&w->log_lines);
    free(w->out_bytes);
    free(w->self_memory);
    pthread_mutex_destroy(&w->mail_lock);
    *w = (struct worker){ 0 };
}
