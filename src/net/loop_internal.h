/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the files of the loop share. Not for other rooms. */
#ifndef PLIMSOLL_NET_LOOP_INTERNAL_H
#define PLIMSOLL_NET_LOOP_INTERNAL_H

#include "net/loop.h"

#include <sys/epoll.h>
#include <uv.h>

enum { LOOP_BATCH = 256 };

/* Who watches a descriptor now. An event carries the generation of the watch_start() that asked for it, so one that was
 * meant for an earlier owner of the number is told apart without removing anything from the epoll set. */
struct loop_slot {
    struct watch *watch;
    uint32_t generation;
};

struct loop {
    uv_loop_t uv;
    int epoll_fd;
    bool is_stopped;
    bool is_ending;          /* loop_free() is at work: nobody is called any more */
    bool uv_is_dirty;        /* libuv's next turn has something to arm */
    struct loop_slot *slots; /* by descriptor */
    size_t slot_count;
    uint32_t generation;
    size_t watch_count;
    struct watch *closed; /* stopped, on_closed not called yet */
    void (*before_sleep)(void *arg);
    void (*after_wake)(void *arg);
    void *turn_arg;
    struct epoll_event batch[LOOP_BATCH];
};

#endif
