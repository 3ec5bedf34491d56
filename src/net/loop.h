/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The event loop: one per thread (libuv inside; its header stays behind this door).
 *
 * Descriptors (struct watch) stand in an epoll set of our own, and libuv's loop is embedded in it through
 * uv_backend_fd(): timers, wakeups, signals and the pool of threads are libuv's. uv_poll would cost six epoll_ctl and
 * an ioctl for each short connection; here it is one epoll_ctl (the kernel forgets a descriptor when it is closed).
 *
 * Handles are memory of the caller with room for libuv's own inside (static asserts in loop_handles.c keep the sizes
 * true). Lifetime in two phases, as libuv has it: X_stop() ends the events at once; the memory may be reused only after
 * the closed callback, or after loop_free(). A callback may stop its own handle. */
#ifndef PLIMSOLL_NET_LOOP_H
#define PLIMSOLL_NET_LOOP_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct loop;

MUST_CHECK int loop_new(struct loop **out, struct err *err);
void loop_run(struct loop *l);  /* until loop_stop() or no active handle */
void loop_stop(struct loop *l); /* from inside a callback */
/* Closes whatever is still open without calling anybody, then frees. NULL is fine. */
void loop_free(struct loop *l);

enum { WATCH_READ = 1, WATCH_WRITE = 4 };

/* Readiness of one descriptor. Level-triggered. events has WATCH_READ set also for hang-up and error: a read then
 * tells. */
struct watch {
    void (*on_ready)(struct watch *w, unsigned events);
    void (*on_closed)(struct watch *w);
    void *arg;
    struct loop *_loop;
    struct watch *_next_closed;
    int _fd;
    unsigned _events;
    uint32_t _generation;
};

/* arg, on_ready (and on_closed, may be NULL) are set by the caller before. events 0 waits for nothing, not even
 * hang-up. One watch for each descriptor and loop; refused by files that have no readiness (EPERM). */
MUST_CHECK int watch_start(struct watch *w, struct loop *l, int fd, unsigned events, struct err *err);
void watch_change(struct watch *w, unsigned events); /* costs nothing when nothing changes, else one system call */
/* Ends the events and the use of fd (the caller closes fd after this, or watches it again); on_closed is called before
 * the loop sleeps again. Without on_closed the memory is free, or may be started again, as soon as this returns. */
void watch_stop(struct watch *w);

/* A timer of 1 ms resolution. One-shot, may be started again from its callback. */
struct timer {
    uint64_t _handle[24];
    void (*on_time)(struct timer *t);
    void *arg;
};
void timer_init(struct timer *t, struct loop *l); /* closed by loop_free() or timer_close() */
void timer_start(struct timer *t,
                 uint64_t delay_ns); /* rounded up to ms, never early; starting a running one moves it */
void timer_stop(struct timer *t);
bool timer_is_running(const struct timer *t);
/* Memory reusable after on_closed (may be NULL when the memory outlives the loop). */
void timer_close(struct timer *t, void (*on_closed)(struct timer *t));

/* Wakes a loop from another thread (the only call of this header that another thread may make). */
struct wakeup {
    uint64_t _handle[24];
    void (*on_wakeup)(struct wakeup *w);
    void *arg;
};
MUST_CHECK int wakeup_init(struct wakeup *w, struct loop *l, struct err *err);
void wakeup_send(struct wakeup *w);

/* Called once per turn: before the loop sleeps and after it woke (either may be NULL). */
void loop_on_turn(struct loop *l, void (*before_sleep)(void *arg), void (*after_wake)(void *arg), void *arg);

/* A one-shot of ns resolution on an absolute CLOCK_MONOTONIC time (timerfd, slack 1 ns). */
struct alarm_ns {
    struct watch _watch;
    int _fd;
    void (*on_time)(struct alarm_ns *a);
    void *arg;
};
MUST_CHECK int alarm_init(struct alarm_ns *a, struct loop *l, struct err *err);
void alarm_at(struct alarm_ns *a, uint64_t monotonic_ns); /* 0 disarms */
void alarm_close(struct alarm_ns *a);

/* POSIX signal delivered to a loop. */
struct signal_watch {
    uint64_t _handle[24];
    void (*on_signal)(struct signal_watch *s, int number);
    void *arg;
};
MUST_CHECK int signal_watch_start(struct signal_watch *s, struct loop *l, int number, struct err *err);
void signal_watch_stop(struct signal_watch *s);

/* Blocking work on the loop's pool of threads; done runs on the loop's thread. The request is the caller's memory until
 * done. */
struct work {
    uint64_t _request[24];
    void (*run)(struct work *w);
    void (*done)(struct work *w);
    void *arg;
};
MUST_CHECK int work_start(struct work *w, struct loop *l, struct err *err);

#endif
