/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Work that takes its time: in a thread of its own, so that no event loop and no other work waits for it (libuv's pool
 * has four threads for the whole process, which a minute of divisions would hold up).
 *
 * run() is called in that thread, done() afterwards in the worker's. Between the two the memory is the thread's: the
 * worker may only call offload_cancel(), which run() asks for from time to time. A stopping worker waits for its
 * offloads. Work that has something to show before its end posts: progress() is then called in the worker's thread,
 * before done(), once for any number of posts; what both use they guard themselves. */
#ifndef PLIMSOLL_SERVE_OFFLOAD_H
#define PLIMSOLL_SERVE_OFFLOAD_H

#include <pthread.h>
#include <stdbool.h>

struct worker;

struct offload {
    void (*run)(struct offload *o);
    void (*done)(struct offload *o); /* may free it */
    void (*progress)(struct offload *o);
    struct worker *_worker;
    struct offload *_next, *_next_posted;
    bool _posted;
    pthread_t _thread;
    int _cancelled; /* atomic */
};

enum { OFFLOADS_MAX = 256 }; /* of one worker at once */

/* False: too many, or the system gave no thread; done() will not be called. */
bool offload_start(struct offload *o, struct worker *w);
void offload_cancel(struct offload *o);
bool offload_is_cancelled(const struct offload *o);
void offload_post(struct offload *o); /* from run() */
/* For the worker, woken: calls done() of what has ended. */
void offload_collect(struct worker *w);

#endif
