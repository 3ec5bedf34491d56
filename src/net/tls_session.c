/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "net/tls_internal.h"

#include <string.h>

#include <openssl/err.h>

/* FNV-1a, 64 bits. */
#define FNV_START 0xcbf29ce484222325u
#define FNV_PRIME 0x100000001b3u

static uint64_t hash(uint64_t h, const char *text)
{
    struct slice s = slice_str(text);

    for (size_t i = 0; i < s.len; i++) {
        h = (h ^ (unsigned char)s.ptr[i]) * FNV_PRIME;
    }
    return h * FNV_PRIME; /* a byte 0 as the end, so that "ab" + "c" is not "a" + "bc" */
}

uint64_t tls_session_key(const char *sni, const char *verify_name)
{
    return hash(hash(FNV_START, sni), verify_name);
}

/* OpenSSL hands over one reference. */
static int keep(SSL *ssl, SSL_SESSION *session)
{
    struct tls_context *ctx = SSL_CTX_get_app_data(SSL_get_SSL_CTX(ssl));
    const struct stream *s = SSL_get_app_data(ssl);
    size_t slot = s->_session_key % TLS_SESSIONS;

    SSL_SESSION_free(ctx->sessions[slot].session);
    ctx->sessions[slot].session = session;
    ctx->sessions[slot].key = s->_session_key;
    return 1;
}

void tls_keep_sessions(struct tls_context *ctx)
{
    ctx->keeps_sessions = true;
    SSL_CTX_set_session_cache_mode(ctx->ssl_ctx, SSL_SESS_CACHE_CLIENT | SSL_SESS_CACHE_NO_INTERNAL);
    SSL_CTX_sess_set_new_cb(ctx->ssl_ctx, keep);
}

void tls_drop_sessions(struct tls_context *ctx)
{
    for (size_t i = 0; i < TLS_SESSIONS; i++) {
        SSL_SESSION_free(ctx->sessions[i].session);
        ctx->sessions[i].session = NULL;
    }
}

void tls_resume_session(struct tls_context *ctx, const struct stream *s, SSL *ssl)
{
    size_t slot = s->_session_key % TLS_SESSIONS;
    SSL_SESSION *session = ctx->sessions[slot].key == s->_session_key ? ctx->sessions[slot].session : NULL;

    if (session != NULL && SSL_set_session(ssl, session) != 1) {
        ERR_clear_error(); /* a full handshake then */
    }
}
