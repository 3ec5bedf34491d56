/* SPDX-License-Identifier: GPL-3.0-or-later */
/* PUT, GET, HEAD, DELETE /blobs/{path}: raw files as a WebDAV store keeps them. An upload goes into a file of its own
 * and takes its name when it is whole: a reader never sees half of one, and a broken upload leaves nothing. */
#include "serve/handlers.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "serve/beneath.h"
#include "serve/decode.h"
#include "serve/send_file.h"
#include "serve/site.h"
#include "serve/store.h"
#include "serve/upload.h"
#include "serve/worker.h"

enum { NAME_MAX_BYTES = 4096 };

/* One PUT. */
struct blob {
    struct exchange *x;
    struct upload upload;
    int blobs;       /* the folder; -1: not open */
    struct buf name; /* below it */
};

/* The decoded path. False: answered. */
static bool take_name(struct exchange *x, struct buf *name)
{
    buf_init(name, NAME_MAX_BYTES);
    if (decode_path(name, x->arg) && beneath_is_safe(buf_slice(name))) {
        return true;
    }
    exchange_fail(x, 400, "The path of a blob is made of names without \"..\", each of at most 255 bytes.");
    return false;
}

static void answer_error(struct exchange *x, int error)
{
    switch (error) {
    case ENOENT:
        exchange_fail(x, 404, "There is no such blob.");
        return;
    case ENOTDIR:
    case EISDIR:
    case ENOTEMPTY:
    case EEXIST:
        exchange_fail(x, 409, "A blob and a folder of blobs can not have the same name.");
        return;
    case ELOOP:
    case EXDEV:
        exchange_fail(x, 403, "The path leads through a link.");
        return;
    case ENAMETOOLONG:
        exchange_fail(x, 400, "The path is too long.");
        return;
    case ENOSPC:
    case EDQUOT:
    case EFBIG:
        exchange_fail(x, 507, "The disk is full, or --max-disk leaves no room for it: nothing was stored.");
        return;
    default:
        exchange_fail(x, 500, "The store can not be used: %s.", strerrordesc_np(error));
    }
}

/* ---- Upload ---- */

static void close_if_open(int fd)
{
    if (fd >= 0) {
        close(fd);
    }
}

static void put_ended(struct exchange *x)
{
    struct blob *b = x->state;

    upload_close(&b->upload);
    close_if_open(b->blobs);
    buf_release(&b->name);
    free(b);
}

static void put_body(struct exchange *x, struct slice content)
{
    struct blob *b = x->state;
    int error = upload_write(&b->upload, content);

    if (error != 0) {
        answer_error(x, error);
    }
}

/* Takes the blob's name. 0, or an errno. */
static int publish(struct blob *b, bool *created)
{
    struct stat before;
    char name[NAME_MAX_BYTES];

    if (beneath_make_folders(b->blobs, buf_slice(&b->name), 0755) != 0) {
        return errno;
    }
    snprintf(name, sizeof(name), "%.*s", SLICE_FMT(buf_slice(&b->name)));
    *created = fstatat(b->blobs, name, &before, AT_SYMLINK_NOFOLLOW) != 0;
    if (!*created && S_ISDIR(before.st_mode)) {
        return EISDIR;
    }
    return upload_publish(&b->upload, b->blobs, name, *created ? 0 : (uint64_t)before.st_size);
}

static void put_body_end(struct exchange *x)
{
    bool created;
    int error = publish(x->state, &created);

    if (error != 0) {
        answer_error(x, error);
    } else {
        exchange_answer(x, &(struct answer){ .status = created ? 201 : 204 });
    }
}

void handle_put_blob(struct exchange *x)
{
    struct blob *b = calloc(1, sizeof(*b));

    if (b == NULL) {
        exchange_fail(x, 500, "Out of memory.");
        return;
    }
    b->x = x;
    b->blobs = store_open(x->worker->site, "blobs");
    int blobs_error = b->blobs < 0 ? errno : 0;
    int upload_error = upload_open(&b->upload, x->worker->site, x->head->content_length);
    x->state = b;
    x->on_end = put_ended;
    if (!take_name(x, &b->name)) {
        return;
    }
    if (blobs_error != 0 || upload_error != 0) {
        answer_error(x, blobs_error != 0 ? blobs_error : upload_error);
        return;
    }
    x->on_body = put_body;
    x->on_body_end = put_body_end;
}

/* ---- The others ---- */

static int open_blob(struct exchange *x, struct slice name)
{
    int blobs = store_open(x->worker->site, "blobs");
    int fd = blobs >= 0 ? beneath_open(blobs, name, O_RDONLY | O_NONBLOCK, 0) : -1;
    int error = errno;

    close_if_open(blobs);
    errno = error;
    return fd;
}

void handle_get_blob(struct exchange *x)
{
    struct buf name;

    if (take_name(x, &name)) {
        int fd = open_blob(x, buf_slice(&name));
        if (fd >= 0) {
            send_file_answer(x, fd, send_file_type(buf_slice(&name)));
        } else {
            answer_error(x, errno == ENOTDIR ? ENOENT : errno);
        }
    }
    buf_release(&name);
}

/* Folders that became empty go with the last blob in them. */
static void prune(int blobs, char *name)
{
    for (char *slash; (slash = strrchr(name, '/')) != NULL;) {
        *slash = '\0';
        if (unlinkat(blobs, name, AT_REMOVEDIR) != 0) {
            return;
        }
    }
}

/* Through the folder that really holds it, so that no link on the way leads elsewhere. -1 with errno. */
static int remove_blob(struct site *site, int blobs, struct slice name)
{
    char text[NAME_MAX_BYTES];
    struct stat st;
    const char *slash = memrchr(name.ptr, '/', name.len);
    struct slice folder = slash != NULL ? slice_take(name, (size_t)(slash - name.ptr)) : SLICE("");
    int parent = folder.len > 0 ? beneath_open(blobs, folder, O_PATH | O_DIRECTORY, 0) : dup(blobs);

    if (parent < 0) {
        return -1;
    }
    snprintf(text, sizeof(text), "%.*s", SLICE_FMT(slice_drop(name, folder.len > 0 ? folder.len + 1 : 0)));
    int rc = fstatat(parent, text, &st, AT_SYMLINK_NOFOLLOW);
    if (rc == 0) {
        rc = unlinkat(parent, text, 0);
    }
    int error = errno;
    close(parent);
    if (rc == 0) {
        store_add(site, 0, (uint64_t)st.st_size);
        snprintf(text, sizeof(text), "%.*s", SLICE_FMT(name));
        prune(blobs, text);
    }
    errno = error;
    return rc;
}

void handle_delete_blob(struct exchange *x)
{
    struct buf name;

    if (take_name(x, &name)) {
        int blobs = store_open(x->worker->site, "blobs");
        if (blobs >= 0 && remove_blob(x->worker->site, blobs, buf_slice(&name)) == 0) {
            exchange_answer(x, &(struct answer){ .status = 204 });
        } else {
            answer_error(x, errno == ENOTDIR ? ENOENT : errno);
        }
        close_if_open(blobs);
    }
    buf_release(&name);
}
