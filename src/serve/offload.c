/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "serve/offload.h"

#include "serve/worker.h"

static void *thread_main(void *arg)
{
    struct offload *o = arg;
    struct worker *w = o->_worker;

    o->run(o);
    pthread_mutex_lock(&w->mail_lock);
    o->_next = w->mail;
    w->mail = o;
    pthread_mutex_unlock(&w->mail_lock);
    wakeup_send(&w->wakeup); /* the worker lives: it joins this thread before it counts it as ended */
    return NULL;
}

bool offload_start(struct offload *o, struct worker *w)
{
    if (w->away >= OFFLOADS_MAX) {
        return false;
    }
    o->_worker = w;
    if (pthread_create(&o->_thread, NULL, thread_main, o) != 0) {
        return false;
    }
    w->away++;
    return true;
}

void offload_cancel(struct offload *o)
{
    __atomic_store_n(&o->_cancelled, 1, __ATOMIC_RELAXED);
}

bool offload_is_cancelled(const struct offload *o)
{
    return __atomic_load_n(&o->_cancelled, __ATOMIC_RELAXED) != 0;
}

void offload_post(struct offload *o)
{
    struct worker *w = o->_worker;

    pthread_mutex_lock(&w->mail_lock);
    bool is_new = !o->_posted;
    if (is_new) {
        o->_posted = true;
        o->_next_posted = w->posts;
        w->posts = o;
    }
    pthread_mutex_unlock(&w->mail_lock);
    if (is_new) {
        wakeup_send(&w->wakeup);
    }
}

/* The next of those that posted, which may post again from now on. */
static struct offload *take_post(struct worker *w, struct offload **posts)
{
    struct offload *o = *posts;

    pthread_mutex_lock(&w->mail_lock);
    *posts = o->_next_posted;
    o->_posted = false;
    pthread_mutex_unlock(&w->mail_lock);
    return o;
}

/* Both lists are taken at one moment: what ended by then has no later post. */
void offload_collect(struct worker *w)
{
    pthread_mutex_lock(&w->mail_lock);
    struct offload *ended = w->mail, *posts = w->posts;
    w->mail = w->posts = NULL;
    pthread_mutex_unlock(&w->mail_lock);
    while (posts != NULL) {
        struct offload *o = take_post(w, &posts);
        o->progress(o);
    }
    while (ended != NULL) {
        struct offload *next = ended->_next;
        pthread_join(ended->_thread, NULL);
        w->away--;
        ended->done(ended);
        ended = next;
    }
}
