/* SPDX-License-Identifier: GPL-3.0-or-later */
/* --root DIR: files for every path that no route has. */
#include "serve/handlers.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "serve/beneath.h"
#include "serve/decode.h"
#include "serve/send_file.h"
#include "serve/site.h"
#include "serve/worker.h"

enum { PATH_MAX_BYTES = 4096 };

static void not_found(struct exchange *x)
{
    exchange_fail(x, 404, "There is no %.*s here; GET / lists what there is.",
                  SLICE_FMT(slice_take(x->head->path, 128)));
}

static void redirect_to_folder(struct exchange *x, struct buf *path)
{
    struct field location = { SLICE("Location"), { 0 } };

    buf_clear(path);
    buf_add_slice(path, x->head->path);
    buf_add_char(path, '/');
    if (x->head->query.len > 0) {
        buf_add_char(path, '?');
        buf_add_slice(path, x->head->query);
    }
    location.value = buf_slice(path);
    if (!buf_ok(path) || location.value.len > EXCHANGE_FIELDS_MAX_BYTES - 64) {
        not_found(x);
        return;
    }
    exchange_answer(x, &(struct answer){ .status = 301, .fields = &location, .field_count = 1 });
}

static void answer_file(struct exchange *x, struct buf *path)
{
    struct slice name = slice_drop(buf_slice(path), 1);
    struct stat st;
    /* O_NONBLOCK: opening a named pipe must not stop the thread. */
    int fd = beneath_open(x->worker->site->root, name, O_RDONLY | O_NONBLOCK, 0);

    if (fd < 0 && errno == EINVAL) {
        exchange_fail(x, 400, "The path is not that of a file below the root.");
    } else if (fd < 0 && errno == EACCES) {
        exchange_fail(x, 403, "This file may not be read.");
    } else if (fd < 0) {
        not_found(x);
    } else if (fstat(fd, &st) == 0 && S_ISDIR(st.st_mode)) {
        close(fd);
        redirect_to_folder(x, path);
    } else {
        send_file_answer(x, fd, send_file_type(name));
    }
}

void handle_static(struct exchange *x)
{
    struct buf path;

    buf_init(&path, PATH_MAX_BYTES);
    if (!decode_path(&path, x->head->path)) {
        exchange_fail(x, 400, "The path is too long or has a broken percent-escape.");
    } else {
        if (slice_ends(buf_slice(&path), SLICE("/"))) {
            buf_add_str(&path, "index.html");
        }
        answer_file(x, &path);
    }
    buf_release(&path);
}
