/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The file system check: GET /generate-files, /read-files, /list-files, /file-content/{name}, DELETE /files. Everything
 * happens in the folder output below the data root, in a thread of its own, and ends when its client leaves. */
#include "serve/handlers.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/json_text.h"
#include "serve/beneath.h"
#include "serve/decode.h"
#include "serve/files_job.h"
#include "serve/offload.h"
#include "serve/query.h"
#include "serve/send_file.h"
#include "serve/site.h"
#include "serve/store.h"
#include "serve/worker.h"

enum { LIST_MAX_BYTES = 256 * 1024 * 1024 };

#define SIZE_MAX_BYTES (16ull * 1024 * 1024 * 1024)
#define MIB (1024.0 * 1024.0)

/* One request's work; lives until its thread ended. */
struct task {
    struct offload offload; /* first */
    struct exchange *x;     /* NULL: the client left */
    struct site *site;
    void (*work)(struct task *t);
    void (*answer)(struct task *t);
    struct files_job job;
    uint64_t room; /* of the disk, when too little */
    bool out_of_memory;
    int error; /* errno of what is not a single file's */
    struct buf out;
};

/* ---- The frame: a thread, and its end ---- */

static void run_task(struct offload *o)
{
    struct task *t = (struct task *)(void *)o;

    t->job.folder = store_open(t->site, "output");
    if (t->job.folder < 0) {
        t->error = errno;
        return;
    }
    t->work(t);
}

static void answer_error(struct task *t)
{
    exchange_fail(t->x, t->error == ENOSPC ? 507 : 500, "The folder output of the data root can not be used: %s.",
                  strerrordesc_np(t->error));
}

static void task_done(struct offload *o)
{
    struct task *t = (struct task *)(void *)o;

    if (t->x != NULL) {
        t->x->on_end = NULL;
        if (t->error != 0) {
            answer_error(t);
        } else if (t->out_of_memory) {
            exchange_fail(t->x, 500, "Out of memory.");
        } else {
            t->answer(t);
        }
    }
    if (t->job.folder >= 0) {
        close(t->job.folder);
    }
    files_job_release(&t->job);
    buf_release(&t->out);
    free(t);
}

static void client_left(struct exchange *x)
{
    struct task *t = x->state;

    t->x = NULL;
    offload_cancel(&t->offload);
}

static bool task_is_cancelled(void *arg)
{
    return offload_is_cancelled(arg);
}

/* NULL: answered. */
static struct task *task_new(struct exchange *x, void (*work)(struct task *t), void (*answer)(struct task *t))
{
    struct task *t = calloc(1, sizeof(*t));

    if (t == NULL) {
        exchange_fail(x, 500, "Out of memory.");
        return NULL;
    }
    t->x = x;
    t->site = x->worker->site;
    t->work = work;
    t->answer = answer;
    t->job.folder = -1;
    t->job.parallel = 1;
    t->job.is_cancelled = task_is_cancelled;
    t->job.arg = &t->offload;
    t->offload.run = run_task;
    t->offload.done = task_done;
    buf_init(&t->out, LIST_MAX_BYTES);
    return t;
}

static void task_start(struct task *t)
{
    struct exchange *x = t->x;

    if (!offload_start(&t->offload, x->worker)) {
        free(t);
        exchange_fail(x, 503, "Too much is being done already.");
        return;
    }
    x->state = t;
    x->on_end = client_left;
    x->end_with_client = true;
}

/* ---- Parameters ---- */

/* False: answered. */
static bool take_prefix(struct exchange *x, char out[FILES_PREFIX_MAX + 1])
{
    struct buf text;
    bool found;

    buf_init(&text, 4096);
    bool ok = query_text(x, "prefix", &text, &found);
    struct slice prefix = found ? buf_slice(&text) : SLICE("file");
    if (ok && !files_prefix_is_good(prefix)) {
        exchange_fail(x, 400, "prefix must be 1 to %d bytes without slashes and control characters.", FILES_PREFIX_MAX);
        ok = false;
    }
    if (ok) {
        snprintf(out, FILES_PREFIX_MAX + 1, "%.*s", SLICE_FMT(prefix));
    }
    buf_release(&text);
    return ok;
}

static bool take_parameters(struct task *t)
{
    struct files_job *j = &t->job;
    uint64_t parallel = 1;

    j->n = 3000;
    j->size = 10000;
    bool ok = take_prefix(t->x, j->prefix) && query_number(t->x, "n", 1, FILES_N_MAX, &j->n) &&
              query_number(t->x, "size", 0, SIZE_MAX_BYTES, &j->size) &&
              query_bool(t->x, "deleteFirst", &j->delete_first) && query_bool(t->x, "fsync", &j->sync) &&
              query_number(t->x, "parallel", 1, FILES_PARALLEL_MAX, &parallel);
    j->parallel = (unsigned)parallel;
    return ok;
}

/* ---- Writing and reading ---- */

static void work_generate(struct task *t)
{
    const struct files_job *j = &t->job;

    t->room = store_room(t->site, slice_str(j->prefix), j->n);
    if (j->n * j->size <= t->room) { /* below 2^54: it does not overflow */
        t->out_of_memory = !files_job_run(&t->job);
        store_recount(t->site);
    }
}

static void add_places(struct buf *out, const struct serve_config *config)
{
    struct buf path;

    buf_init(&path, 8192);
    buf_printf(&path, "%s/output", config->data_root != NULL ? config->data_root : ".");
    if (config->data_root != NULL) {
        buf_add_str(out, ",\"dataRoot\":");
        json_add_string(out, slice_str(config->data_root));
    }
    buf_add_str(out, ",\"outputDir\":");
    json_add_string(out, buf_slice(&path));
    buf_release(&path);
}

static void answer_figures(struct task *t, const char *verb)
{
    struct files_job *j = &t->job;
    double seconds = (double)j->elapsed_ns / 1e9, per = j->elapsed_ns > 0 ? 1 / seconds : 0;

    files_job_sort(j);
    buf_printf(
        &t->out,
        "{\"message\":\"%llu files %s successfully in %.3f seconds\",\"filesPerSecond\":%.3f,\"MBPerSecond\":%.3f",
        (unsigned long long)j->done, verb, seconds, (double)j->done * per, (double)j->bytes / MIB * per);
    add_places(&t->out, t->site->config);
    buf_printf(&t->out, ",\"files\":%llu,\"bytes\":%llu,\"seconds\":%.6f,\"fileSeconds\":{",
               (unsigned long long)j->done, (unsigned long long)j->bytes, seconds);
    static const struct {
        const char *name;
        double share;
    } QUANTILES[] = { { "p50", 0.5 }, { "p90", 0.9 }, { "p99", 0.99 }, { "max", 1 } };
    for (size_t i = 0; i < sizeof(QUANTILES) / sizeof(QUANTILES[0]); i++) {
        buf_printf(&t->out, "%s\"%s\":%.6f", i > 0 ? "," : "", QUANTILES[i].name,
                   (double)files_job_quantile(j, QUANTILES[i].share) / 1e9);
    }
    buf_add_str(&t->out, "}}\n");
    exchange_reply_buf(t->x, 200, TYPE_JSON, &t->out);
}

static void answer_failed_file(struct task *t)
{
    const struct files_job *j = &t->job;
    char name[FILES_NAME_MAX];
    int error = j->error;

    files_name(name, j->prefix, j->failed);
    if (error == ENOSPC || error == EDQUOT || error == EFBIG) {
        exchange_fail(t->x, 507,
                      "The disk is full: %s could not be written (%s) and was removed; %llu files before it were.",
                      name, strerrordesc_np(error), (unsigned long long)j->done);
    } else if (j->read && error == ENOENT) {
        exchange_fail(t->x, 404, "There is no file %s.", name);
    } else {
        exchange_fail(t->x, 500, "%s: %s.", name, strerrordesc_np(error));
    }
}

static void answer_generate(struct task *t)
{
    const struct files_job *j = &t->job;

    if (j->n * j->size > t->room) {
        exchange_fail(t->x, 507, "%llu files of %llu bytes are more than the %llu bytes that --max-disk leaves.",
                      (unsigned long long)j->n, (unsigned long long)j->size, (unsigned long long)t->room);
    } else if (j->error != 0) {
        answer_failed_file(t);
    } else {
        answer_figures(t, "generated");
    }
}

void handle_generate_files(struct exchange *x)
{
    struct task *t = task_new(x, work_generate, answer_generate);

    if (t != NULL && take_parameters(t)) {
        task_start(t);
    } else {
        free(t);
    }
}

static void work_read(struct task *t)
{
    t->job.read = true;
    t->out_of_memory = !files_job_run(&t->job);
}

static void answer_read(struct task *t)
{
    if (t->job.error != 0) {
        answer_failed_file(t);
    } else {
        answer_figures(t, "read");
    }
}

void handle_read_files(struct exchange *x)
{
    struct task *t = task_new(x, work_read, answer_read);

    if (t != NULL && take_parameters(t)) {
        task_start(t);
    } else {
        free(t);
    }
}

/* ---- The folder's list ---- */

static DIR *open_list(struct task *t)
{
    int own = openat(t->job.folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *dir = own >= 0 ? fdopendir(own) : NULL;

    if (dir == NULL) {
        t->error = errno;
        if (own >= 0) {
            close(own);
        }
    }
    return dir;
}

static int compare_names(const void *a, const void *b)
{
    return strverscmp(*(char *const *)a, *(char *const *)b);
}

static void work_list(struct task *t)
{
    struct strlist names = STRLIST_INIT;
    DIR *dir = open_list(t);

    if (dir == NULL) {
        return;
    }
    for (const struct dirent *e; (e = readdir(dir)) != NULL && !t->out_of_memory;) {
        if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0) {
            t->out_of_memory = !strlist_add(&names, slice_str(e->d_name));
        }
    }
    closedir(dir);
    if (names.count > 0) {
        qsort(names.items, names.count, sizeof(*names.items), compare_names);
    }
    buf_add_str(&t->out, "{\"files\":[");
    for (size_t i = 0; i < names.count; i++) {
        if (i > 0) {
            buf_add_char(&t->out, ',');
        }
        json_add_string(&t->out, slice_str(names.items[i]));
    }
    buf_add_str(&t->out, "]}\n");
    strlist_release(&names);
}

static void answer_list(struct task *t)
{
    exchange_reply_buf(t->x, 200, TYPE_JSON, &t->out);
}

void handle_list_files(struct exchange *x)
{
    struct task *t = task_new(x, work_list, answer_list);

    if (t != NULL) {
        task_start(t);
    }
}

/* ---- Deleting ---- */

static void work_delete(struct task *t)
{
    DIR *dir = open_list(t);

    if (dir == NULL) {
        return;
    }
    for (const struct dirent *e; (e = readdir(dir)) != NULL && !task_is_cancelled(&t->offload);) {
        if (files_number(slice_str(e->d_name), slice_str(t->job.prefix)) > 0 &&
            unlinkat(t->job.folder, e->d_name, 0) == 0) {
            t->job.done++;
        }
    }
    closedir(dir);
    store_recount(t->site);
}

static void answer_delete(struct task *t)
{
    buf_printf(&t->out, "{\"deleted\":%llu}\n", (unsigned long long)t->job.done);
    exchange_reply_buf(t->x, 200, TYPE_JSON, &t->out);
}

void handle_delete_files(struct exchange *x)
{
    struct task *t = task_new(x, work_delete, answer_delete);

    if (t != NULL && take_prefix(x, t->job.prefix)) {
        task_start(t);
    } else {
        free(t);
    }
}

/* ---- One file's content ---- */

void handle_file_content(struct exchange *x)
{
    struct buf name;
    int folder = -1, fd = -1;

    buf_init(&name, 4096);
    if (!decode_path(&name, x->arg) || !beneath_is_safe(buf_slice(&name)) || slice_find(buf_slice(&name), '/') >= 0) {
        exchange_fail(x, 400, "The name is not that of a file in the output folder.");
    } else {
        folder = store_open(x->worker->site, "output");
        fd = folder >= 0 ? beneath_open(folder, buf_slice(&name), O_RDONLY | O_NONBLOCK, 0) : -1;
        if (fd >= 0) {
            send_file_answer(x, fd, TYPE_TEXT);
        } else {
            exchange_reply(x, 404, TYPE_JSON, SLICE("{\"error\":\"File not found.\",\"status\":404}\n"));
        }
    }
    if (folder >= 0) {
        close(folder);
    }
    buf_release(&name);
}
