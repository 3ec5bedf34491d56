/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the files about TLS share. Not for other rooms. */
#ifndef PLIMSOLL_NET_TLS_INTERNAL_H
#define PLIMSOLL_NET_TLS_INTERNAL_H

#include "net/stream.h"
#include "net/tls.h"

#include <openssl/ssl.h>

enum { ALPN_MAX = 256, TLS_NAME_MAX = 256, TLS_SESSIONS = 256 };

struct kept_session {
    uint64_t key;
    SSL_SESSION *session;
};

struct tls_context {
    SSL_CTX *ssl_ctx;
    BIO_METHOD *bio_method;
    bool is_server;
    bool verifies;
    bool keeps_sessions;
    struct kept_session *sessions; /* client: the newest of each peer */
    uint32_t session_slots;
    X509 *self_signed;            /* server without files */
    unsigned char alpn[ALPN_MAX]; /* in wire format */
    unsigned alpn_len;
};

/* Makes an empty context; tls_context_free() ends it. */
MUST_CHECK int tls_context_new(struct tls_context **out, bool is_server, struct err *err);
/* "h2,http/1.1" into wire format. */
MUST_CHECK int tls_context_set_alpn(struct tls_context *ctx, const char *list, struct err *err);
/* A PEM chain and its private key. */
MUST_CHECK int tls_context_use_files(struct tls_context *ctx, const char *cert_file, const char *key_file,
                                     struct err *err);
/* Makes a key and a certificate for names now, uses them and keeps the certificate. */
MUST_CHECK int tls_self_sign(struct tls_context *ctx, const char *names, struct err *err);

/* Keeps the sessions that ctx gets from now on, of so many peers. */
MUST_CHECK int tls_keep_sessions(struct tls_context *ctx, uint32_t peers, struct err *err);
void tls_drop_sessions(struct tls_context *ctx);
/* The peer as its names and its number tell it. */
uint64_t tls_session_key(const char *sni, const char *verify_name, uint32_t peer);
/* Offers the session that was kept for s->_session_key, if there is one. */
void tls_resume_session(struct tls_context *ctx, const struct stream *s, SSL *ssl);
/* err_set() with the reason of OpenSSL's oldest error in this thread, which clears its queue. */
int tls_err_set(struct err *err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Names the failure of a stream in tls_error (unless it has a text already) and clears OpenSSL's queue. */
void tls_name_failure(struct stream *s);
/* Keeps what was wrong with the peer's certificate in tls_error. */
int tls_on_verify(int ok, X509_STORE_CTX *store);

/* A library context for clients that knows the default provider's algorithms, but of its ~100 decoders only those of
 * public keys. OpenSSL 3.0 collects all decoders anew for the key of each certificate it receives, which is a quarter
 * of a client's instructions for a handshake (3.2 has a cache for it). NULL, the library's own context, when it can not
 * be made. */
OSSL_LIB_CTX *tls_lean_library(void);

/* The transport of one stream: its socket, with MSG_NOSIGNAL and errno kept. NULL when out of memory. */
BIO_METHOD *tls_socket_method(void);

#endif
