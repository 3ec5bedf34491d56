/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/file.h"

#include "base/random.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define READ_PIECE ((size_t)64 * 1024)

/* A descriptor that somebody made non-blocking (a terminal shared with another program, say) is waited for. */
static bool worth_retrying(int fd, short events)
{
    if (errno == EINTR)
        return true;
    if (errno != EAGAIN)
        return false;
    struct pollfd p = { .fd = fd, .events = events };
    return poll(&p, 1, -1) >= 0 || errno == EINTR;
}

static ssize_t read_some(int fd, void *out, size_t len)
{
    for (;;) {
        const ssize_t n = read(fd, out, len);
        if (n >= 0 || !worth_retrying(fd, POLLIN))
            return n;
    }
}

/* How many bytes the next read may bring; above the maximum one byte is still asked for, to tell "full" from "too
 * large". */
static size_t next_piece(const struct buf *b)
{
    const size_t left = b->_max - b->len;

    return left < READ_PIECE ? left : READ_PIECE;
}

static int read_all(int fd, const char *name, struct buf *out, struct err *err)
{
    for (;;) {
        char probe = 0;
        const size_t piece = next_piece(out);
        char *room = piece > 0 ? buf_reserve(out, piece) : &probe;
        if (room == NULL)
            return err_set(err, ERR_SYSTEM, ENOMEM, "cannot read %s", name);
        const ssize_t n = read_some(fd, room, piece > 0 ? piece : 1);
        if (n < 0)
            return err_set(err, ERR_CONFIG, errno, "cannot read %s", name);
        if (n == 0)
            return 0;
        if (piece == 0)
            return err_set(err, ERR_LIMIT, 0, "%s is larger than %zu bytes", name, out->_max);
        out->len += (size_t)n;
    }
}

int file_read(const char *path, struct buf *out, struct err *err)
{
    const bool is_stdin = strcmp(path, "-") == 0;
    const char *name = is_stdin ? "standard input" : path;
    const size_t before = out->len;

    if (!buf_ok(out))
        return err_set(err, ERR_SYSTEM, ENOMEM, "cannot read %s", name);
    const int fd = is_stdin ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return err_set(err, ERR_CONFIG, errno, "cannot open %s", name);
    const int rc = read_all(fd, name, out, err);
    if (!is_stdin)
        close(fd);
    if (rc < 0)
        out->len = before;
    if (out->data != NULL)
        out->data[out->len] = '\0';
    return rc;
}

static int write_all(int fd, struct slice bytes)
{
    while (bytes.len > 0) {
        const ssize_t n = write(fd, bytes.ptr, bytes.len);
        if (n < 0 && !worth_retrying(fd, POLLOUT))
            return -1;
        if (n > 0)
            bytes = slice_drop(bytes, (size_t)n);
    }
    return 0;
}

/* The number of the open descriptor that a path names, or -1: "/dev/stdout" may well be a regular file, but replacing
 * that file by another would lose what the shell wrote to it before and what we write after. */
static int descriptor_named(const char *path)
{
    static const char *const FOLDERS[] = { "/dev/fd/", "/proc/self/fd/" };
    uint64_t n;

    if (strcmp(path, "-") == 0 || strcmp(path, "/dev/stdout") == 0)
        return STDOUT_FILENO;
    if (strcmp(path, "/dev/stderr") == 0)
        return STDERR_FILENO;
    for (size_t i = 0; i < sizeof(FOLDERS) / sizeof(FOLDERS[0]); i++) {
        const struct slice s = slice_str(path);
        const struct slice folder = slice_str(FOLDERS[i]);
        if (slice_starts(s, folder) && slice_to_u64(slice_drop(s, folder.len), &n) && n <= INT_MAX)
            return (int)n;
    }
    return -1;
}

static int write_descriptor(int fd, const char *name, struct slice bytes, struct err *err)
{
    if (fd == STDOUT_FILENO)
        fflush(stdout); /* what was printed before comes first */
    if (write_all(fd, bytes) < 0)
        return err_set(err, ERR_SYSTEM, errno, "cannot write %s", name);
    return 0;
}

static int write_directly(const char *path, struct slice bytes, struct err *err)
{
    const int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOCTTY, 0666);

    if (fd < 0)
        return err_set(err, ERR_SYSTEM, errno, "cannot open %s for writing", path);
    const int rc = write_descriptor(fd, path, bytes, err);
    if (close(fd) < 0 && rc == 0)
        return err_set(err, ERR_SYSTEM, errno, "cannot write %s", path);
    return rc;
}

/* Makes the rename itself last; where folders can not be synced (some network file systems) nothing can be done. */
static void sync_folder(const char *folder)
{
    const int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    if (fd >= 0) {
        (void)fsync(fd);
        close(fd);
    }
}

/* Fills and closes the temporary file. -1 with errno. */
static int fill_temporary(int fd, struct slice bytes, const struct stat *old)
{
    int rc = write_all(fd, bytes);

    if (rc == 0 && old != NULL)
        rc = fchmod(fd, old->st_mode & 07777);
    if (rc == 0)
        rc = fsync(fd);
    const int failed_with = errno;
    if (close(fd) < 0 && rc == 0)
        return -1;
    errno = failed_with;
    return rc;
}

/* folder ends in '/' or is empty. */
static int replace(const char *folder, const char *target, struct slice bytes, const struct stat *old, struct err *err)
{
    char temporary[PATH_MAX];

    const int n = snprintf(temporary, sizeof(temporary), "%s.plimsoll-%016" PRIx64 ".tmp", folder,
                           rng_seed_from_system());
    if (n < 0 || (size_t)n >= sizeof(temporary))
        return err_set(err, ERR_SYSTEM, ENAMETOOLONG, "cannot write %s", target);
    const int fd = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd < 0) {
        err_set(err, ERR_SYSTEM, errno, "cannot create a file beside %s", target);
        return err_hint(err,
                        "the folder must exist and be writable: files are written beside the old one, then renamed");
    }
    if (fill_temporary(fd, bytes, old) < 0 || rename(temporary, target) < 0) {
        err_set(err, ERR_SYSTEM, errno, "cannot write %s", target);
        unlink(temporary);
        return -1;
    }
    sync_folder(folder[0] != '\0' ? folder : ".");
    return 0;
}

static int write_beside(const char *target, struct slice bytes, const struct stat *old, struct err *err)
{
    char folder[PATH_MAX];
    const char *slash = strrchr(target, '/');
    const size_t len = slash != NULL ? (size_t)(slash - target) + 1 : 0;

    if (len >= sizeof(folder))
        return err_set(err, ERR_SYSTEM, ENAMETOOLONG, "cannot write %s", target);
    memcpy(folder, target, len);
    folder[len] = '\0';
    return replace(folder, target, bytes, old, err);
}

int file_write(const char *path, struct slice bytes, struct err *err)
{
    struct stat old;
    struct stat link;

    const int open_fd = descriptor_named(path);
    if (open_fd >= 0)
        return write_descriptor(open_fd, strcmp(path, "-") == 0 ? "standard output" : path, bytes, err);
    if (stat(path, &old) < 0) {
        if (errno != ENOENT || path[0] == '\0')
            return err_set(err, ERR_SYSTEM, errno, "cannot write %s", path);
        /* A link to a file that is not there yet: making the file is right, replacing the link is not. */
        const bool dangling = lstat(path, &link) == 0;
        return dangling ? write_directly(path, bytes, err) : write_beside(path, bytes, NULL, err);
    }
    if (S_ISDIR(old.st_mode))
        return err_set(err, ERR_SYSTEM, EISDIR, "cannot write %s", path);
    if (!S_ISREG(old.st_mode))
        return write_directly(path, bytes, err);
    if (access(path, W_OK) < 0) /* rename() would replace a read-only file without asking */
        return err_set(err, ERR_SYSTEM, errno, "cannot write %s", path);
    char *target = realpath(path, NULL); /* a link keeps pointing to the file, whose content changes */
    if (target == NULL)
        return err_set(err, ERR_SYSTEM, errno, "cannot write %s", path);
    const int rc = write_beside(target, bytes, &old, err);
    free(target);
    return rc;
}
