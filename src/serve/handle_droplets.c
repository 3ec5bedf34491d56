/* SPDX-License-Identifier: GPL-3.0-or-later */
/* PUT, GET, HEAD, DELETE /droplets/{a}/{b}: a service in front of a blobstore. An upload comes as multipart field
 * "droplet" and goes on as a raw PUT: as it arrives (stream), or from the disk once it is whole (spool). Either way the
 * store learns of its end only when the whole form was well, so that a broken upload leaves nothing there.
 *
 * Nothing is buffered whole: while much waits for the store the client is not read, and the other way round. */
#include "serve/handlers.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_text.h"
#include "http/multipart.h"
#include "serve/beneath.h"
#include "serve/decode.h"
#include "serve/encode.h"
#include "serve/site.h"
#include "serve/upload.h"
#include "serve/upstream.h"
#include "serve/worker.h"

enum {
    PATH_MAX_BYTES = 2048,
    PENDING_BYTES = 256 * 1024, /* for the store: beyond it the client waits */
    HELD_BYTES = 64 * 1024,     /* for the client: beyond it the store waits */
    HELD_MAX_BYTES = 256 * 1024,
};

struct droplet {
    struct exchange *x;
    struct upstream_call call;
    bool calling;
    struct buf path; /* "/a/b", encoded */
    /* An upload. */
    struct multipart multipart;
    struct upload upload;
    bool spools, receiving, received, sent_whole;
    int error; /* errno of spooling, ENOBUFS of passing on */
    uint64_t bytes;
    /* A download. */
    struct buf held;
    size_t given; /* of held */
    uint64_t left;
    bool whole, starved;
};

/* ---- What both directions share ---- */

static struct blobstore *store_of(const struct droplet *d)
{
    return &d->x->worker->site->blobstore;
}

/* Two segments, each safe as a name. False: answered. */
static bool take_path(struct exchange *x, struct buf *out)
{
    struct buf plain;
    struct slice b, a;

    buf_init(&plain, PATH_MAX_BYTES);
    bool ok = decode_path(&plain, x->arg) && beneath_is_safe(buf_slice(&plain));
    b = buf_slice(&plain);
    a = slice_split(&b, '/');
    ok = ok && b.len > 0 && slice_find(b, '/') < 0;
    if (ok) {
        buf_add_char(out, '/');
        encode_component(out, a);
        buf_add_char(out, '/');
        encode_component(out, b);
        ok = buf_ok(out);
    }
    buf_release(&plain);
    if (!ok) {
        exchange_fail(x, 400, "The path of a droplet is /droplets/A/B, two names of at most 255 bytes without \"..\".");
    }
    return ok;
}

static void ended(struct exchange *x)
{
    struct droplet *d = x->state;

    if (d->calling) {
        upstream_cancel(&d->call);
    }
    upstream_call_release(&d->call);
    if (d->spools) {
        upload_close(&d->upload);
    }
    buf_release(&d->path);
    buf_release(&d->held);
    free(d);
}

/* NULL: answered. */
static struct droplet *begin(struct exchange *x)
{
    struct droplet *d = calloc(1, sizeof(*d));

    if (d == NULL) {
        exchange_fail(x, 500, "Out of memory.");
        return NULL;
    }
    d->x = x;
    buf_init(&d->path, 4 * PATH_MAX_BYTES);
    buf_init(&d->held, HELD_MAX_BYTES);
    if (!take_path(x, &d->path)) {
        buf_release(&d->path);
        free(d);
        return NULL;
    }
    x->state = d;
    x->on_end = ended;
    return d;
}

/* False: answered. */
static bool call_store(struct droplet *d, struct upstream_request *r)
{
    const struct blobstore *b = store_of(d);
    uint64_t timeout_ns = d->x->worker->config->blobstore_timeout_ns;

    r->base = &b->base;
    r->rest = buf_slice(&d->path);
    r->fields = buf_slice(&b->fields);
    r->insecure = b->insecure;
    r->timeout_ns = timeout_ns > 0 ? timeout_ns : UINT64_MAX / 2;
    r->idle = true;
    d->call.arg = d;
    d->calling = upstream_start(&d->call, d->x->worker, r) == 0;
    if (!d->calling) {
        exchange_fail(d->x, 500, "The blobstore %.*s can not be called.", SLICE_FMT(buf_slice(&b->authority)));
    }
    return d->calling;
}

/* What came of a call, if it was no success. True: answered. */
static bool answer_failure(struct droplet *d)
{
    const struct upstream_call *call = &d->call;
    struct slice who = buf_slice(&store_of(d)->authority);

    if (call->fail != UPSTREAM_OK) {
        exchange_fail(d->x, call->fail == UPSTREAM_TIMEOUT ? 504 : 502, "The blobstore %.*s: %s.", SLICE_FMT(who),
                      call->why);
    } else if (call->status == 507) {
        exchange_fail(d->x, 507, "The blobstore %.*s is full.", SLICE_FMT(who));
    } else if (call->status < 200 || call->status > 299) {
        exchange_fail(d->x, 502, "The blobstore %.*s answered %u.", SLICE_FMT(who), call->status);
    } else {
        return false;
    }
    return true;
}

/* ---- Uploads ---- */

static void stored(struct upstream_call *call)
{
    struct droplet *d = call->arg;
    struct exchange *x = d->x;
    struct buf out;

    d->calling = false;
    if (answer_failure(d)) {
        return;
    }
    if (!d->sent_whole) {
        exchange_fail(x, 502, "The blobstore answered %u before it had everything.", call->status);
        return;
    }
    buf_init(&out, EXCHANGE_SMALL_BYTES);
    buf_add_str(&out, "{\"droplet\":");
    json_add_string(&out, slice_drop(buf_slice(&d->path), 1));
    buf_printf(&out, ",\"bytes\":%llu,\"way\":\"%s\",\"blobstoreStatus\":%u}\n", (unsigned long long)d->bytes,
               d->spools ? "spool" : "stream", call->status);
    exchange_reply_buf(x, call->status == 201 ? 201 : 200, TYPE_JSON, &out);
}

/* Everything pending was sent: the client may go on. */
static void passed_on(struct upstream_call *call)
{
    struct droplet *d = call->arg;

    if (d->x->body_paused && upstream_pending(call) == 0) {
        d->x->body_paused = false;
        exchange_read_more(d->x);
    }
}

static void on_part(void *arg, struct slice name, struct slice filename, struct slice type)
{
    struct droplet *d = arg;

    (void)type;
    d->receiving = slice_eq(name, SLICE("droplet")) && filename.ptr != NULL && !d->received;
    if (!d->receiving || d->spools || exchange_is_answered(d->x)) {
        return;
    }
    d->call.done = stored;
    d->call.on_progress = passed_on;
    call_store(d, &(struct upstream_request){ .method = "PUT", .content = UPSTREAM_STREAM });
}

static void on_content(void *arg, struct slice bytes)
{
    struct droplet *d = arg;

    if (!d->receiving || d->error != 0) {
        return;
    }
    d->bytes += bytes.len;
    if (d->spools) {
        d->error = upload_write(&d->upload, bytes);
    } else if (d->calling && !upstream_write(&d->call, bytes)) {
        d->error = ENOBUFS;
    }
}

static void on_part_end(void *arg)
{
    struct droplet *d = arg;

    d->received |= d->receiving;
    d->receiving = false;
}

static const struct multipart_events EVENTS = { on_part, on_content, on_part_end };

static void answer_spooling(struct droplet *d)
{
    if (d->error == ENOSPC || d->error == EDQUOT || d->error == EFBIG) {
        exchange_fail(d->x, 507, "The disk is full, or --max-disk leaves no room for it: nothing was stored.");
    } else {
        exchange_fail(d->x, 500, "The droplet can not be taken: %s.", strerrordesc_np(d->error));
    }
}

static void put_body(struct exchange *x, struct slice content)
{
    struct droplet *d = x->state;
    enum multipart_state state = multipart_feed(&d->multipart, content);

    if (exchange_is_answered(x)) {
        return;
    }
    if (state == MULTIPART_BAD) {
        exchange_fail(x, 400, "The body is not multipart/form-data: %s", multipart_reason(&d->multipart));
    } else if (d->error != 0) {
        answer_spooling(d);
    } else if (d->calling && upstream_pending(&d->call) > PENDING_BYTES) {
        x->body_paused = true;
    }
}

static void put_body_end(struct exchange *x)
{
    struct droplet *d = x->state;

    if (multipart_feed(&d->multipart, SLICE("")) != MULTIPART_DONE) {
        exchange_fail(x, 400, "The multipart body has no end.");
    } else if (!d->received) {
        exchange_fail(x, 422, "There is no file in the field droplet.");
    } else if (d->spools) {
        d->sent_whole = true;
        d->call.done = stored;
        call_store(
            d, &(struct upstream_request){
                   .method = "PUT", .content = UPSTREAM_FILE, .file = upload_file(&d->upload), .length = d->bytes });
    } else {
        d->sent_whole = true;
        upstream_write_end(&d->call);
    }
}

void handle_put_droplet(struct exchange *x)
{
    struct slice boundary;
    struct droplet *d;

    if (!multipart_boundary(request_head_field(x->head, SLICE("Content-Type")), &boundary)) {
        exchange_fail(x, 415, "The file must come as multipart/form-data, in the field droplet.");
        return;
    }
    d = begin(x);
    if (d == NULL) {
        return;
    }
    multipart_begin(&d->multipart, boundary, &EVENTS, d);
    d->spools = x->worker->config->spool_droplets;
    if (d->spools) {
        d->error = upload_open(&d->upload, x->worker->site, x->head->content_length);
    }
    if (d->error != 0) {
        answer_spooling(d);
        return;
    }
    x->on_body = put_body;
    x->on_body_end = put_body_end;
}

/* ---- Downloads ---- */

static void keep_content(struct upstream_call *call, struct slice bytes)
{
    struct droplet *d = call->arg;

    buf_add_slice(&d->held, bytes);
    call->paused = d->held.len > HELD_BYTES;
}

static size_t give(struct exchange *x, char *out, size_t room, bool *end)
{
    struct droplet *d = x->state;
    size_t len = d->held.len - d->given;

    len = len < room ? len : room;
    if (len > 0) {
        memcpy(out, d->held.data + d->given, len);
        d->given += len;
    }
    d->left -= d->left != LENGTH_UNKNOWN ? len : 0;
    if (d->given == d->held.len) {
        buf_clear(&d->held);
        d->given = 0;
        *end = d->whole || d->left == 0;
        if (d->calling && d->call.paused) {
            upstream_read_more(&d->call);
        }
    }
    d->starved = len == 0 && !*end;
    return len;
}

static void go_on(struct droplet *d)
{
    if (d->starved && (d->held.len > 0 || d->whole)) {
        d->starved = false;
        exchange_resume(d->x);
    }
}

static void answer_content(struct droplet *d)
{
    bool known = d->call.content_length != UPSTREAM_LENGTH_UNKNOWN;

    d->left = known ? d->call.content_length : LENGTH_UNKNOWN;
    exchange_answer(d->x, &(struct answer){ .status = 200,
                                            .body = d->left == 0 ? BODY_NONE : BODY_FILL,
                                            .type = TYPE_BYTES,
                                            .length = d->left,
                                            .fill = give });
}

static void content_came(struct upstream_call *call)
{
    struct droplet *d = call->arg;

    if (exchange_is_answered(d->x)) {
        go_on(d);
    } else if (call->status == 200) {
        answer_content(d);
    } /* else done() follows, and says why not */
}

static void answer_missing(struct droplet *d)
{
    exchange_fail(d->x, 404, "There is no such droplet.");
}

static void fetched(struct upstream_call *call)
{
    struct droplet *d = call->arg;

    d->calling = false;
    d->whole = call->fail == UPSTREAM_OK;
    if (exchange_is_answered(d->x)) {
        if (d->whole) {
            go_on(d);
        } else {
            exchange_abort(d->x); /* never a short body that looks whole */
        }
    } else if (d->whole && call->status == 404) {
        answer_missing(d);
    } else if (!answer_failure(d)) {
        if (d->x->head->method == REQUEST_HEAD) {
            exchange_answer(d->x, &(struct answer){ .status = 200,
                                                    .type = TYPE_BYTES,
                                                    .length = call->content_length == UPSTREAM_LENGTH_UNKNOWN
                                                                  ? 0
                                                                  : call->content_length });
        } else {
            answer_content(d);
        }
    }
}

void handle_get_droplet(struct exchange *x)
{
    struct droplet *d = begin(x);

    if (d != NULL) {
        x->end_with_client = true;
        d->call.done = fetched;
        d->call.on_content = keep_content;
        d->call.on_progress = content_came;
        call_store(d, &(struct upstream_request){ .method = x->head->method == REQUEST_HEAD ? "HEAD" : "GET" });
    }
}

static void removed(struct upstream_call *call)
{
    struct droplet *d = call->arg;

    d->calling = false;
    if (call->fail == UPSTREAM_OK && call->status == 404) {
        answer_missing(d);
    } else if (!answer_failure(d)) {
        exchange_answer(d->x, &(struct answer){ .status = 204 });
    }
}

void handle_delete_droplet(struct exchange *x)
{
    struct droplet *d = begin(x);

    if (d != NULL) {
        d->call.done = removed;
        call_store(d, &(struct upstream_request){ .method = "DELETE" });
    }
}
