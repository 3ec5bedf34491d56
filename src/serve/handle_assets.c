/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Assets: POST /assets and PUT /assets/{id} take a file as multipart field "asset[file]"; GET and DELETE /assets/{id};
 * GET /media/{id}/{filename} from disk. An asset is a folder assets/ID with one file in it, whose name is the asset's.
 * It is clean at once: nothing scans it here. */
#include "serve/handlers.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/json_text.h"
#include "base/random.h"
#include "http/multipart.h"
#include "serve/beneath.h"
#include "serve/decode.h"
#include "serve/encode.h"
#include "serve/send_file.h"
#include "serve/site.h"
#include "serve/store.h"
#include "serve/upload.h"
#include "serve/worker.h"

enum { FILENAME_MAX_BYTES = 255, LOCATION_MAX_BYTES = 4096 };

/* One POST or PUT. */
struct asset {
    struct exchange *x;
    struct multipart multipart;
    struct upload upload;
    bool receiving, received; /* the part that is the file: under way, complete */
    int error;                /* errno of writing it */
    char id[UUID_TEXT_MAX];
    char filename[FILENAME_MAX_BYTES + 1];
};

static bool is_id(struct slice text)
{
    for (size_t i = 0; i < text.len; i++) {
        char c = text.ptr[i];
        if (!((c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || c == '-')) {
            return false;
        }
    }
    return text.len == UUID_TEXT_MAX - 1;
}

static void answer_error(struct exchange *x, int error)
{
    if (error == ENOENT) {
        exchange_fail(x, 404, "There is no such asset.");
    } else if (error == ENOSPC || error == EDQUOT || error == EFBIG) {
        exchange_fail(x, 507, "The disk is full, or --max-disk leaves no room for it: nothing was stored.");
    } else {
        exchange_fail(x, 500, "The store of assets can not be used: %s.", strerrordesc_np(error));
    }
}

/* The asset's folder; -1 with errno. */
static int open_folder(const struct site *site, const char *id, bool make)
{
    int assets = store_open(site, "assets");
    int folder = -1;

    if (assets < 0) {
        return -1;
    }
    if (!make || mkdirat(assets, id, 0755) == 0 || errno == EEXIST) {
        folder = openat(assets, id, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    }
    int error = errno;
    close(assets);
    errno = error;
    return folder;
}

/* Steps through the files of a folder; with `except` NULL it finds the first one, else it removes all others. */
static bool walk(int folder, const char *except, char found[FILENAME_MAX_BYTES + 1])
{
    int own = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *dir = own >= 0 ? fdopendir(own) : NULL;
    bool any = false;

    if (dir == NULL) {
        if (own >= 0) {
            close(own);
        }
        return false;
    }
    for (const struct dirent *e; (e = readdir(dir)) != NULL && !(any && except == NULL);) {
        if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0 ||
            (except != NULL && strcmp(e->d_name, except) == 0)) {
            continue;
        }
        any = true;
        if (except != NULL) {
            unlinkat(folder, e->d_name, 0);
        } else {
            snprintf(found, FILENAME_MAX_BYTES + 1, "%s", e->d_name);
        }
    }
    closedir(dir);
    return any;
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

static void answer_asset(struct exchange *x, uint16_t status, const char *said, const char *id, const char *filename,
                         const char *state)
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
    add_member(&out, "state", slice_str(state));
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
                      FILENAME_MAX_BYTES);
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
        answer_error(x, a->error);
    }
}

/* The size of the file that an asset has now; 0 without one. */
static uint64_t current_size(int folder)
{
    char filename[FILENAME_MAX_BYTES + 1];
    struct stat st;

    return walk(folder, NULL, filename) && fstatat(folder, filename, &st, AT_SYMLINK_NOFOLLOW) == 0
               ? (uint64_t)st.st_size
               : 0;
}

static void store(struct asset *a, bool created)
{
    int folder = open_folder(a->x->worker->site, a->id, created);
    int error = folder < 0 ? errno
                           : upload_publish(&a->upload, folder, a->filename, created ? 0 : current_size(folder));

    if (error == 0) {
        walk(folder, a->filename, NULL);
        answer_asset(a->x, created ? 201 : 200, created ? "created" : "success", a->id, a->filename, "clean");
    } else {
        answer_error(a->x, error);
    }
    if (folder >= 0) {
        close(folder);
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
        answer_error(x, a->error);
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

/* The asset's folder and its file's name. -1: answered. */
static int find_asset(struct exchange *x, struct slice id, char filename[FILENAME_MAX_BYTES + 1])
{
    char text[UUID_TEXT_MAX];

    if (!is_id(id)) {
        answer_error(x, ENOENT);
        return -1;
    }
    snprintf(text, sizeof(text), "%.*s", SLICE_FMT(id));
    int folder = open_folder(x->worker->site, text, false);
    if (folder < 0) {
        answer_error(x, errno);
        return -1;
    }
    if (!walk(folder, NULL, filename)) {
        close(folder);
        answer_error(x, ENOENT);
        return -1;
    }
    return folder;
}

void handle_put_asset(struct exchange *x)
{
    char filename[FILENAME_MAX_BYTES + 1];
    int folder = find_asset(x, x->arg, filename);

    if (folder >= 0) {
        close(folder);
        receive(x, x->arg);
    }
}

void handle_get_asset(struct exchange *x)
{
    char filename[FILENAME_MAX_BYTES + 1], id[UUID_TEXT_MAX];
    int folder = find_asset(x, x->arg, filename);

    if (folder >= 0) {
        close(folder);
        snprintf(id, sizeof(id), "%.*s", SLICE_FMT(x->arg));
        answer_asset(x, 200, "ok", id, filename, "clean");
    }
}

void handle_delete_asset(struct exchange *x)
{
    char filename[FILENAME_MAX_BYTES + 1], id[UUID_TEXT_MAX];
    int folder = find_asset(x, x->arg, filename);
    struct stat st = { .st_size = 0 };

    if (folder < 0) {
        return;
    }
    snprintf(id, sizeof(id), "%.*s", SLICE_FMT(x->arg));
    fstatat(folder, filename, &st, AT_SYMLINK_NOFOLLOW);
    walk(folder, "", NULL);
    close(folder);
    int assets = store_open(x->worker->site, "assets");
    if (assets >= 0) {
        unlinkat(assets, id, AT_REMOVEDIR);
        close(assets);
    }
    store_add(x->worker->site, 0, (uint64_t)st.st_size);
    answer_asset(x, 200, "success", id, filename, "deleted");
}

static void redirect_to_current(struct exchange *x, const char *id, const char *filename)
{
    struct buf url;

    buf_init(&url, LOCATION_MAX_BYTES);
    buf_printf(&url, "/media/%s/", id);
    encode_component(&url, slice_str(filename));
    struct field location = { SLICE("Location"), buf_slice(&url) };
    exchange_answer(x, &(struct answer){ .status = 302, .fields = &location, .field_count = 1 });
    buf_release(&url);
}

static void answer_media(struct exchange *x, struct slice id_text, struct slice wanted)
{
    char filename[FILENAME_MAX_BYTES + 1], id[UUID_TEXT_MAX];
    int folder = find_asset(x, id_text, filename);

    if (folder < 0) {
        return;
    }
    snprintf(id, sizeof(id), "%.*s", SLICE_FMT(id_text));
    if (slice_eq(wanted, slice_str(filename))) {
        int fd = beneath_open(folder, wanted, O_RDONLY | O_NONBLOCK, 0);
        if (fd >= 0) {
            send_file_answer(x, fd, send_file_type(wanted));
        } else {
            answer_error(x, errno);
        }
    } else {
        redirect_to_current(x, id, filename);
    }
    close(folder);
}

void handle_media(struct exchange *x)
{
    struct slice rest = x->arg;
    struct slice id = slice_split(&rest, '/');
    struct buf name;

    buf_init(&name, LOCATION_MAX_BYTES);
    if (!decode_path(&name, rest) || !beneath_is_safe(buf_slice(&name)) || slice_find(buf_slice(&name), '/') >= 0) {
        exchange_fail(x, 400, "The path of a medium is /media/ID/FILENAME.");
    } else {
        answer_media(x, id, buf_slice(&name));
    }
    buf_release(&name);
}
