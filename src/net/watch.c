/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "net/loop.h"

#include <errno.h>
#include <stdlib.h>

#include "net/loop_internal.h"

enum { FIRST_SLOTS = 256 };

static int grow_slots(struct loop *l, size_t fd)
{
    size_t count = l->slot_count > 0 ? l->slot_count : FIRST_SLOTS;
    struct loop_slot *slots;

    while (count <= fd) {
        count *= 2;
    }
    slots = realloc(l->slots, count * sizeof(*slots));
    if (slots == NULL) {
        return -1;
    }
    for (size_t i = l->slot_count; i < count; i++) {
        slots[i] = (struct loop_slot){ 0 };
    }
    l->slots = slots;
    l->slot_count = count;
    return 0;
}

static int control(struct watch *w, int operation)
{
    /* Nothing wanted: edge-triggered, so that a hang-up (always reported) wakes the loop once and not for ever. */
    struct epoll_event event = { .events = w->_events != 0 ? 0 : EPOLLET };

    if ((w->_events & WATCH_READ) != 0) {
        event.events |= EPOLLIN;
    }
    if ((w->_events & WATCH_WRITE) != 0) {
        event.events |= EPOLLOUT;
    }
    event.data.u64 = (uint64_t)w->_generation << 32 | (uint32_t)w->_fd;
    return epoll_ctl(w->_loop->epoll_fd, operation, w->_fd, &event);
}

int watch_start(struct watch *w, struct loop *l, int fd, unsigned events, struct err *err)
{
    if (fd < 0) {
        return err_set(err, ERR_SYSTEM, EBADF, "cannot watch a descriptor");
    }
    if ((size_t)fd >= l->slot_count && grow_slots(l, (size_t)fd) != 0) {
        return err_set(err, ERR_SYSTEM, ENOMEM, "cannot watch descriptor %d", fd);
    }
    if (l->slots[fd].watch != NULL) {
        BUG("descriptor %d is watched twice", fd);
    }
    w->_loop = l;
    w->_next_closed = NULL;
    w->_fd = fd;
    w->_events = events;
    w->_generation = ++l->generation;
    /* EEXIST: watched before, stopped, and not closed in between. */
    if (control(w, EPOLL_CTL_ADD) != 0 && (errno != EEXIST || control(w, EPOLL_CTL_MOD) != 0)) {
        return err_set(err, ERR_SYSTEM, errno, "cannot watch descriptor %d", fd);
    }
    l->slots[fd] = (struct loop_slot){ .watch = w, .generation = w->_generation };
    l->watch_count++;
    return 0;
}

void watch_change(struct watch *w, unsigned events)
{
    if (events == w->_events) {
        return;
    }
    w->_events = events;
    if (control(w, EPOLL_CTL_MOD) != 0) {
        BUG("descriptor %d was closed while it is watched (errno %d)", w->_fd, errno);
    }
}

void watch_stop(struct watch *w)
{
    struct loop *l = w->_loop;

    if (l->slots[w->_fd].watch != w) {
        BUG("descriptor %d is not watched by this watch", w->_fd);
    }
    l->slots[w->_fd].watch = NULL;
    l->watch_count--;
    if (w->on_closed != NULL) {
        w->_next_closed = l->closed;
        l->closed = w;
    }
}
