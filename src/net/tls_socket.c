/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "net/tls_internal.h"

#include <errno.h>

#include <openssl/bio.h>

static int socket_read(BIO *bio, char *out, int len)
{
    struct stream *s = BIO_get_data(bio);
    ssize_t n;

    BIO_clear_retry_flags(bio);
    do {
        n = recv(s->fd, out, (size_t)len, 0);
    } while (n < 0 && errno == EINTR);
    if (n == 0) {
        s->_saw_eof = true;
    } else if (n < 0 && errno == EAGAIN) {
        BIO_set_retry_read(bio);
    } else if (n < 0) {
        s->sys_error = errno;
    }
    return (int)n;
}

static int socket_write(BIO *bio, const char *bytes, int len)
{
    struct stream *s = BIO_get_data(bio);
    ssize_t n;

    BIO_clear_retry_flags(bio);
    do {
        n = send(s->fd, bytes, (size_t)len, MSG_NOSIGNAL);
    } while (n < 0 && errno == EINTR);
    if (n < 0 && (errno == EAGAIN || errno == ENOTCONN)) {
        BIO_set_retry_write(bio);
    } else if (n < 0) {
        s->sys_error = errno;
    }
    return (int)n;
}

static long socket_control(BIO *bio, int command, long number, void *pointer)
{
    const struct stream *s = BIO_get_data(bio);

    (void)number;
    (void)pointer;
    switch (command) {
    case BIO_CTRL_FLUSH:
        return 1;
    case BIO_CTRL_EOF:
        return s->_saw_eof;
    default:
        return 0;
    }
}

BIO_METHOD *tls_socket_method(void)
{
    BIO_METHOD *method = BIO_meth_new(BIO_TYPE_SOURCE_SINK, "plimsoll socket");

    if (method != NULL && BIO_meth_set_read(method, socket_read) == 1 &&
        BIO_meth_set_write(method, socket_write) == 1 && BIO_meth_set_ctrl(method, socket_control) == 1) {
        return method;
    }
    BIO_meth_free(method);
    return NULL;
}
