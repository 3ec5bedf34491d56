/* SPDX-License-Identifier: GPL-3.0-or-later */
/* GET /media/{id}/{filename}: the file of a clean asset, from disk, from S3, or by a proxy in front. */
#include "serve/handlers.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "serve/asset_jobs.h"
#include "serve/beneath.h"
#include "serve/decode.h"
#include "serve/encode.h"
#include "serve/media.h"
#include "serve/query.h"
#include "serve/send_file.h"
#include "serve/site.h"
#include "serve/worker.h"

enum { LOCATION_MAX_BYTES = 4096 };

/* ---- Left to a proxy ---- */

bool media_map(struct buf *out, struct slice mapping, struct slice path)
{
    while (mapping.len > 0) {
        struct slice uri = slice_trim(slice_split(&mapping, ','));
        struct slice folder = slice_trim(slice_split(&uri, '='));
        uri = slice_trim(uri);
        if (folder.len == 0 || uri.len == 0 || uri.ptr[0] != '/' || !slice_starts(path, folder)) {
            continue;
        }
        struct slice rest = slice_drop(path, folder.len);
        bool at_edge = slice_ends(folder, SLICE("/")) || slice_starts(rest, SLICE("/"));
        if (!at_edge) {
            continue; /* /data does not hold /database */
        }
        buf_add_slice(out, uri);
        for (size_t i = 0; i < rest.len; i++) {
            if (rest.ptr[i] == '/') {
                buf_add_char(out, '/');
            } else {
                encode_component(out, slice_from(rest.ptr + i, 1));
            }
        }
        return buf_ok(out);
    }
    return false;
}

/* By the path as it really is, else as --data-root says it. */
static bool map_file(struct exchange *x, struct buf *out, struct slice mapping, const struct asset_found *found)
{
    const struct site *site = x->worker->site;
    const char *folders[] = { asset_jobs_folder(site->assets), site->config->data_root };
    bool mapped = false;
    struct buf path;

    buf_init(&path, 2 * LOCATION_MAX_BYTES);
    for (int i = 0; i < 2 && !mapped; i++) {
        if (folders[i] != NULL) {
            struct slice folder = slice_str(folders[i]);
            buf_clear(&path);
            buf_add_slice(&path, slice_ends(folder, SLICE("/")) ? slice_take(folder, folder.len - 1) : folder);
            buf_printf(&path, "%s/%s/%s", i == 0 ? "" : "/assets", found->id, found->name);
            mapped = buf_ok(&path) && media_map(out, mapping, buf_slice(&path));
        }
    }
    buf_release(&path);
    return mapped;
}

bool media_leave_to_proxy(struct exchange *x, const struct asset_found *found)
{
    struct slice mapping = request_head_field(x->head, SLICE("X-Accel-Mapping"));
    struct buf uri;

    if (!x->worker->config->trust_proxy || mapping.len == 0 ||
        !slice_eq_nocase(request_head_field(x->head, SLICE("X-Sendfile-Type")), SLICE("X-Accel-Redirect"))) {
        return false;
    }
    buf_init(&uri, LOCATION_MAX_BYTES);
    bool mapped = map_file(x, &uri, mapping, found);
    if (mapped) {
        struct field redirect = { SLICE("X-Accel-Redirect"), buf_slice(&uri) };
        exchange_answer(x, &(struct answer){ .status = 200,
                                             .type = send_file_type(slice_str(found->name)),
                                             .fields = &redirect,
                                             .field_count = 1 });
    }
    buf_release(&uri);
    return mapped;
}

/* ---- The handler ---- */

static void redirect_to_current(struct exchange *x, const struct asset_found *found)
{
    struct buf url;

    buf_init(&url, LOCATION_MAX_BYTES);
    buf_printf(&url, "/media/%s/", found->id);
    encode_component(&url, slice_str(found->name));
    if (x->head->query.len > 0 && x->head->query.len < LOCATION_MAX_BYTES / 2) {
        buf_printf(&url, "?%.*s", SLICE_FMT(x->head->query));
    }
    struct field location = { SLICE("Location"), buf_slice(&url) };
    exchange_answer(x, &(struct answer){ .status = 302, .fields = &location, .field_count = 1 });
    buf_release(&url);
}

/* False: answered. */
static bool take_way(struct exchange *x, enum media_way *way)
{
    static const struct {
        const char *name;
        enum media_way way;
    } WAYS[] = { { "stream_from_s3", MEDIA_STREAM },
                 { "redirect_to_s3", MEDIA_REDIRECT },
                 { "proxy_to_s3", MEDIA_PROXY } };
    unsigned asked = 0;

    *way = MEDIA_DISK;
    for (size_t i = 0; i < sizeof(WAYS) / sizeof(WAYS[0]); i++) {
        bool wanted = false;
        if (!query_bool(x, WAYS[i].name, &wanted)) {
            return false;
        }
        if (wanted) {
            *way = WAYS[i].way;
            asked++;
        }
    }
    if (asked > 1) {
        exchange_fail(x, 400, "Only one of stream_from_s3, redirect_to_s3 and proxy_to_s3 is possible.");
    } else if (asked == 1 && asset_jobs_s3(x->worker->site->assets) == NULL) {
        exchange_fail(x, 501, "There is no S3 here: the server was started without --s3-bucket.");
    } else {
        return true;
    }
    return false;
}

static void send_from_disk(struct exchange *x, int folder, const struct asset_found *found)
{
    int fd;

    if (media_leave_to_proxy(x, found)) {
        return;
    }
    fd = beneath_open(folder, slice_str(found->name), O_RDONLY | O_NONBLOCK, 0);
    if (fd >= 0) {
        send_file_answer(x, fd, send_file_type(slice_str(found->name)));
    } else {
        assets_answer_error(x, errno);
    }
}

static void answer_media(struct exchange *x, struct slice id, struct slice wanted)
{
    struct asset_found found;
    enum media_way way;
    int folder = assets_find(x, id, &found);

    if (folder < 0) {
        return;
    }
    if (!slice_eq(wanted, slice_str(found.name))) {
        redirect_to_current(x, &found);
    } else if (found.state.scan != ASSET_CLEAN) {
        exchange_fail(x, 404, "The asset is %s: only clean ones are served.", asset_scan_text(found.state.scan));
    } else if (take_way(x, &way)) {
        if (way == MEDIA_DISK) {
            send_from_disk(x, folder, &found);
        } else {
            media_from_s3(x, &found, way);
        }
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
