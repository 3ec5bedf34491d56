/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An asset from S3. A thread talks to S3; between it and the loop, which sends to the client, lies a ring of
 * RING_BYTES: when it is full the thread waits, libcurl reads no more, and TCP holds S3 back. The thread and the
 * exchange end in any order; whoever is last frees. */
#include "serve/media.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "serve/asset_jobs.h"
#include "serve/offload.h"
#include "serve/send_file.h"
#include "serve/site.h"
#include "serve/worker.h"
#include "web/fetch.h"

enum { RING_BYTES = 256 * 1024, TEXT_BYTES = 256, FORWARDED = 4, URL_MAX_BYTES = 6 * 1024 };

struct transfer {
    struct offload offload; /* first */
    struct exchange *x;     /* the loop's; NULL: it has ended */
    bool over;              /* the loop's: the thread has ended */
    struct asset_jobs *jobs;
    struct asset_found found;
    enum media_way way;
    bool head;
    char forwarded[FORWARDED][TEXT_BYTES];

    /* The thread's, and after its end the loop's. */
    struct s3_outcome outcome;
    bool good;

    /* What S3 said; complete before has_head. */
    uint16_t status;
    uint64_t length;
    char tag[TEXT_BYTES], date[TEXT_BYTES], range[TEXT_BYTES];

    pthread_mutex_t lock; /* of what follows */
    pthread_cond_t drained;
    bool has_head, starved, ended;
    uint64_t received; /* into the ring */
    char *ring;
    size_t at, len;
};

static void transfer_free(struct transfer *t)
{
    pthread_cond_destroy(&t->drained);
    pthread_mutex_destroy(&t->lock);
    free(t->ring);
    free(t);
}

/* ---- In the thread ---- */

static bool is_stopped(void *arg)
{
    struct transfer *t = arg;

    return offload_is_cancelled(&t->offload);
}

static void take_text(char out[TEXT_BYTES], struct fetch *f, const char *name)
{
    struct slice value = fetch_header(f, name);

    snprintf(out, TEXT_BYTES, "%.*s", SLICE_FMT(slice_take(value, TEXT_BYTES - 1)));
}

static bool has_content(const struct transfer *t)
{
    return !t->head && (t->status == 200 || t->status == 206);
}

static bool on_head(void *arg, uint16_t status, struct fetch *f)
{
    struct transfer *t = arg;

    t->status = status;
    t->length = LENGTH_UNKNOWN;
    slice_to_u64(fetch_header(f, "Content-Length"), &t->length);
    take_text(t->tag, f, "ETag");
    take_text(t->date, f, "Last-Modified");
    take_text(t->range, f, "Content-Range");
    pthread_mutex_lock(&t->lock);
    t->has_head = true;
    pthread_mutex_unlock(&t->lock);
    offload_post(&t->offload);
    return true;
}

/* As much of it as the ring has room for. */
static void put(struct transfer *t, struct slice *bytes)
{
    while (bytes->len > 0 && t->len < RING_BYTES) {
        size_t end = (t->at + t->len) % RING_BYTES;
        size_t room = end >= t->at ? RING_BYTES - end : t->at - end;
        struct slice piece = slice_take(*bytes, room < RING_BYTES - t->len ? room : RING_BYTES - t->len);
        memcpy(t->ring + end, piece.ptr, piece.len);
        t->len += piece.len;
        t->received += piece.len;
        *bytes = slice_drop(*bytes, piece.len);
    }
}

static bool on_bytes(void *arg, struct slice bytes)
{
    struct transfer *t = arg;
    bool wakes = false;

    if (!has_content(t)) {
        return true;
    }
    pthread_mutex_lock(&t->lock);
    while (bytes.len > 0 && !is_stopped(t)) {
        put(t, &bytes);
        wakes = t->starved;
        t->starved = false;
        if (wakes) {
            offload_post(&t->offload);
        }
        if (bytes.len > 0 && !is_stopped(t)) {
            pthread_cond_wait(&t->drained, &t->lock);
        }
    }
    pthread_mutex_unlock(&t->lock);
    return !is_stopped(t);
}

static void run(struct offload *o)
{
    struct transfer *t = (struct transfer *)(void *)o;
    const struct s3_stop stop = { is_stopped, t };
    const char *fields[FORWARDED];
    struct s3_get get = {
        .head = t->head, .fields = fields, .on_head = on_head, .on_bytes = on_bytes, .is_stopped = is_stopped, .arg = t
    };

    for (size_t i = 0; i < FORWARDED; i++) {
        if (t->forwarded[i][0] != '\0') {
            fields[get.field_count++] = t->forwarded[i];
        }
    }
    bool good = t->found.state.copy == COPY_STORED || asset_ensure_copy(t->jobs, t->found.id, &stop, &t->outcome);
    if (good && t->way == MEDIA_STREAM) {
        good = s3_get(asset_jobs_s3(t->jobs), t->found.id, &get, &t->outcome);
    }
    pthread_mutex_lock(&t->lock);
    t->good = good;
    t->ended = true;
    pthread_mutex_unlock(&t->lock);
}

/* ---- In the loop ---- */

static size_t fill(struct exchange *x, char *out, size_t room, bool *end)
{
    struct transfer *t = x->state;
    size_t n = 0;

    pthread_mutex_lock(&t->lock);
    while (n < room && t->len > 0) {
        size_t piece = RING_BYTES - t->at < t->len ? RING_BYTES - t->at : t->len;
        piece = piece < room - n ? piece : room - n;
        memcpy(out + n, t->ring + t->at, piece);
        t->at = (t->at + piece) % RING_BYTES;
        t->len -= piece;
        n += piece;
    }
    *end = t->ended && t->good && t->len == 0;
    t->starved = n == 0;
    pthread_cond_signal(&t->drained);
    pthread_mutex_unlock(&t->lock);
    return n;
}

static void exchange_ended(struct exchange *x)
{
    struct transfer *t = x->state;

    t->x = NULL;
    if (t->over) {
        transfer_free(t);
        return;
    }
    pthread_mutex_lock(&t->lock);
    bool is_ending = t->has_head && (!has_content(t) || t->received == t->length);
    if (!is_ending) { /* else its connection is worth keeping */
        offload_cancel(&t->offload);
    }
    pthread_cond_signal(&t->drained);
    pthread_mutex_unlock(&t->lock);
}

static void answer_stream(struct transfer *t)
{
    struct field fields[4] = { { SLICE("Accept-Ranges"), SLICE("bytes") } };
    struct answer a = { .status = t->status,
                        .body = has_content(t) ? BODY_FILL : BODY_NONE,
                        .length = has_content(t) || t->head ? t->length : 0,
                        .type = send_file_type(slice_str(t->found.name)),
                        .fields = fields,
                        .field_count = 1,
                        .fill = fill };

    if (t->tag[0] != '\0') {
        fields[a.field_count++] = (struct field){ SLICE("ETag"), slice_str(t->tag) };
    }
    if (t->date[0] != '\0') {
        fields[a.field_count++] = (struct field){ SLICE("Last-Modified"), slice_str(t->date) };
    }
    if (t->range[0] != '\0') {
        fields[a.field_count++] = (struct field){ SLICE("Content-Range"), slice_str(t->range) };
    }
    if (a.body == BODY_NONE && a.length == LENGTH_UNKNOWN) {
        a.length = 0;
    }
    exchange_answer(t->x, &a);
}

static void progress(struct offload *o)
{
    struct transfer *t = (struct transfer *)(void *)o;

    if (t->x == NULL) {
        return;
    }
    if (exchange_is_answered(t->x)) {
        exchange_resume(t->x);
        return;
    }
    pthread_mutex_lock(&t->lock);
    bool has_head = t->has_head;
    pthread_mutex_unlock(&t->lock);
    if (has_head) {
        answer_stream(t);
    }
}

static void answer_place(struct exchange *x, struct asset_jobs *jobs, const struct asset_found *found,
                         enum media_way way)
{
    struct answer a = { .status = way == MEDIA_REDIRECT ? 302 : 200, .field_count = 1 };
    struct field fields[2] = { { .name = way == MEDIA_REDIRECT ? SLICE("Location") : SLICE("X-Accel-Redirect") } };
    struct buf url;

    buf_init(&url, URL_MAX_BYTES);
    if (way == MEDIA_PROXY) {
        buf_add_str(&url, MEDIA_ACCEL_S3);
        a.type = send_file_type(slice_str(found->name));
    } else {
        fields[a.field_count++] = (struct field){ SLICE("Cache-Control"), SLICE("no-store") };
    }
    if (s3_presign(asset_jobs_s3(jobs), &url, request_method_name(x->head->method), found->id, time(NULL))) {
        fields[0].value = buf_slice(&url);
        a.fields = fields;
        exchange_answer(x, &a);
    } else {
        exchange_fail(x, 500, "Out of memory.");
    }
    buf_release(&url);
}

static void answer_failure(struct transfer *t)
{
    if (t->outcome.status == 404) {
        exchange_fail(t->x, 404, "There is no such asset, or it is not clean.");
    } else {
        exchange_fail(t->x, t->outcome.status != 0 ? t->outcome.status : 502, "%s.", t->outcome.why);
    }
}

static void done(struct offload *o)
{
    struct transfer *t = (struct transfer *)(void *)o;

    t->over = true;
    if (t->x == NULL) {
        transfer_free(t);
    } else if (exchange_is_answered(t->x) && !t->good) {
        exchange_abort(t->x); /* better no end than a wrong one */
    } else if (exchange_is_answered(t->x)) {
        exchange_resume(t->x);
    } else if (!t->good) {
        answer_failure(t);
    } else {
        answer_place(t->x, t->jobs, &t->found, t->way);
    }
}

/* ---- Beginning ---- */

/* Conditions and ranges are for S3 to judge: it is its file, with its tag. */
static void forward(struct transfer *t, const struct request_head *head)
{
    static const struct slice NAMES[FORWARDED] = {
        { "Range", 5 }, { "If-Range", 8 }, { "If-None-Match", 13 }, { "If-Modified-Since", 17 }
    };

    for (size_t i = 0; i < FORWARDED; i++) {
        struct slice value = request_head_field(head, NAMES[i]);
        bool plain = value.len > 0 && value.len + NAMES[i].len + 3 < TEXT_BYTES;
        for (size_t k = 0; plain && k < value.len; k++) {
            plain = value.ptr[k] >= ' ' && value.ptr[k] < 0x7f;
        }
        if (plain) {
            snprintf(t->forwarded[i], TEXT_BYTES, "%.*s: %.*s", SLICE_FMT(NAMES[i]), SLICE_FMT(value));
        }
    }
}

static struct transfer *transfer_new(struct exchange *x, const struct asset_found *found, enum media_way way)
{
    struct transfer *t = calloc(1, sizeof(*t));

    if (t == NULL || (t->ring = malloc(RING_BYTES)) == NULL) {
        free(t);
        return NULL;
    }
    pthread_mutex_init(&t->lock, NULL);
    pthread_cond_init(&t->drained, NULL);
    t->x = x;
    t->jobs = x->worker->site->assets;
    t->found = *found;
    t->way = way;
    t->head = x->head->method == REQUEST_HEAD;
    t->length = LENGTH_UNKNOWN;
    t->offload.run = run;
    t->offload.progress = progress;
    t->offload.done = done;
    forward(t, x->head);
    return t;
}

void media_from_s3(struct exchange *x, const struct asset_found *found, enum media_way way)
{
    if (way != MEDIA_STREAM && found->state.copy == COPY_STORED) {
        answer_place(x, x->worker->site->assets, found, way);
        return;
    }
    struct transfer *t = transfer_new(x, found, way);
    if (t == NULL || !offload_start(&t->offload, x->worker)) {
        if (t != NULL) {
            transfer_free(t);
        }
        exchange_fail(x, 503, "Too much is being done already.");
        return;
    }
    x->state = t;
    x->on_end = exchange_ended;
}
