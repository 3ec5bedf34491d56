/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "serve/beneath.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { SEGMENT_MAX_BYTES = 255 };

bool beneath_is_safe(struct slice name)
{
    struct slice rest = name;

    if (name.len == 0 || name.len >= PATH_MAX || memchr(name.ptr, '\0', name.len) != NULL ||
        slice_ends(name, SLICE("/"))) {
        return false;
    }
    while (rest.len > 0) {
        struct slice segment = slice_split(&rest, '/');
        if (segment.len == 0 || segment.len > SEGMENT_MAX_BYTES || slice_eq(segment, SLICE(".")) ||
            slice_eq(segment, SLICE(".."))) {
            return false;
        }
    }
    return true;
}

/* The kernel has no openat2(), or a sandbox does not let it through. */
static int open_step_by_step(int folder, char *path, int flags, mode_t mode)
{
    int at = dup(folder);

    for (char *slash; at >= 0 && (slash = strchr(path, '/')) != NULL; path = slash + 1) {
        *slash = '\0';
        int next = openat(at, path, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        close(at);
        at = next;
    }
    if (at < 0) {
        return -1;
    }
    int fd = openat(at, path, flags, mode);
    int saved = errno;
    close(at);
    errno = saved;
    return fd;
}

int beneath_open(int folder, struct slice name, int flags, mode_t mode)
{
    char path[PATH_MAX];

    if (!beneath_is_safe(name)) {
        errno = EINVAL;
        return -1;
    }
    memcpy(path, name.ptr, name.len);
    path[name.len] = '\0';
    flags |= O_CLOEXEC | O_NOFOLLOW;
    struct open_how how = { .flags = (unsigned)flags,
                            .mode = (flags & O_CREAT) != 0 ? mode : 0,
                            .resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS };
    long fd = syscall(SYS_openat2, folder, path, &how, sizeof(how));
    if (fd >= 0 || (errno != ENOSYS && errno != EPERM)) {
        return (int)fd;
    }
    return open_step_by_step(folder, path, flags, mode);
}

int beneath_make_folders(int folder, struct slice name, mode_t mode)
{
    struct slice rest = name;
    int at = dup(folder);

    while (at >= 0 && slice_find(rest, '/') >= 0) {
        struct slice segment = slice_split(&rest, '/');
        char path[SEGMENT_MAX_BYTES + 1];
        if (segment.len > SEGMENT_MAX_BYTES) {
            close(at);
            errno = ENAMETOOLONG;
            return -1;
        }
        memcpy(path, segment.ptr, segment.len);
        path[segment.len] = '\0';
        if (mkdirat(at, path, mode) != 0 && errno != EEXIST) {
            close(at);
            return -1;
        }
        int next = openat(at, path, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        close(at);
        at = next;
    }
    if (at < 0) {
        return -1;
    }
    close(at);
    return 0;
}
