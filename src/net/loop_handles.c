/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "net/loop.h"

#include <assert.h>

#include "base/clock.h"
#include "net/loop_internal.h"

#define NS_PER_MS 1000000u

/* Our handle begins with libuv's, so that one pointer is both. */
static_assert(sizeof(uv_timer_t) <= sizeof(((struct timer *)NULL)->_handle), "timer: room for libuv's handle");
static_assert(sizeof(uv_async_t) <= sizeof(((struct wakeup *)NULL)->_handle), "wakeup: room for libuv's handle");
static_assert(sizeof(uv_signal_t) <= sizeof(((struct signal_watch *)NULL)->_handle), "signal: room for libuv's handle");
static_assert(sizeof(uv_work_t) <= sizeof(((struct work *)NULL)->_request), "work: room for libuv's request");
static_assert(offsetof(struct timer, _handle) == 0 && offsetof(struct wakeup, _handle) == 0, "the handle comes first");
static_assert(offsetof(struct signal_watch, _handle) == 0 && offsetof(struct work, _request) == 0,
              "the handle comes first");

static struct loop *loop_of(const uv_handle_t *handle)
{
    return handle->loop->data;
}

static uv_timer_t *timer_handle(struct timer *t)
{
    return (uv_timer_t *)t->_handle;
}

static void timer_fired(uv_timer_t *handle)
{
    struct timer *t = (struct timer *)(void *)handle;

    if (!loop_of((uv_handle_t *)handle)->is_ending) {
        t->on_time(t);
    }
}

void timer_init(struct timer *t, struct loop *l)
{
    if (uv_timer_init(&l->uv, timer_handle(t)) != 0) {
        BUG("uv_timer_init() failed, which it can not");
    }
}

void timer_start(struct timer *t, uint64_t delay_ns)
{
    uv_timer_t *handle = timer_handle(t);
    uint64_t now_ns = clock_now_ns();
    uint64_t due_ms = delay_ns > UINT64_MAX - now_ns - NS_PER_MS ? UINT64_MAX / NS_PER_MS
                                                                 : (now_ns + delay_ns + NS_PER_MS - 1) / NS_PER_MS;
    uint64_t loop_ms = uv_now(handle->loop); /* of the same clock, older than now_ns */

    if (uv_timer_start(handle, timer_fired, due_ms > loop_ms ? due_ms - loop_ms : 0, 0) != 0) {
        BUG("timer started after timer_close()");
    }
}

void timer_stop(struct timer *t)
{
    uv_timer_stop(timer_handle(t));
}

bool timer_is_running(const struct timer *t)
{
    return uv_is_active((const uv_handle_t *)t->_handle) != 0;
}

static void timer_closed(uv_handle_t *handle)
{
    void (*on_closed)(struct timer *) = (void (*)(struct timer *))handle->data;

    if (!loop_of(handle)->is_ending) {
        on_closed((struct timer *)(void *)handle);
    }
}

void timer_close(struct timer *t, void (*on_closed)(struct timer *t))
{
    uv_timer_t *handle = timer_handle(t);

    handle->data = (void *)on_closed;
    uv_close((uv_handle_t *)handle, on_closed != NULL ? timer_closed : NULL);
}

static void woken(uv_async_t *handle)
{
    struct wakeup *w = (struct wakeup *)(void *)handle;

    if (!loop_of((uv_handle_t *)handle)->is_ending) {
        w->on_wakeup(w);
    }
}

int wakeup_init(struct wakeup *w, struct loop *l, struct err *err)
{
    int rc = uv_async_init(&l->uv, (uv_async_t *)w->_handle, woken);

    if (rc != 0) {
        return err_set(err, ERR_SYSTEM, -rc, "cannot make a wakeup");
    }
    l->uv_is_dirty = true;
    return 0;
}

void wakeup_send(struct wakeup *w)
{
    if (uv_async_send((uv_async_t *)w->_handle) != 0) {
        BUG("uv_async_send() failed, which it can not");
    }
}

static void signalled(uv_signal_t *handle, int number)
{
    struct signal_watch *s = (struct signal_watch *)(void *)handle;

    if (!loop_of((uv_handle_t *)handle)->is_ending) {
        s->on_signal(s, number);
    }
}

int signal_watch_start(struct signal_watch *s, struct loop *l, int number, struct err *err)
{
    uv_signal_t *handle = (uv_signal_t *)s->_handle;
    int rc = uv_signal_init(&l->uv, handle);

    if (rc == 0) {
        rc = uv_signal_start(handle, signalled, number);
        if (rc != 0) {
            uv_close((uv_handle_t *)handle, NULL);
        }
    }
    if (rc != 0) {
        return err_set(err, ERR_SYSTEM, -rc, "cannot watch signal %d", number);
    }
    l->uv_is_dirty = true;
    return 0;
}

void signal_watch_stop(struct signal_watch *s)
{
    uv_handle_t *handle = (uv_handle_t *)s->_handle;

    if (!uv_is_closing(handle)) {
        uv_close(handle, NULL);
    }
}

static void work_run(uv_work_t *request)
{
    struct work *w = (struct work *)(void *)request;

    w->run(w);
}

static void work_done(uv_work_t *request, int status)
{
    struct work *w = (struct work *)(void *)request;

    (void)status;
    if (!((struct loop *)request->loop->data)->is_ending) {
        w->done(w);
    }
}

int work_start(struct work *w, struct loop *l, struct err *err)
{
    int rc = uv_queue_work(&l->uv, (uv_work_t *)w->_request, work_run, work_done);

    if (rc != 0) {
        return err_set(err, ERR_SYSTEM, -rc, "cannot start blocking work");
    }
    return 0;
}
