/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "watch/watcher.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/units.h"
#include "watch/spec.h"

/* How long the last readings are waited for, and then for those that were told to give up. */
#define GRACE_NS NS_PER_S
#define GIVE_UP_NS (UINT64_C(2) * NS_PER_S)
#define UNSEEN_MAX_BYTES 8192u
#define STACK_BYTES ((size_t)1024 * 1024)

struct seat {
    struct watcher *watcher;
    struct watcher_part part; /* written by its thread alone while that runs */
    struct source *source;
    pthread_t thread;
    bool is_running; /* there is a thread to be joined */
    bool is_done;    /* it reads no more */
    bool is_stuck;   /* it did not come back, and nobody waits for it any more */
    struct reading reading;
};

struct watcher {
    pthread_mutex_t lock;
    pthread_cond_t changed; /* of what follows */
    bool has_begun, is_over;
    uint64_t start_ns, end_ns;
    size_t busy;   /* threads that have not finished */
    int cancel_fd; /* an eventfd; readable: give up */
    struct seat *seats;
    size_t count;
};

static void wait_until(struct watcher *w, uint64_t at_ns)
{
    struct timespec at = { .tv_sec = (time_t)(at_ns / NS_PER_S), .tv_nsec = (long)(at_ns % NS_PER_S) };

    pthread_cond_timedwait(&w->changed, &w->lock, &at);
}

/* Sleeps until the tick is due: at the end of the window, when that comes first. False: the window will not be. Called
 * with the lock held. */
static bool await_tick(struct watcher *w, uint64_t tick, uint64_t *at_ns, bool *is_last)
{
    while (w->has_begun) {
        const uint64_t due = w->start_ns + tick * NS_PER_S;

        *at_ns = due < w->end_ns ? due : w->end_ns;
        *is_last = *at_ns == w->end_ns;
        if (clock_now_ns() >= *at_ns)
            return true;
        wait_until(w, *at_ns);
    }
    return false;
}

static void note_miss(struct seat *s, const struct err *err, uint64_t at_ns)
{
    struct watcher_part *p = &s->part;
    const uint64_t start = s->watcher->start_ns;

    p->missed++;
    if (p->trouble[0] != '\0')
        return;
    snprintf(p->trouble, sizeof(p->trouble), "%s", err->what);
    p->trouble_at_s = at_ns > start ? (double)(at_ns - start) / 1e9 : 0;
}

/* What a reading brought goes into the figures. Its moment is the middle of the time that it took. */
static void take_reading(struct seat *s, uint64_t tick, uint64_t before_ns, uint64_t after_ns)
{
    struct watcher_part *p = &s->part;

    p->readings++;
    if (tracks_add(&p->tracks, &s->reading, tick, before_ns + (after_ns - before_ns) / 2) && !s->reading.is_full)
        return;
    if (p->trouble[0] == '\0')
        snprintf(p->trouble, sizeof(p->trouble), "it says more than the %d figures that are kept", READING_VALUES_MAX);
}

/* Called with the lock held, which it gives away while it reads. False: nobody waits for the thread any more. */
static bool read_once(struct seat *s, uint64_t tick, uint64_t at_ns)
{
    struct err err = { 0 };
    uint64_t before, after;
    int rc;

    pthread_mutex_unlock(&s->watcher->lock);
    reading_clear(&s->reading);
    before = clock_now_ns();
    rc = s->source->ops->read(s->source, &s->reading, &err);
    after = clock_now_ns();
    pthread_mutex_lock(&s->watcher->lock);
    if (s->is_stuck)
        return false;
    if (rc == 0)
        take_reading(s, tick, before, after);
    else
        note_miss(s, &err, at_ns);
    return true;
}

/* Ticks that went by during the last reading. */
static uint64_t skip_ticks(struct seat *s, uint64_t tick, uint64_t now)
{
    const struct watcher *w = s->watcher;
    struct err err;
    uint64_t end = now < w->end_ns ? now : w->end_ns;

    while (w->start_ns + tick * NS_PER_S + NS_PER_S <= end) {
        err_set(&err, ERR_PEER, 0, "it takes longer than a second to answer");
        note_miss(s, &err, w->start_ns + tick * NS_PER_S);
        tick++;
    }
    return tick;
}

static void *watch_part(void *arg)
{
    struct seat *s = arg;
    struct watcher *w = s->watcher;
    bool is_last = false;

    pthread_mutex_lock(&w->lock);
    while (!w->has_begun && !w->is_over)
        pthread_cond_wait(&w->changed, &w->lock);
    for (uint64_t tick = 0, at; !is_last; tick++) {
        if (tick > 0)
            tick = skip_ticks(s, tick, clock_now_ns());
        if (!await_tick(w, tick, &at, &is_last))
            break;
        if (!read_once(s, tick, at)) {
            pthread_mutex_unlock(&w->lock);
            return NULL;
        }
    }
    s->is_done = true;
    w->busy--;
    pthread_cond_broadcast(&w->changed);
    pthread_mutex_unlock(&w->lock);
    return NULL;
}

static int add_part(struct watcher *w, struct slice text, const char *root, struct err *err)
{
    struct seat *s = &w->seats[w->count];
    const struct source_context context = { .root = root, .cancel_fd = w->cancel_fd };
    struct spec spec;

    if (spec_parse(&spec, text, err) != 0)
        return -1;
    for (size_t i = 0; i < w->count; i++) {
        if (!slice_eq(spec.name, slice_str(w->seats[i].part.name)))
            continue;
        err_set(err, ERR_USAGE, 0, "two parts are called \"%.*s\"", SLICE_FMT(spec.name));
        return err_hint(err, "give each its own name");
    }
    if (spec.open(&s->source, spec.what, &context, err) != 0)
        return err_prefix(err, "%.*s", SLICE_FMT(spec.name));
    w->count++;
    s->watcher = w;
    s->part.name = slice_dup(spec.name);
    s->part.spec = slice_dup(slice_drop(text, spec.name.len + 1));
    s->part.capacity_cores = s->source->capacity_cores;
    if (s->part.name == NULL || s->part.spec == NULL)
        return err_set(err, ERR_SYSTEM, ENOMEM, "no memory to watch %zu parts", w->count);
    return 0;
}

static int make(struct watcher *w, const struct strlist *specs, const char *root, struct err *err)
{
    pthread_condattr_t attributes;

    pthread_mutex_init(&w->lock, NULL);
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&w->changed, &attributes);
    pthread_condattr_destroy(&attributes);
    w->cancel_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (w->cancel_fd < 0)
        return err_set(err, ERR_SYSTEM, errno, "cannot watch the target");
    if (specs->count > WATCHER_PARTS_MAX)
        return err_set(err, ERR_USAGE, 0, "%zu parts to watch are more than %d", specs->count, WATCHER_PARTS_MAX);
    w->seats = calloc(specs->count > 0 ? specs->count : 1, sizeof(*w->seats));
    if (w->seats == NULL)
        return err_set(err, ERR_SYSTEM, ENOMEM, "no memory to watch %zu parts", specs->count);
    for (size_t i = 0; i < specs->count; i++)
        if (add_part(w, slice_str(specs->items[i]), root, err) != 0)
            return -1;
    return 0;
}

int watcher_new(struct watcher **out, const struct strlist *specs, const char *root, struct err *err)
{
    struct watcher *w = calloc(1, sizeof(*w));

    *out = NULL;
    if (w == NULL)
        return err_set(err, ERR_SYSTEM, ENOMEM, "no memory to watch the target");
    if (make(w, specs, root != NULL ? root : "", err) != 0) {
        watcher_free(w);
        return -1;
    }
    *out = w;
    return 0;
}

void watcher_free(struct watcher *w)
{
    if (w == NULL)
        return;
    watcher_join(w);
    for (size_t i = 0; i < w->count; i++)
        if (w->seats[i].is_stuck)
            return; /* its thread may come back */
    for (size_t i = 0; i < w->count; i++) {
        struct seat *s = &w->seats[i];

        if (s->source != NULL)
            s->source->ops->close(s->source);
        tracks_release(&s->part.tracks);
        free(s->part.name);
        free(s->part.spec);
    }
    free(w->seats);
    if (w->cancel_fd >= 0)
        close(w->cancel_fd);
    pthread_mutex_destroy(&w->lock);
    pthread_cond_destroy(&w->changed);
    free(w);
}

/* No signal is delivered to it: they are for those who wait for them. */
static int start_thread(struct seat *s, struct err *err)
{
    pthread_attr_t attributes;
    sigset_t all, before;
    int rc;

    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, STACK_BYTES);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    rc = pthread_create(&s->thread, &attributes, watch_part, s);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attributes);
    if (rc != 0)
        return err_set(err, ERR_SYSTEM, rc, "cannot start the thread that watches %s", s->part.name);
    s->is_running = true;
    return 0;
}

static void forget_figures(struct watcher_part *p)
{
    tracks_release(&p->tracks);
    p->readings = p->missed = 0;
    p->trouble[0] = p->unseen[0] = '\0';
    p->trouble_at_s = 0;
}

int watcher_start(struct watcher *w, struct err *err)
{
    struct err late;
    uint64_t was;

    if (w == NULL)
        return 0;
    watcher_join(w);
    if (read(w->cancel_fd, &was, sizeof(was)) < 0 && errno != EAGAIN)
        return err_set(err, ERR_SYSTEM, errno, "cannot watch the target");
    w->has_begun = w->is_over = false;
    w->start_ns = 0;
    w->end_ns = UINT64_MAX;
    for (size_t i = 0; i < w->count; i++) {
        struct seat *s = &w->seats[i];

        forget_figures(&s->part);
        if (s->is_stuck) {
            err_set(&late, ERR_PEER, 0, "it has not answered since an earlier run");
            note_miss(s, &late, 0);
            continue;
        }
        s->is_done = false;
        pthread_mutex_lock(&w->lock);
        w->busy++;
        pthread_mutex_unlock(&w->lock);
        if (start_thread(s, err) == 0)
            continue;
        pthread_mutex_lock(&w->lock);
        w->busy--;
        pthread_mutex_unlock(&w->lock);
        watcher_join(w);
        return -1;
    }
    return 0;
}

void watcher_begin(struct watcher *w, uint64_t start_ns, uint64_t end_ns)
{
    if (w == NULL)
        return;
    pthread_mutex_lock(&w->lock);
    w->has_begun = !w->is_over;
    w->start_ns = start_ns;
    w->end_ns = end_ns;
    pthread_cond_broadcast(&w->changed);
    pthread_mutex_unlock(&w->lock);
}

void watcher_end(struct watcher *w, uint64_t end_ns)
{
    if (w == NULL)
        return;
    pthread_mutex_lock(&w->lock);
    w->is_over = true;
    if (end_ns < w->end_ns)
        w->end_ns = end_ns;
    if (w->end_ns <= w->start_ns) /* it ended before it began */
        w->has_begun = false;
    pthread_cond_broadcast(&w->changed);
    pthread_mutex_unlock(&w->lock);
}

static void await_all(struct watcher *w, uint64_t until_ns)
{
    pthread_mutex_lock(&w->lock);
    while (w->busy > 0 && clock_now_ns() < until_ns)
        wait_until(w, until_ns);
    pthread_mutex_unlock(&w->lock);
}

static void note_unseen(struct seat *s)
{
    struct buf names;

    if (s->source->ops->add_unseen == NULL)
        return;
    buf_init(&names, UNSEEN_MAX_BYTES);
    s->source->ops->add_unseen(s->source, &names);
    if (s->part.readings > 0)
        snprintf(s->part.unseen, sizeof(s->part.unseen), "%.*s", SLICE_FMT(buf_slice(&names)));
    buf_release(&names);
}

/* A thread in a call that can not be called off (the look-up of a name, a file of a file system that is gone) is left
 * behind, with all that it may still touch. */
static void part_with(struct seat *s)
{
    struct watcher *w = s->watcher;
    struct err err;

    pthread_mutex_lock(&w->lock);
    if (!s->is_done) {
        s->is_stuck = true;
        w->busy--;
        err_set(&err, ERR_PEER, 0, "it had not answered when the run ended");
        note_miss(s, &err, clock_now_ns());
    }
    pthread_mutex_unlock(&w->lock);
    if (s->is_stuck) {
        pthread_detach(s->thread);
    } else {
        pthread_join(s->thread, NULL);
        note_unseen(s);
    }
    s->is_running = false;
}

void watcher_join(struct watcher *w)
{
    const uint64_t one = 1, now = clock_now_ns();

    if (w == NULL)
        return;
    watcher_end(w, now);
    await_all(w, now + GRACE_NS);
    if (w->cancel_fd >= 0 && write(w->cancel_fd, &one, sizeof(one)) < 0 && errno != EAGAIN)
        BUG("an eventfd takes no number (errno %d)", errno);
    await_all(w, now + GRACE_NS + GIVE_UP_NS);
    for (size_t i = 0; i < w->count; i++)
        if (w->seats[i].is_running)
            part_with(&w->seats[i]);
}

size_t watcher_part_count(const struct watcher *w)
{
    return w != NULL ? w->count : 0;
}

const struct watcher_part *watcher_part(const struct watcher *w, size_t i)
{
    return &w->seats[i].part;
}

int watcher_check_spec(struct slice spec, struct slice *name, struct err *err)
{
    struct spec parsed;

    if (spec_parse(&parsed, spec, err) != 0)
        return -1;
    *name = parsed.name;
    return 0;
}
