/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "serve/upload.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "base/random.h"
#include "serve/site.h"
#include "serve/store.h"

static int reserve(struct upload *u, uint64_t bytes)
{
    if (!store_reserve(u->_site, bytes)) {
        return EDQUOT;
    }
    u->_reserved += bytes;
    return 0;
}

int upload_open(struct upload *u, struct site *site, uint64_t expected)
{
    char id[UUID_TEXT_MAX];

    *u = (struct upload){ ._site = site, ._fd = -1, ._folder = -1 };
    int error = reserve(u, expected);
    if (error != 0) {
        return error;
    }
    u->_folder = store_open(site, "uploads");
    if (u->_folder < 0) {
        return errno;
    }
    uuid_make(id);
    u->_fd = openat(u->_folder, id, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0644);
    if (u->_fd < 0) {
        return errno;
    }
    snprintf(u->_name, sizeof(u->_name), "%s", id);
    return 0;
}

int upload_write(struct upload *u, struct slice bytes)
{
    u->bytes += bytes.len;
    if (u->bytes > u->_reserved) {
        int error = reserve(u, u->bytes - u->_reserved);
        if (error != 0) {
            return error;
        }
    }
    while (bytes.len > 0) {
        ssize_t n = write(u->_fd, bytes.ptr, bytes.len);
        if (n < 0 && errno != EINTR) {
            return errno;
        }
        bytes = slice_drop(bytes, n > 0 ? (size_t)n : 0);
    }
    return 0;
}

int upload_publish(struct upload *u, int folder, const char *name, uint64_t replaced)
{
    int rc = close(u->_fd);

    u->_fd = -1;
    if (rc != 0 || renameat(u->_folder, u->_name, folder, name) != 0) {
        return errno;
    }
    u->_name[0] = '\0';
    store_add(u->_site, u->bytes, replaced);
    return 0;
}

int upload_file(const struct upload *u)
{
    return u->_fd;
}

void upload_close(struct upload *u)
{
    if (u->_name[0] != '\0') {
        unlinkat(u->_folder, u->_name, 0);
    }
    if (u->_fd >= 0) {
        close(u->_fd);
    }
    if (u->_folder >= 0) {
        close(u->_folder);
    }
    store_unreserve(u->_site, u->_reserved);
}
