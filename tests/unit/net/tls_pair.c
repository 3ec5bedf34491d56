/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tls_pair.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { ROUNDS_MAX = 100 };

struct tls_pair tls_pair_new(void)
{
    return (struct tls_pair){ .client = STREAM_CLOSED, .server = STREAM_CLOSED };
}

void tls_pair_transfer(struct stream *from, struct stream *to, const char *bytes, size_t len)
{
    char out[4096];
    size_t sent = 0;
    size_t received = 0;

    for (int i = 0; i < 100000 && received < len; i++) {
        size_t moved;

        if (sent < len && stream_write(from, bytes + sent, len - sent, &moved) == IO_OK) {
            sent += moved;
        }
        while (stream_read(to, out, sizeof(out), &moved) == IO_OK) {
            assert_memory_equal(out, bytes + received, moved);
            received += moved;
        }
    }
    assert_int_equal(received, len);
}

void tls_pair_server(struct tls_pair *p, const struct tls_server_config *config)
{
    struct err err = { 0 };
    char *pem;
    int fd;

    if (tls_server_context(&p->server_ctx, config, &err) != 0) {
        fail_msg("%s", err.what);
    }
    pem = tls_context_certificate_pem(p->server_ctx);
    if (pem == NULL) {
        return;
    }
    snprintf(p->ca_file, sizeof(p->ca_file), "/tmp/plimsoll-ca-XXXXXX");
    fd = mkstemp(p->ca_file);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, pem, strlen(pem)), (ssize_t)strlen(pem));
    close(fd);
    free(pem);
}

void tls_pair_client(struct tls_pair *p, struct tls_client_config config)
{
    struct err err = { 0 };

    if (config.ca_file == NULL && p->ca_file[0] != '\0') {
        config.ca_file = p->ca_file;
    }
    if (tls_client_context(&p->client_ctx, &config, &err) != 0) {
        fail_msg("%s", err.what);
    }
}

static bool is_waiting(enum io io)
{
    return io == IO_WANT_READ || io == IO_WANT_WRITE;
}

void tls_pair_connect(struct tls_pair *p, const char *sni, const char *verify_name)
{
    int fds[2];

    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, fds), 0);
    stream_adopt(&p->client, fds[0], false);
    stream_adopt(&p->server, fds[1], false);
    assert_int_equal(stream_tls_start(&p->client, p->client_ctx, sni, verify_name), 0);
    assert_int_equal(stream_tls_start(&p->server, p->server_ctx, NULL, NULL), 0);
    tls_pair_shake(p);
}

void tls_pair_shake(struct tls_pair *p)
{
    p->client_io = IO_WANT_WRITE;
    p->server_io = IO_WANT_READ;
    for (int i = 0; i < ROUNDS_MAX && (is_waiting(p->client_io) || is_waiting(p->server_io)); i++) {
        if (is_waiting(p->client_io)) {
            p->client_io = stream_tls_handshake(&p->client);
        }
        if (is_waiting(p->server_io)) {
            p->server_io = stream_tls_handshake(&p->server);
        }
    }
}

void tls_pair_close(struct tls_pair *p)
{
    stream_close(&p->client);
    stream_close(&p->server);
}

void tls_pair_end(struct tls_pair *p)
{
    tls_pair_close(p);
    tls_context_free(p->client_ctx);
    tls_context_free(p->server_ctx);
    if (p->ca_file[0] != '\0') {
        unlink(p->ca_file);
    }
}
