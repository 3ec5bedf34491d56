/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A client and a server of TLS in one process, over a socket pair. */
#ifndef PLIMSOLL_TESTS_NET_TLS_PAIR_H
#define PLIMSOLL_TESTS_NET_TLS_PAIR_H

#include "net/stream.h"
#include "net/tls.h"

#define TLS_PAIR_NAMES "localhost,a.test,127.0.0.1,::1"

struct tls_pair {
    struct tls_context *client_ctx, *server_ctx;
    struct stream client, server;
    enum io client_io, server_io;
    char ca_file[64]; /* the server's certificate, removed by tls_pair_end() */
};

struct tls_pair tls_pair_new(void);
/* A server's context for names and a file with its certificate. */
void tls_pair_server(struct tls_pair *p, const struct tls_server_config *config);
/* The client trusts the server's certificate unless config says otherwise. */
void tls_pair_client(struct tls_pair *p, struct tls_client_config config);
/* Connects both and shakes hands until both ends have an answer; client_io and server_io say which. */
void tls_pair_connect(struct tls_pair *p, const char *sni, const char *verify_name);
/* Shakes hands with whatever client and server are now. */
void tls_pair_shake(struct tls_pair *p);
/* Moves all bytes from one end to the other and compares them. */
void tls_pair_transfer(struct stream *from, struct stream *to, const char *bytes, size_t len);
void tls_pair_close(struct tls_pair *p);
void tls_pair_end(struct tls_pair *p);

#endif
