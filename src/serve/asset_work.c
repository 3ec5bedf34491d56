/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "serve/asset_internal.h"

#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "serve/beneath.h"
#include "serve/scan.h"
#include "serve/send_file.h"
#include "serve/site.h"
#include "serve/store.h"

enum { ROUNDS_MAX = 16 }; /* an asset that is replaced faster than it is copied must not hold a thread for ever */

/* ---- One asset at a time ---- */

static struct busy *find_busy(struct asset_jobs *j, const char *id)
{
    for (struct busy *b = j->busy; b != NULL; b = b->next) {
        if (strcmp(b->id, id) == 0) {
            return b;
        }
    }
    return NULL;
}

static bool must_stop(void *arg)
{
    struct busy *b = arg;

    return __atomic_load_n(&b->jobs->stopping, __ATOMIC_RELAXED) || __atomic_load_n(&b->cancelled, __ATOMIC_RELAXED) ||
           (b->stop != NULL && b->stop->is_stopped(b->stop->arg));
}

/* Wakes up now and then: a caller who gives up does not signal. */
static void wait_a_little(struct asset_jobs *j)
{
    struct timespec until;

    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_nsec += 100 * 1000000;
    if (until.tv_nsec >= 1000000000) {
        until.tv_nsec -= 1000000000;
        until.tv_sec++;
    }
    pthread_cond_timedwait(&j->changed, &j->lock, &until);
}

bool asset_take(struct asset_jobs *j, struct busy *b, const char *id, const struct s3_stop *stop, bool cancel)
{
    *b = (struct busy){ .jobs = j, .stop = stop };
    snprintf(b->id, sizeof(b->id), "%s", id);
    pthread_mutex_lock(&j->lock);
    for (struct busy *other; (other = find_busy(j, id)) != NULL && !must_stop(b); wait_a_little(j)) {
        if (cancel) {
            __atomic_store_n(&other->cancelled, true, __ATOMIC_RELAXED);
        }
    }
    bool taken = !must_stop(b);
    if (taken) {
        b->next = j->busy;
        j->busy = b;
    }
    pthread_mutex_unlock(&j->lock);
    return taken;
}

void asset_give(struct asset_jobs *j, struct busy *b)
{
    pthread_mutex_lock(&j->lock);
    for (struct busy **at = &j->busy; *at != NULL; at = &(*at)->next) {
        if (*at == b) {
            *at = b->next;
            break;
        }
    }
    pthread_cond_broadcast(&j->changed);
    pthread_mutex_unlock(&j->lock);
}

/* ---- What is to be done ---- */

/* An asset as it is at one moment. */
struct view {
    struct asset_state state;
    char name[ASSET_NAME_MAX + 1];
    int file; /* -1: none */
    uint64_t size;
};

/* False: there is no such asset. */
static bool look(struct asset_jobs *j, const char *id, struct view *v)
{
    struct stat st = { .st_size = 0 };

    pthread_mutex_lock(&j->lock);
    int folder = asset_open(j->site, id, false);
    v->file = -1;
    if (folder >= 0 && asset_name(folder, v->name)) {
        asset_read_state(folder, &v->state);
        v->file = beneath_open(folder, slice_str(v->name), O_RDONLY | O_NONBLOCK, 0);
    }
    pthread_mutex_unlock(&j->lock);
    if (folder >= 0) {
        close(folder);
    }
    if (v->file >= 0 && (fstat(v->file, &st) != 0 || !S_ISREG(st.st_mode))) {
        close(v->file);
        v->file = -1;
    }
    v->size = (uint64_t)st.st_size;
    return v->file >= 0;
}

/* Writes what was found out of v's content, unless the asset has another by now. */
static void record(struct asset_jobs *j, const char *id, const struct view *v)
{
    struct asset_state now;

    pthread_mutex_lock(&j->lock);
    int folder = asset_open(j->site, id, false);
    if (folder >= 0) {
        asset_read_state(folder, &now);
        if (strcmp(now.content, v->state.content) == 0) {
            asset_write_state(folder, &v->state);
        }
        close(folder);
    }
    pthread_mutex_unlock(&j->lock);
}

__attribute__((format(printf, 2, 3))) static void tell(struct asset_jobs *j, const char *fmt, ...)
{
    const struct serve_config *c = j->site->config;
    char text[ASSET_ERROR_MAX + 256];
    va_list args;

    if (c->on_trouble == NULL) {
        return;
    }
    va_start(args, fmt);
    vsnprintf(text, sizeof(text), fmt, args);
    va_end(args);
    c->on_trouble(c->on_trouble_arg, text);
}

/* False: nothing more can be done now. */
static bool scan(struct asset_jobs *j, struct busy *b, struct view *v)
{
    char path[PATH_MAX + ASSET_NAME_MAX + 64];
    struct scan_job job = { .words = j->scan.items,
                            .path = path,
                            .timeout_ns = j->site->config->scan_timeout_ns,
                            .is_stopped = must_stop,
                            .arg = b };

    snprintf(path, sizeof(path), "%s/%s/%s", j->folder, b->id, v->name);
    enum scan_verdict verdict = scan_run(&job);
    if (verdict == SCAN_STOPPED) {
        return false;
    }
    v->state.scan_error[0] = '\0';
    if (verdict == SCAN_FAILED) {
        snprintf(v->state.scan_error, sizeof(v->state.scan_error), "the scan command failed: %s", job.why);
        tell(j, "asset %s stays unscanned: %s", b->id, v->state.scan_error);
    } else {
        v->state.scan = verdict == SCAN_CLEAN ? ASSET_CLEAN : ASSET_INFECTED;
    }
    record(j, b->id, v);
    return true;
}

static bool copy(struct asset_jobs *j, struct busy *b, struct view *v, struct s3_outcome *outcome)
{
    const struct s3_stop stop = { must_stop, b };
    bool good = s3_put(j->s3, b->id, v->file, v->size, send_file_type(slice_str(v->name)), &stop, outcome);

    if (outcome->stopped) {
        return false;
    }
    v->state.copy = good ? COPY_STORED : COPY_FAILED;
    snprintf(v->state.copy_error, sizeof(v->state.copy_error), "%s", good ? "" : outcome->why);
    if (!good) {
        tell(j, "asset %s was not copied to S3: %s", b->id, outcome->why);
    }
    record(j, b->id, v);
    return good;
}

bool asset_work(struct asset_jobs *j, struct busy *b, struct s3_outcome *outcome)
{
    char scanned[UUID_TEXT_MAX] = "-"; /* the content whose scan failed: once is enough */
    struct view v;
    bool stored = false;

    *outcome = (struct s3_outcome){ .status = 404 };
    for (int i = 0; i < ROUNDS_MAX && !stored && look(j, b->id, &v); i++) {
        bool go_on = false;
        stored = v.state.scan == ASSET_CLEAN && v.state.copy == COPY_STORED;
        if (v.state.scan == ASSET_UNSCANNED && j->scan.count > 0 && strcmp(scanned, v.state.content) != 0) {
            snprintf(scanned, sizeof(scanned), "%s", v.state.content);
            go_on = scan(j, b, &v);
        } else if (v.state.scan == ASSET_CLEAN && !stored && j->s3 != NULL) {
            go_on = copy(j, b, &v, outcome); /* and looks again: is it still that file? */
        }
        close(v.file);
        if (!go_on) {
            break;
        }
    }
    return stored;
}

/* ---- For the handlers ---- */

bool asset_ensure_copy(struct asset_jobs *j, const char *id, const struct s3_stop *stop, struct s3_outcome *outcome)
{
    struct busy b;
    bool stored = false;

    *outcome = (struct s3_outcome){ .status = 504, .stopped = true, .why = "S3 was not asked: the server is stopping" };
    if (asset_take(j, &b, id, stop, false)) {
        stored = asset_work(j, &b, outcome);
        asset_give(j, &b);
    }
    if (!stored && outcome->status == 0) { /* it was copied, and is another now that may not be served */
        outcome->status = 404;
    }
    return stored;
}

static bool remove_asset(struct asset_jobs *j, const char *id)
{
    pthread_mutex_lock(&j->lock);
    int folder = asset_open(j->site, id, false);
    if (folder >= 0) {
        uint64_t size = asset_size(folder);
        asset_keep_only(folder, NULL);
        close(folder);
        asset_remove_folder(j->site, id);
        store_add(j->site, 0, size);
    }
    pthread_mutex_unlock(&j->lock);
    return folder >= 0;
}

bool asset_delete(struct asset_jobs *j, const char *id, const struct s3_stop *stop, struct s3_outcome *outcome)
{
    struct busy b;

    *outcome = (struct s3_outcome){ .status = 504, .stopped = true, .why = "S3 was not asked: the server is stopping" };
    if (!asset_take(j, &b, id, stop, true)) {
        return false;
    }
    *outcome = (struct s3_outcome){ 0 };
    bool gone = j->s3 == NULL || s3_delete(j->s3, id, stop, outcome);
    if (gone && !remove_asset(j, id)) {
        outcome->status = 404;
        gone = false;
    }
    asset_give(j, &b);
    return gone;
}
