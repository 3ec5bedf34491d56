/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "net/loop.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "net/loop_internal.h"

/* The event data of libuv's own descriptor: no watch has all bits set, descriptors are not negative. */
#define LIBUV_EVENT UINT64_MAX

static int add_libuv(struct loop *l, struct err *err)
{
    struct epoll_event event = { .events = EPOLLIN, .data.u64 = LIBUV_EVENT };

    if (epoll_ctl(l->epoll_fd, EPOLL_CTL_ADD, uv_backend_fd(&l->uv), &event) != 0) {
        return err_set(err, ERR_SYSTEM, errno, "cannot nest the event loop");
    }
    return 0;
}

int loop_new(struct loop **out, struct err *err)
{
    struct loop *l = calloc(1, sizeof(*l));
    int rc;

    *out = NULL;
    if (l == NULL) {
        return err_set(err, ERR_SYSTEM, ENOMEM, "cannot make an event loop");
    }
    rc = uv_loop_init(&l->uv);
    if (rc != 0) {
        free(l);
        return err_set(err, ERR_SYSTEM, -rc, "cannot make an event loop");
    }
    l->uv_is_dirty = true;
    l->uv.data = l;
    l->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
    if (l->epoll_fd < 0) {
        err_set(err, ERR_SYSTEM, errno, "cannot make an event loop");
        loop_free(l);
        return -1;
    }
    if (add_libuv(l, err) != 0) {
        loop_free(l);
        return -1;
    }
    *out = l;
    return 0;
}

static void close_handle(uv_handle_t *handle, void *arg)
{
    (void)arg;
    if (!uv_is_closing(handle)) {
        uv_close(handle, NULL);
    }
}

void loop_free(struct loop *l)
{
    if (l == NULL) {
        return;
    }
    l->is_ending = true;
    uv_walk(&l->uv, close_handle, NULL);
    uv_run(&l->uv, UV_RUN_DEFAULT); /* also waits for blocking work that is under way */
    if (uv_loop_close(&l->uv) != 0) {
        BUG("the event loop still has handles");
    }
    if (l->epoll_fd >= 0) {
        close(l->epoll_fd);
    }
    free(l->slots);
    free(l);
}

void loop_stop(struct loop *l)
{
    l->is_stopped = true;
}

void loop_on_turn(struct loop *l, void (*before_sleep)(void *arg), void (*after_wake)(void *arg), void *arg)
{
    l->before_sleep = before_sleep;
    l->after_wake = after_wake;
    l->turn_arg = arg;
}

/* A stale event: its watch has stopped but the descriptor is still open somewhere. Fails harmlessly when it was closed.
 */
static void forget(struct loop *l, int fd)
{
    epoll_ctl(l->epoll_fd, EPOLL_CTL_DEL, fd, NULL);
}

static void deliver(struct loop *l, const struct epoll_event *event)
{
    uint32_t fd = (uint32_t)event->data.u64;
    uint32_t generation = (uint32_t)(event->data.u64 >> 32);
    const struct loop_slot *slot = &l->slots[fd];
    struct watch *w = slot->watch;
    unsigned events = 0;

    if (w == NULL) {
        forget(l, (int)fd);
        return;
    }
    if (slot->generation != generation || w->_events == 0) {
        return;
    }
    if ((event->events & EPOLLOUT) != 0) {
        events |= WATCH_WRITE;
    }
    if ((event->events & (EPOLLIN | EPOLLHUP | EPOLLERR)) != 0) {
        events |= WATCH_READ;
    }
    w->on_ready(w, events);
}

/* With many connections the next one's memory is far away: asked for now, it is here when its turn comes. */
static void prefetch(const struct loop *l, int i, int count)
{
    const struct watch *w;

    if (i >= count || l->batch[i].data.u64 == LIBUV_EVENT) {
        return;
    }
    w = l->slots[(uint32_t)l->batch[i].data.u64].watch;
    if (w == NULL) {
        return;
    }
    __builtin_prefetch(w->arg);
    __builtin_prefetch((const char *)w->arg + 64);
    __builtin_prefetch((const char *)w->arg + 256);
    __builtin_prefetch((const char *)w->arg + 320);
}

/* True when libuv's own descriptor was among the events. */
static bool deliver_all(struct loop *l, int count)
{
    bool libuv = false;

    for (int i = 0; i < count; i++) {
        prefetch(l, i + 1, count);
        if (l->batch[i].data.u64 == LIBUV_EVENT) {
            libuv = true;
        } else {
            deliver(l, &l->batch[i]);
        }
    }
    return libuv;
}

static void finish_closed(struct loop *l)
{
    while (l->closed != NULL) {
        struct watch *w = l->closed;

        l->closed = w->_next_closed;
        w->on_closed(w);
    }
}

static int sleep_ms(const struct loop *l)
{
    if (l->uv_is_dirty) {
        return 0;
    }
    return uv_loop_alive(&l->uv) ? uv_backend_timeout(&l->uv) : -1;
}

static void run_libuv(struct loop *l, bool has_events)
{
    if (has_events || l->uv_is_dirty || (uv_loop_alive(&l->uv) && uv_backend_timeout(&l->uv) == 0)) {
        l->uv_is_dirty = false;
        uv_run(&l->uv, UV_RUN_NOWAIT);
    }
}

static bool goes_on(const struct loop *l)
{
    return !l->is_stopped && (l->watch_count > 0 || uv_loop_alive(&l->uv));
}

static void turn(struct loop *l)
{
    int count;

    if (l->before_sleep != NULL) {
        l->before_sleep(l->turn_arg);
    }
    finish_closed(l);
    if (!goes_on(l)) {
        return;
    }
    count = epoll_wait(l->epoll_fd, l->batch, LOOP_BATCH, sleep_ms(l));
    uv_update_time(&l->uv);
    if (l->after_wake != NULL) {
        l->after_wake(l->turn_arg);
    }
    run_libuv(l, deliver_all(l, count));
    finish_closed(l);
}

void loop_run(struct loop *l)
{
    prctl(PR_SET_TIMERSLACK, 1UL);
    uv_update_time(&l->uv);
    while (goes_on(l)) {
        turn(l);
    }
    l->is_stopped = false;
}
