/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One thread of the server: its loop, its listeners, its connections, its Date. Workers share nothing while serving;
 * the counters are written by their worker alone and read by others (relaxed, so that readers see whole values). */
#ifndef PLIMSOLL_SERVE_WORKER_H
#define PLIMSOLL_SERVE_WORKER_H

#include "net/listen.h"
#include "net/loop.h"
#include "net/tls.h"
#include "serve/deadline.h"
#include "serve/metrics.h"
#include "serve/serve.h"

#include <pthread.h>

struct conn;
struct offload;
struct self_memory;
struct site;
struct upstream;

enum {
    WORKER_OUT_BYTES = 64 * 1024, /* what a connection assembles before it writes */
    WORKER_READ_BYTES = 64 * 1024,
};

enum worker_phase {
    WORKER_SERVING,
    WORKER_STOPPING, /* graceful: listeners closed, replies say Connection: close */
    WORKER_DROPPING, /* what is left is cut off */
};

struct worker_listener {
    struct watch watch;
    struct worker *worker;
    int fd; /* -1: closed */
    bool tls, paused;
};

struct worker {
    struct loop *loop;
    const struct serve_config *config;
    struct site *site;
    struct worker_listener *listeners;
    size_t listener_count;
    unsigned max_open; /* connections of this worker; 0: no limit */
    enum worker_phase phase;
    bool was_cut_off; /* connections were dropped at the end of the grace time */

    struct conn *conns; /* open ones */
    struct conn *spare; /* closed ones, for reuse */
    unsigned spare_count;
    unsigned living; /* open, or closed with the loop still holding on */
    struct deadlines deadlines;
    uint64_t body_quota_bytes; /* what a body must bring in each body_timeout_ns */
    struct timer tick;         /* for the earliest deadline */
    uint64_t tick_due_ns;
    struct timer grace, accept_again, log_later;
    struct wakeup wakeup;
    struct upstream *upstream;
    struct self_memory *self_memory;
    pthread_mutex_t mail_lock;
    struct offload *mail, *posts; /* ended ones, and those with something to show; for offload_collect() */
    unsigned away;                /* offloads that have not come back */
    int stop_calls, reload_calls; /* atomics, written by serve_stop() and serve_reload() */
    int reloads_done;

    uint64_t now_ns; /* of the event being handled */
    uint64_t date_due_ns;
    char date[64]; /* "Date: ...\r\n" */
    size_t date_len;

    /* Lent to the connection whose event is handled, so that idle ones hold no memory. */
    char *read_bytes; /* room for the largest head and WORKER_READ_BYTES more */
    size_t read_size;
    char *out_bytes;
    struct conn *active; /* who has them */

    struct serve_counts counts;
    struct metrics metrics;
    struct buf log_lines; /* --access-log, not written yet */
    uint64_t log_due_ns;
    pthread_t thread;
};

/* Makes loop and memory; listeners are added before worker_run(). */
MUST_CHECK int worker_init(struct worker *w, const struct serve_config *config, struct site *site, struct err *err);
void worker_release(struct worker *w);                                             /* zero is fine */
MUST_CHECK int worker_listen(struct worker *w, int fd, bool tls, struct err *err); /* takes fd in any case */
/* Until stopped and without connections. */
void worker_run(struct worker *w);

/* Sets now_ns and refreshes the Date. */
void worker_touch(struct worker *w);
void worker_deadline(struct worker *w, struct deadline *d, enum deadline_kind kind);
/* A connection went: a listener that paused at the limit goes on. */
void worker_conn_closed(struct worker *w);
/* Its memory is free: the last one ends a stopping worker. */
void worker_conn_forgotten(struct worker *w);

/* Adds up the counters of n workers; any thread. */
void worker_count(const struct worker *workers, size_t n, struct serve_counts *out);

static inline void count_add(uint64_t *counter, uint64_t n)
{
    __atomic_store_n(counter, *counter + n, __ATOMIC_RELAXED);
}

#endif
