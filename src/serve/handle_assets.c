/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Assets: POST /assets and PUT /assets/{id} take a file as multipart field "asset[file]"; GET and DELETE /assets/{id}.
 * What happens to the file then is up to asset_jobs.h. */
#include "serve/handlers.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/json_text.h"
#include "base/random.h"
#include "http/multipart.h"
#include "serve/asset_jobs.h"
#include "serve/beneath.h"
#include "serve/encode.h"
#include "serve/media.h"
#include "serve/offload.h"
#include "serve/send_file.h"
#include "serve/site.h"
#include "serve/upload.h"
#include "serve/worker.h"

enum { LOCATION_MAX_BYTES = 4096 };

/* One POST or PUT. */
struct asset {
    struct exchange *x;
    struct multipart multipart;
    struct upload upload;
    bool receiving, received; /* the part that is the file: under way, complete */
    int error;                /* errno of writing it */
    char id[UUID_TEXT_MAX];
    char filename[ASSET_NAME_MAX + 1];
};

void assets_answer_error(struct exchange *x, int error)
{
    if (error == ENOENT) {
        exchange_fail(x, 404, "There is no such asset.");
    } else if (error == ENOSPC || error == EDQUOT || error == EFBIG) {
        exchange_fail(x, 507, "The disk is full, or --max-disk leaves no room for it: nothing was stored.");
    } else if (error == EAGAIN) {
        exchange_fail(x, 503, "Too many assets wait to be scanned or copied: nothing was stored.");
    } else {
        exchange_fail(x, 500, "The store of assets can not be used: %s.", strerrordesc_np(error));
    }
}

/* ---- What an asset looks like ---- */

static void add_member(struct buf *out, const char *name, struct slice value)
{
    buf_printf(out, ",\"%s\":", name);
    json_add_string(out, value);
}

static void add_url(struct buf *out, const struct exchange *x, const char *kind, const char *id, const char *filename)
{
    base_of_request(x, out);
    buf_printf(out, "/%s/%s", kind, id);
    if (filename != NULL) {
        buf_add_char(out, '/');
        encode_component(out, slice_str(filename));
    }
}

static void add_state(struct buf *out, const struct exchange *x, const struct asset_state *state)
{
    add_member(out, "state", slice_str(asset_scan_text(state->scan)));
    if (state->scan_error[0] != '\0') {
        add_member(out, "scan_error", slice_str(state->scan_error));
    }
    if (asset_jobs_s3(x->worker->site->assets) != NULL || state->copy != COPY_NONE) {
        add_member(out, "s3", slice_str(asset_copy_text(state->copy)));
    }
    if (state->copy_error[0] != '\0') {
        add_member(out, "s3_error", slice_str(state->copy_error));
    }
}

/* state NULL: it is deleted. */
static void answer_asset(struct exchange *x, uint16_t status, const char *said, const char *id, const char *filename,
                         const struct asset_state *state)
{
    struct buf out, url;

    buf_init(&out, 64 * 1024);
    buf_init(&url, LOCATION_MAX_BYTES);
    buf_printf(&out, "{\"_response_info\":{\"status\":\"%s\"}", said);
    add_url(&url, x, "assets", id, NULL);
    add_member(&out, "id", buf_slice(&url));
    add_member(&out, "name", slice_str(filename));
    add_member(&out, "content_type", send_file_type(slice_str(filename)));
    buf_clear(&url);
    add_url(&url, x, "media", id, filename);
    add_member(&out, "file_url", buf_slice(&url));
    if (state != NULL) {
        add_state(&out, x, state);
    } else {
        add_member(&out, "state", SLICE("deleted"));
    }
    buf_add_str(&out, "}\n");
    buf_release(&url);
    exchange_reply_buf(x, status, TYPE_JSON, &out);
}

/* ---- Receiving ---- */

/* The last segment of what the client calls its file, if it can be a name here. */
static bool take_filename(struct asset *a, struct slice filename)
{
    for (size_t i = filename.len; i > 0; i--) {
        if (filename.ptr[i - 1] == '/' || filename.ptr[i - 1] == '\\') {
            filename = slice_drop(filename, i);
            break;
        }
    }
    if (!beneath_is_safe(filename) || filename.ptr[0] == '.') {
        return false;
    }
    snprintf(a->filename, sizeof(a->filename), "%.*s", SLICE_FMT(filename));
    return true;
}

static void on_part(void *arg, struct slice name, struct slice filename, struct slice type)
{
    struct asset *a = arg;

    (void)type; /* the name's ending decides */
    a->receiving = slice_eq(name, SLICE("asset[file]")) && filename.ptr != NULL && !a->received;
    if (!a->receiving || exchange_is_answered(a->x)) {
        return;
    }
    if (!take_filename(a, filename)) {
        exchange_fail(a->x, 422, "The file's name can not be one here: 1 to %d bytes, not beginning with a dot.",
                      ASSET_NAME_MAX);
    }
}

static void on_content(void *arg, struct slice bytes)
{
    struct asset *a = arg;

    if (a->receiving && a->error == 0) {
        a->error = upload_write(&a->upload, bytes);
    }
}

static void on_part_end(void *arg)
{
    struct asset *a = arg;

    a->received |= a->receiving;
    a->receiving = false;
}

static const struct multipart_events EVENTS = { on_part, on_content, on_part_end };

static void asset_ended(struct exchange *x)
{
    struct asset *a = x->state;

    upload_close(&a->upload);
    free(a);
}

static void asset_body(struct exchange *x, struct slice content)
{
    struct asset *a = x->state;

    if (multipart_feed(&a->multipart, content) == MULTIPART_BAD && !exchange_is_answered(x)) {
        exchange_fail(x, 400, "The body is not multipart/form-data: %s", multipart_reason(&a->multipart));
    } else if (a->error != 0 && !exchange_is_answered(x)) {
        assets_answer_error(x, a->error);
    }
}

static void store(struct asset *a, bool created)
{
    struct asset_state state;
    int error = asset_publish(a->x->worker->site->assets, &a->upload, a->id, a->filename, created, &state);

    if (error == 0) {
        answer_asset(a->x, created ? 201 : 200, created ? "created" : "success", a->id, a->filename, &state);
    } else {
        assets_answer_error(a->x, error);
    }
}

static void asset_body_end(struct exchange *x)
{
    struct asset *a = x->state;

    if (multipart_feed(&a->multipart, SLICE("")) != MULTIPART_DONE) {
        exchange_fail(x, 400, "The multipart body has no end.");
    } else if (!a->received) {
        exchange_fail(x, 422, "There is no file in the field asset[file].");
    } else {
        store(a, x->head->method == REQUEST_POST);
    }
}

static void receive(struct exchange *x, struct slice id)
{
    struct slice boundary;
    struct asset *a = NULL;

    if (!multipart_boundary(request_head_field(x->head, SLICE("Content-Type")), &boundary)) {
        exchange_fail(x, 415, "The file must come as multipart/form-data, in the field asset[file].");
        return;
    }
    a = calloc(1, sizeof(*a));
    if (a == NULL) {
        exchange_fail(x, 500, "Out of memory.");
        return;
    }
    a->x = x;
    multipart_begin(&a->multipart, boundary, &EVENTS, a);
    if (id.len > 0) {
        snprintf(a->id, sizeof(a->id), "%.*s", SLICE_FMT(id));
    } else {
        uuid_make(a->id);
    }
    a->error = upload_open(&a->upload, x->worker->site, x->head->content_length);
    x->state = a;
    x->on_end = asset_ended;
    if (a->error != 0) {
        assets_answer_error(x, a->error);
        return;
    }
    x->on_body = asset_body;
    x->on_body_end = asset_body_end;
}

void handle_post_asset(struct exchange *x)
{
    receive(x, SLICE(""));
}

/* ---- Those that are there ---- */

int assets_find(struct exchange *x, struct slice id, struct asset_found *out)
{
    if (!asset_is_id(id)) {
        assets_answer_error(x, ENOENT);
        return -1;
    }
    snprintf(out->id, sizeof(out->id), "%.*s", SLICE_FMT(id));
    int folder = asset_open(x->worker->site, out->id, false);
    if (folder < 0) {
        assets_answer_error(x, errno);
        return -1;
    }
    if (!asset_name(folder, out->name)) {
        close(folder);
        assets_answer_error(x, ENOENT);
        return -1;
    }
    asset_read_state(folder, &out->state);
    return folder;
}

void handle_put_asset(struct exchange *x)
{
    struct asset_found found;
    int folder = assets_find(x, x->arg, &found);

    if (folder >= 0) {
        close(folder);
        receive(x, x->arg);
    }
}

void handle_get_asset(struct exchange *x)
{
    struct asset_found found;
    int folder = assets_find(x, x->arg, &found);

    if (folder >= 0) {
        close(folder);
        answer_asset(x, 200, "ok", found.id, found.name, &found.state);
    }
}

/* ---- Their end ---- */

struct deletion {
    struct offload offload; /* first */
    struct exchange *x;     /* NULL: the client left */
    struct asset_jobs *jobs;
    struct asset_found found;
    struct s3_outcome outcome;
    bool gone;
};

static bool deletion_is_stopped(void *arg)
{
    return offload_is_cancelled(arg);
}

static void run_deletion(struct offload *o)
{
    struct deletion *d = (struct deletion *)(void *)o;
    const struct s3_stop stop = { deletion_is_stopped, o };

    d->gone = asset_delete(d->jobs, d->found.id, &stop, &d->outcome);
}

static void answer_deletion(const struct deletion *d)
{
    if (d->gone) {
        answer_asset(d->x, 200, "success", d->found.id, d->found.name, NULL);
    } else if (d->outcome.status == 404) {
        assets_answer_error(d->x, ENOENT);
    } else {
        exchange_fail(d->x, d->outcome.status, "The asset was not deleted: %s.", d->outcome.why);
    }
}

static void deletion_done(struct offload *o)
{
    struct deletion *d = (struct deletion *)(void *)o;

    if (d->x != NULL) {
        d->x->on_end = NULL;
        answer_deletion(d);
    }
    free(d);
}

static void deleting_client_left(struct exchange *x)
{
    struct deletion *d = x->state;

    d->x = NULL;
    offload_cancel(&d->offload);
}

void handle_delete_asset(struct exchange *x)
{
    struct deletion d = { .x = x, .jobs = x->worker->site->assets }, *waiting;
    int folder = assets_find(x, x->arg, &d.found);

    if (folder < 0) {
        return;
    }
    close(folder);
    if (!asset_jobs_may_wait(d.jobs)) {
        run_deletion(&d.offload);
        answer_deletion(&d);
        return;
    }
    d.offload.run = run_deletion;
    d.offload.done = deletion_done;
    waiting = malloc(sizeof(*waiting));
    if (waiting != NULL) {
        *waiting = d;
    }
    if (waiting == NULL || !offload_start(&waiting->offload, x->worker)) {
        free(waiting);
        exchange_fail(x, 503, "Too much is being done already.");
        return;
    }
    x->state = waiting;
    x->on_end = deleting_client_left;
}
