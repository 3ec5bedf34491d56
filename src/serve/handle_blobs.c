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

#include "base/random.h"
#include "serve/beneath.h"
#include "serve/decode.h"
#include "serve/send_file.h"
#include "serve/site.h"
#include "serve/store.h"
#include "serve/worker.h"

enum { NAME_MAX_BYTES = 4096, UPLOAD_NAME_BYTES = 64 };

struct upload {
    struct exchange *x;
    struct site *site;
    int fd, uploads, blobs; /* the file, its folder, and the one it goes to; -1: none */
    char file[UPLOAD_NAME_BYTES];
    struct buf name; /* below blobs */
    uint64_t bytes, reserved;
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
        exchange_fail(x, 507, "The disk is full: nothing was stored.");
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

static void upload_ended(struct exchange *x)
{
    struct upload *u = x->state;

    if (u->file[0] != '\0') { /* it did not become a blob */
        unlinkat(u->uploads, u->file, 0);
    }
    store_unreserve(u->site, u->reserved);
    close_if_open(u->fd);
    close_if_open(u->uploads);
    close_if_open(u->blobs);
    buf_release(&u->name);
    free(u);
}

static bool reserve(struct upload *u, uint64_t bytes)
{
    if (store_reserve(u->site, bytes)) {
        u->reserved += bytes;
        return true;
    }
    exchange_fail(u->x, 507, "The blob is larger than what --max-disk leaves.");
    return false;
}

static void upload_body(struct exchange *x, struct slice content)
{
    struct upload *u = x->state;

    u->bytes += content.len;
    if (u->bytes > u->reserved && !reserve(u, u->bytes - u->reserved)) {
        return;
    }
    while (content.len > 0) {
        ssize_t n = write(u->fd, content.ptr, content.len);
        if (n < 0 && errno != EINTR) {
            answer_error(x, errno);
            return;
        }
        content = slice_drop(content, n > 0 ? (size_t)n : 0);
    }
}

/* Takes the blob's name. -1 with errno. */
static int publish(struct upload *u, bool *created)
{
    struct stat before;
    char name[NAME_MAX_BYTES];

    if (beneath_make_folders(u->blobs, buf_slice(&u->name), 0755) != 0) {
        return -1;
    }
    snprintf(name, sizeof(name), "%.*s", SLICE_FMT(buf_slice(&u->name)));
    *created = fstatat(u->blobs, name, &before, AT_SYMLINK_NOFOLLOW) != 0;
    if (!*created && S_ISDIR(before.st_mode)) {
        errno = EISDIR;
        return -1;
    }
    if (renameat(u->uploads, u->file, u->blobs, name) != 0) {
        return -1;
    }
    u->file[0] = '\0';
    store_add(u->site, u->bytes, *created ? 0 : (uint64_t)before.st_size);
    return 0;
}

static void upload_body_end(struct exchange *x)
{
    struct upload *u = x->state;
    bool created;

    int rc = close(u->fd);
    u->fd = -1;
    if (rc != 0 || publish(u, &created) != 0) {
        answer_error(x, errno);
    } else {
        exchange_answer(x, &(struct answer){ .status = created ? 201 : 204 });
    }
}

/* -1 with errno. */
static int open_upload(struct upload *u)
{
    char id[UUID_TEXT_MAX];

    u->blobs = store_open(u->site, "blobs");
    u->uploads = u->blobs >= 0 ? store_open(u->site, "uploads") : -1;
    if (u->uploads < 0) {
        return -1;
    }
    uuid_make(id);
    u->fd = openat(u->uploads, id, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0644);
    if (u->fd >= 0) {
        snprintf(u->file, sizeof(u->file), "%s", id);
    }
    return u->fd >= 0 ? 0 : -1;
}

void handle_put_blob(struct exchange *x)
{
    struct upload *u = calloc(1, sizeof(*u));

    if (u == NULL) {
        exchange_fail(x, 500, "Out of memory.");
        return;
    }
    *u = (struct upload){ .x = x, .site = x->worker->site, .fd = -1, .uploads = -1, .blobs = -1 };
    x->state = u;
    x->on_end = upload_ended;
    if (!take_name(x, &u->name) || !reserve(u, x->head->content_length)) {
        return;
    }
    if (open_upload(u) != 0) {
        answer_error(x, errno);
        return;
    }
    x->on_body = upload_body;
    x->on_body_end = upload_body_end;
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
