/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "net/stream.h"

#include <errno.h>
#include <limits.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/sendfile.h>
#include <unistd.h>

#include "net/stream_tls.h"

/* Not more at once: one busy peer must not hold the loop for long. */
#define DISCARD_MAX ((uint64_t)1 << 30)
#define AWAIT_MIN (64 * 1024) /* what is shorter has come before it is asked for */
#define AWAIT_MAX (256 * 1024)

static enum io fail(struct stream *s, int sys)
{
    s->sys_error = sys;
    return IO_FAILED;
}

static bool is_inet(const struct addr *a)
{
    return a->sa.any.sa_family != AF_UNIX;
}

/* Without IP_BIND_ADDRESS_NO_PORT the kernel would reserve a port at bind(), for all destinations at once. */
static int bind_source(int fd, const struct addr *source)
{
    int on = 1;

    if (is_inet(source) && setsockopt(fd, IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, &on, sizeof(on)) != 0) {
        return -1;
    }
    return bind(fd, &source->sa.any, source->len);
}

static int set_buffers(int fd, uint32_t bytes)
{
    int value = bytes < INT_MAX ? (int)bytes : INT_MAX;

    return setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &value, sizeof(value)) != 0 ||
                   setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &value, sizeof(value)) != 0
               ? -1
               : 0;
}

static int open_socket(const struct addr *to, const struct addr *source, uint32_t buffer_bytes, bool one_write)
{
    int on = 1;
    int fd = socket(to->sa.any.sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

    if (fd < 0) {
        return -1;
    }
    if ((is_inet(to) && !one_write && setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on)) != 0) ||
        (buffer_bytes > 0 && set_buffers(fd, buffer_bytes) != 0) || (source != NULL && bind_source(fd, source) != 0)) {
        int sys = errno;

        close(fd);
        errno = sys;
        return -1;
    }
    return fd;
}

/* Not the whole struct: tls_error alone is two cache lines. */
static void begin(struct stream *s, int fd, bool is_tcp)
{
    s->fd = fd;
    s->sys_error = 0;
    s->is_tcp = is_tcp;
    s->unclean = false;
    s->_is_dry = false;
    s->_saw_eof = false;
    s->_low_water = 0;
    s->_tls = NULL;
    s->tls_error[0] = '\0';
}

enum io stream_connect(struct stream *s, const struct addr *to, const struct addr *source)
{
    int sys;

    begin(s, open_socket(to, source, s->buffer_bytes, s->one_write), is_inet(to));
    if (s->fd < 0) {
        return fail(s, errno);
    }
    if (connect(s->fd, &to->sa.any, to->len) == 0) {
        return IO_OK;
    }
    if (errno == EINPROGRESS) {
        return IO_WANT_WRITE;
    }
    sys = errno;
    stream_close(s);
    return fail(s, sys);
}

/* One system call when it has succeeded: a socket without a peer is the one whose error is worth asking for. */
enum io stream_connect_finish(struct stream *s)
{
    struct sockaddr_storage peer;
    socklen_t len = sizeof(peer);
    int sys = 0;

    if (getpeername(s->fd, (struct sockaddr *)&peer, &len) == 0) {
        return IO_OK;
    }
    if (errno != ENOTCONN) {
        return fail(s, errno);
    }
    len = sizeof(sys);
    if (getsockopt(s->fd, SOL_SOCKET, SO_ERROR, &sys, &len) != 0) {
        return fail(s, errno);
    }
    return sys == 0 ? IO_WANT_WRITE : fail(s, sys);
}

void stream_adopt(struct stream *s, int fd, bool is_tcp)
{
    begin(s, fd, is_tcp);
}

static enum io plain_read(struct stream *s, void *out, size_t len, int flags, size_t *moved)
{
    ssize_t n;

    do {
        n = recv(s->fd, out, len, flags);
    } while (n < 0 && errno == EINTR);
    if (n > 0) {
        *moved = (size_t)n;
        return IO_OK;
    }
    if (n == 0) {
        return IO_EOF;
    }
    return errno == EAGAIN ? IO_WANT_READ : fail(s, errno);
}

enum io stream_read(struct stream *s, void *out, size_t len, size_t *moved)
{
    *moved = 0;
    return s->_tls != NULL ? stream_tls_read(s, out, len, moved) : plain_read(s, out, len, 0, moved);
}

enum io stream_discard(struct stream *s, uint64_t len, void *scratch, size_t scratch_len, size_t *moved)
{
    *moved = 0;
    if (s->_tls == NULL && s->is_tcp) {
        return plain_read(s, NULL, len < DISCARD_MAX ? (size_t)len : DISCARD_MAX, MSG_TRUNC, moved);
    }
    return stream_read(s, scratch, len < scratch_len ? (size_t)len : scratch_len, moved);
}

static void set_low_water(struct stream *s, int bytes)
{
    if (setsockopt(s->fd, SOL_SOCKET, SO_RCVLOWAT, &bytes, sizeof(bytes)) == 0) {
        s->_low_water = bytes;
    }
}

static int good_part(const struct stream *s)
{
    int buffer = 0;
    socklen_t size = sizeof(buffer);

    if (getsockopt(s->fd, SOL_SOCKET, SO_RCVBUF, &buffer, &size) != 0) {
        return 1;
    }
    return buffer / 4 < AWAIT_MAX ? buffer / 4 : AWAIT_MAX;
}

void stream_await(struct stream *s, uint64_t len)
{
    int part;

    if (s->_tls != NULL || !s->is_tcp || (s->_low_water <= 1 && len < AWAIT_MIN) ||
        (s->_low_water == AWAIT_MAX && len >= AWAIT_MAX)) {
        return;
    }
    part = len > 0 ? good_part(s) : 1;
    if (len > 0 && len < (uint64_t)part) {
        part = (int)len;
    }
    if (part != s->_low_water) {
        set_low_water(s, part);
    }
}

/* A socket that is still connecting says EAGAIN (TCP) or ENOTCONN. */
static enum io after_write(struct stream *s, ssize_t n, size_t *moved)
{
    if (n >= 0) {
        *moved = (size_t)n;
        return IO_OK;
    }
    return errno == EAGAIN || errno == ENOTCONN ? IO_WANT_WRITE : fail(s, errno);
}

static enum io write_with(struct stream *s, const void *bytes, size_t len, int flags, size_t *moved)
{
    ssize_t n;

    *moved = 0;
    if (s->_tls != NULL) {
        return stream_tls_write(s, bytes, len, moved);
    }
    do {
        n = send(s->fd, bytes, len, flags);
    } while (n < 0 && errno == EINTR);
    return after_write(s, n, moved);
}

enum io stream_write(struct stream *s, const void *bytes, size_t len, size_t *moved)
{
    return write_with(s, bytes, len, MSG_NOSIGNAL, moved);
}

enum io stream_write_more(struct stream *s, const void *bytes, size_t len, size_t *moved)
{
    return write_with(s, bytes, len, MSG_NOSIGNAL | MSG_MORE, moved);
}

enum io stream_copy_file(struct stream *s, int file, uint64_t offset, size_t len, void *scratch, size_t scratch_len,
                         size_t *moved)
{
    ssize_t n;

    *moved = 0;
    do {
        n = pread(file, scratch, len < scratch_len ? len : scratch_len, (off_t)offset);
    } while (n < 0 && errno == EINTR);
    if (n <= 0) {
        return n == 0 ? IO_EOF : fail(s, errno);
    }
    return stream_write(s, scratch, (size_t)n, moved);
}

enum io stream_send_file(struct stream *s, int file, uint64_t offset, size_t len, void *scratch, size_t scratch_len,
                         size_t *moved)
{
    off_t from = (off_t)offset;
    ssize_t n;

    *moved = 0;
    if (s->_tls != NULL) {
        return stream_copy_file(s, file, offset, len, scratch, scratch_len, moved);
    }
    do {
        n = sendfile(s->fd, file, &from, len);
    } while (n < 0 && errno == EINTR);
    return n == 0 ? IO_EOF : after_write(s, n, moved);
}

bool stream_has_pending(const struct stream *s)
{
    return s->_tls != NULL && stream_tls_has_pending(s);
}

bool stream_is_tls(const struct stream *s)
{
    return s->_tls != NULL;
}

void stream_shutdown_write(struct stream *s)
{
    if (s->fd < 0) {
        return;
    }
    if (s->_tls != NULL) {
        stream_tls_shutdown(s);
    }
    shutdown(s->fd, SHUT_WR);
}

void stream_close(struct stream *s)
{
    if (s->_tls != NULL) {
        stream_tls_end(s);
    }
    if (s->fd >= 0) {
        close(s->fd);
        s->fd = -1;
    }
}

int stream_release_fd(struct stream *s)
{
    int fd = s->fd;

    if (s->_tls != NULL) {
        stream_tls_end(s);
    }
    s->fd = -1;
    return fd;
}

void stream_reset(struct stream *s)
{
    struct linger linger = { .l_onoff = 1, .l_linger = 0 };

    if (s->fd >= 0) {
        setsockopt(s->fd, SOL_SOCKET, SO_LINGER, &linger, sizeof(linger));
    }
    stream_close(s);
}
