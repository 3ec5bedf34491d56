/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "net/tls_internal.h"

#include <errno.h>
#include <stdlib.h>
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

uint64_t tls_session_key(const char *sni, const char *verify_name, uint32_t peer)
{
    return (hash(hash(FNV_START, sni), verify_name) ^ peer) * FNV_PRIME;
}

static struct kept_session *slot_of(const struct tls_context *ctx, const struct stream *s)
{
    return &ctx->sessions[(s->tls_peer != 0 ? s->tls_peer : s->_session_key) % ctx->session_slots];
}

/* OpenSSL hands over one reference. */
static int keep(SSL *ssl, SSL_SESSION *session)
{
    struct tls_context *ctx = SSL_CTX_get_app_data(SSL_get_SSL_CTX(ssl));
    const struct stream *s = SSL_get_app_data(ssl);
    struct kept_session *slot = slot_of(ctx, s);

    SSL_SESSION_free(slot->session);
    slot->session = session;
    slot->key = s->_session_key;
    return 1;
}

int tls_keep_sessions(struct tls_context *ctx, uint32_t peers, struct err *err)
{
    ctx->session_slots = peers != 0 ? peers : TLS_SESSIONS;
    ctx->sessions = calloc(ctx->session_slots, sizeof(*ctx->sessions));
    if (ctx->sessions == NULL) {
        return err_set(err, ERR_SYSTEM, ENOMEM, "cannot keep TLS sessions");
    }
    ctx->keeps_sessions = true;
    SSL_CTX_set_session_cache_mode(ctx->ssl_ctx, SSL_SESS_CACHE_CLIENT | SSL_SESS_CACHE_NO_INTERNAL);
    SSL_CTX_sess_set_new_cb(ctx->ssl_ctx, keep);
    return 0;
}

void tls_drop_sessions(struct tls_context *ctx)
{
    for (size_t i = 0; ctx->sessions != NULL && i < ctx->session_slots; i++) {
        SSL_SESSION_free(ctx->sessions[i].session);
    }
    free(ctx->sessions);
    ctx->sessions = NULL;
}

/* OpenSSL makes a TLS 1.3 session useless once it has been resumed (RFC 8446 C.4 would not have clients tracked), and
 * the next one may be long in coming: what is offered is a copy. One more reference for the caller; NULL when out of
 * memory. */
static SSL_SESSION *to_offer(SSL_SESSION *kept)
{
    if (SSL_SESSION_get_protocol_version(kept) == TLS1_3_VERSION) {
        return SSL_SESSION_dup(kept);
    }
    return SSL_SESSION_up_ref(kept) == 1 ? kept : NULL;
}

void tls_resume_session(struct tls_context *ctx, const struct stream *s, SSL *ssl)
{
    const struct kept_session *slot = slot_of(ctx, s);
    SSL_SESSION *session = slot->session != NULL && slot->key == s->_session_key ? to_offer(slot->session) : NULL;

    if (session != NULL && SSL_set_session(ssl, session) != 1) {
        ERR_clear_error(); /* a full handshake then */
    }
    SSL_SESSION_free(session);
}
