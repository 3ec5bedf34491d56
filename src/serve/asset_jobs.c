/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "serve/asset_internal.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "serve/scan.h"
#include "serve/site.h"
#include "serve/upload.h"

/* ---- The threads ---- */

static bool sweep_one(void *arg, const char *id)
{
    struct asset_jobs *j = arg;
    struct asset_state state;
    int folder = asset_open(j->site, id, false);

    if (folder >= 0) {
        asset_read_state(folder, &state);
        close(folder);
    }
    bool due = folder >= 0 &&
               ((state.scan == ASSET_UNSCANNED && j->scan.count > 0) ||
                (state.scan == ASSET_CLEAN && j->s3 != NULL && state.copy != COPY_STORED && state.copy != COPY_NONE));
    if (due) {
        struct job *job = calloc(1, sizeof(*job));
        if (job == NULL) {
            return false;
        }
        snprintf(job->id, sizeof(job->id), "%s", id);
        pthread_mutex_lock(&j->lock);
        *j->last = job;
        j->last = &job->next;
        j->queued++;
        pthread_cond_signal(&j->changed);
        pthread_mutex_unlock(&j->lock);
    }
    return !__atomic_load_n(&j->stopping, __ATOMIC_RELAXED);
}

/* With the lock held. NULL: stopping. */
static struct job *next_job(struct asset_jobs *j)
{
    while (j->first == NULL && !j->stopping) {
        pthread_cond_wait(&j->changed, &j->lock);
    }
    struct job *job = j->stopping ? NULL : j->first;
    if (job != NULL) {
        j->first = job->next;
        j->last = j->first != NULL ? j->last : &j->first;
        j->queued--;
    }
    return job;
}

static void *thread_main(void *arg)
{
    struct asset_jobs *j = arg;
    struct s3_outcome outcome;
    struct busy b;
    struct job *job;

    pthread_mutex_lock(&j->lock);
    bool sweeps = !j->swept;
    j->swept = true;
    pthread_mutex_unlock(&j->lock);
    if (sweeps) {
        asset_each(j->site, sweep_one, j);
    }
    for (;;) {
        pthread_mutex_lock(&j->lock);
        job = next_job(j);
        pthread_mutex_unlock(&j->lock);
        if (job == NULL) {
            return NULL;
        }
        if (asset_take(j, &b, job->id, NULL, false)) {
            asset_work(j, &b, &outcome);
            asset_give(j, &b);
        }
        free(job);
    }
}

/* Signals are the caller's. */
static int start_threads(struct asset_jobs *j, struct err *err)
{
    sigset_t all, before;
    int rc = 0;

    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    while (rc == 0 && j->thread_count < ASSET_THREADS) {
        rc = pthread_create(&j->threads[j->thread_count], NULL, thread_main, j);
        j->thread_count += rc == 0;
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return rc == 0 ? 0 : err_set(err, ERR_SYSTEM, rc, "cannot start a thread for assets");
}

static void make_condition(pthread_cond_t *c)
{
    pthread_condattr_t a;

    pthread_condattr_init(&a);
    pthread_condattr_setclock(&a, CLOCK_MONOTONIC);
    pthread_cond_init(c, &a);
    pthread_condattr_destroy(&a);
}

/* The scan command gets a path that does not depend on where it runs. */
static int find_folder(struct asset_jobs *j, const struct serve_config *c, struct err *err)
{
    char *root = realpath(c->data_root != NULL ? c->data_root : ".", NULL);
    struct buf path;

    if (root == NULL && j->scan.count == 0) {
        return 0; /* nobody asks for it */
    }
    if (root == NULL) {
        return err_set(err, ERR_CONFIG, errno, "cannot use the data root %s",
                       c->data_root != NULL ? c->data_root : ".");
    }
    buf_init(&path, PATH_MAX);
    buf_printf(&path, "%s/assets", strcmp(root, "/") == 0 ? "" : root);
    free(root);
    j->folder = buf_detach(&path);
    return j->folder != NULL ? 0 : err_set(err, ERR_CONFIG, 0, "the data root has a name that is too long");
}

int asset_jobs_new(struct asset_jobs **out, struct site *site, struct err *err)
{
    const struct serve_config *c = site->config;
    struct asset_jobs *j = calloc(1, sizeof(*j));

    *out = NULL;
    if (j == NULL) {
        return err_set(err, ERR_SYSTEM, ENOMEM, "cannot start the server");
    }
    j->site = site;
    j->last = &j->first;
    pthread_mutex_init(&j->lock, NULL);
    make_condition(&j->changed);
    if ((c->scan_command != NULL && scan_split(&j->scan, c->scan_command, err) != 0) || s3_new(&j->s3, c, err) != 0 ||
        find_folder(j, c, err) != 0 || ((j->s3 != NULL || j->scan.count > 0) && start_threads(j, err) != 0)) {
        asset_jobs_free(j);
        return -1;
    }
    *out = j;
    return 0;
}

void asset_jobs_free(struct asset_jobs *j)
{
    if (j == NULL) {
        return;
    }
    pthread_mutex_lock(&j->lock);
    __atomic_store_n(&j->stopping, true, __ATOMIC_RELAXED);
    pthread_cond_broadcast(&j->changed);
    pthread_mutex_unlock(&j->lock);
    for (unsigned i = 0; i < j->thread_count; i++) {
        pthread_join(j->threads[i], NULL);
    }
    while (j->first != NULL) {
        struct job *next = j->first->next;
        free(j->first);
        j->first = next;
    }
    s3_free(j->s3);
    strlist_release(&j->scan);
    free(j->folder);
    pthread_cond_destroy(&j->changed);
    pthread_mutex_destroy(&j->lock);
    free(j);
}

struct s3 *asset_jobs_s3(struct asset_jobs *j)
{
    return j->s3;
}

bool asset_jobs_may_wait(const struct asset_jobs *j)
{
    return j->thread_count > 0;
}

const char *asset_jobs_folder(const struct asset_jobs *j)
{
    return j->folder;
}

/* ---- For the handlers ---- */

/* The state of new content: written before the content is there, so that nothing unscanned is ever served. */
static int begin_state(struct asset_jobs *j, int folder, struct asset_state *state)
{
    *state = (struct asset_state){ .scan = j->scan.count > 0 ? ASSET_UNSCANNED : ASSET_CLEAN,
                                   .copy = j->s3 != NULL ? COPY_WAITING : COPY_NONE };
    uuid_make(state->content);
    return j->thread_count > 0 ? asset_write_state(folder, state) : 0;
}

int asset_publish(struct asset_jobs *j, struct upload *u, const char *id, const char *name, bool create,
                  struct asset_state *state)
{
    struct job *job = j->thread_count > 0 ? calloc(1, sizeof(*job)) : NULL;
    int folder = -1, error = 0;

    if (j->thread_count > 0 && job == NULL) {
        return ENOMEM;
    }
    pthread_mutex_lock(&j->lock);
    if (j->queued >= ASSET_QUEUE_MAX) {
        error = EAGAIN;
    } else if ((folder = asset_open(j->site, id, create)) < 0) {
        error = errno;
    } else if ((error = begin_state(j, folder, state)) == 0) {
        error = upload_publish(u, folder, name, create ? 0 : asset_size(folder));
    }
    if (error == 0) {
        asset_keep_only(folder, name);
        if (job == NULL) {
            asset_forget_state(folder);
        }
    }
    if (error == 0 && job != NULL) {
        snprintf(job->id, sizeof(job->id), "%s", id);
        *j->last = job;
        j->last = &job->next;
        j->queued++;
        job = NULL;
        pthread_cond_broadcast(&j->changed);
    }
    pthread_mutex_unlock(&j->lock);
    if (folder >= 0) {
        close(folder);
    }
    free(job);
    return error;
}
