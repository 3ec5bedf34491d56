/* SPDX-License-Identifier: GPL-3.0-or-later */
/* TLS settings shared by many streams (OpenSSL; its header stays behind this door). */
#ifndef PLIMSOLL_NET_TLS_H
#define PLIMSOLL_NET_TLS_H

#include "base/err.h"
#include "base/slice.h"

#include <stdint.h>

struct tls_context;

struct tls_client_config {
    bool insecure;                    /* do not verify */
    const char *ca_file;              /* PEM instead of the system's store; NULL: the system's */
    const char *cert_file, *key_file; /* client certificate; NULL: none */
    const char *ciphers; /* names with colons; those that begin with TLS_ are 1.3 suites, the others a 1.2 list; NULL:
                            the library's */
    const char *groups;  /* key exchange; NULL: the library's */
    /* 10, 11, 12, 13; 0: the library's. Asking for 10 or 11 also lowers the library's security level, without which
     * they are refused. */
    int min_version, max_version;
    const char *alpn; /* "http/1.1", "h2,http/1.1"; NULL: none */
    /* Keep the newest session of each peer (told apart by sni, verify_name and the stream's tls_peer) and offer it at
     * the next connection. */
    bool session_cache;
    uint32_t session_peers; /* how many are kept; 0: 256 */
};

/* One context per worker thread (its locks would be shared otherwise). ERR_CONFIG naming the file or value. The caller
 * ends it with tls_context_free(). */
MUST_CHECK int tls_client_context(struct tls_context **out, const struct tls_client_config *config, struct err *err);

struct tls_server_config {
    const char *cert_file, *key_file; /* both NULL: a self-signed certificate made now, for the names below */
    const char *names;                /* "localhost,127.0.0.1,::1" */
    const char *alpn;                 /* protocols in order of preference; NULL: none */
};

MUST_CHECK int tls_server_context(struct tls_context **out, const struct tls_server_config *config, struct err *err);
/* The certificate of a self-signed server context as PEM, for clients that want to verify it. The caller frees; NULL
 * when there is none. */
char *tls_context_certificate_pem(const struct tls_context *ctx);
void tls_context_free(struct tls_context *ctx);

#endif
