/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "net/stream_tls.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <openssl/err.h>
#include <openssl/x509v3.h>

#include "net/tls_internal.h"

static SSL *ssl_of(const struct stream *s)
{
    return (SSL *)(void *)s->_tls;
}

static int refuse(struct stream *s, const char *what)
{
    snprintf(s->tls_error, sizeof(s->tls_error), "%.100s", what);
    ERR_clear_error();
    return -1;
}

static SSL *new_ssl(struct tls_context *ctx, struct stream *s)
{
    SSL *ssl = SSL_new(ctx->ssl_ctx);
    BIO *bio = ssl != NULL ? BIO_new(ctx->bio_method) : NULL;

    if (bio == NULL) {
        SSL_free(ssl);
        return NULL;
    }
    BIO_set_data(bio, s);
    BIO_set_init(bio, 1);
    SSL_set_bio(ssl, bio, bio);
    SSL_set_app_data(ssl, s);
    return ssl;
}

/* Without brackets (a literal address) and without the last dot (a rooted name): neither SNI nor certificates have
 * them. */
static bool bare_name(char out[TLS_NAME_MAX], const char *name)
{
    struct slice bare = slice_str(name);

    if (slice_starts(bare, SLICE("[")) && slice_ends(bare, SLICE("]"))) {
        bare = slice_from(bare.ptr + 1, bare.len - 2);
    } else if (slice_ends(bare, SLICE("."))) {
        bare.len--;
    }
    if (bare.len == 0 || bare.len >= TLS_NAME_MAX) {
        return false;
    }
    memcpy(out, bare.ptr, bare.len);
    out[bare.len] = '\0';
    return true;
}

static bool send_name(SSL *ssl, const char *sni)
{
    char name[TLS_NAME_MAX];

    return bare_name(name, sni) && SSL_set_tlsext_host_name(ssl, name) == 1;
}

/* An address is compared with the certificate's addresses, everything else with its names. */
static bool expect_name(SSL *ssl, const char *verify_name)
{
    X509_VERIFY_PARAM *param = SSL_get0_param(ssl);
    char name[TLS_NAME_MAX];

    if (!bare_name(name, verify_name)) {
        return false;
    }
    if (X509_VERIFY_PARAM_set1_ip_asc(param, name) == 1) {
        return true;
    }
    ERR_clear_error();
    X509_VERIFY_PARAM_set_hostflags(param, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
    return X509_VERIFY_PARAM_set1_host(param, name, 0) == 1;
}

static int start_client(struct stream *s, SSL *ssl, struct tls_context *ctx, const char *sni, const char *verify_name)
{
    if (sni != NULL && sni[0] != '\0' && !send_name(ssl, sni)) {
        return refuse(s, "the server name for SNI is impossible");
    }
    if (ctx->verifies && verify_name != NULL && !expect_name(ssl, verify_name)) {
        return refuse(s, "the name to verify is impossible");
    }
    if (ctx->keeps_sessions) {
        s->_session_key = tls_session_key(sni, verify_name, s->tls_peer);
        tls_resume_session(ctx, s, ssl);
    }
    SSL_set_connect_state(ssl);
    return 0;
}

int stream_tls_start(struct stream *s, struct tls_context *ctx, const char *sni, const char *verify_name)
{
    SSL *ssl = new_ssl(ctx, s);

    s->_is_dry = false;
    s->_saw_eof = false;
    s->tls_error[0] = '\0';
    if (ssl == NULL) {
        return refuse(s, "out of memory");
    }
    if (ctx->is_server) {
        SSL_set_accept_state(ssl);
    } else if (start_client(s, ssl, ctx, sni, verify_name) != 0) {
        SSL_free(ssl);
        return -1;
    }
    s->_tls = (struct tls *)(void *)ssl;
    return 0;
}

static enum io fail_named(struct stream *s, const char *what)
{
    s->sys_error = 0;
    snprintf(s->tls_error, sizeof(s->tls_error), "%s", what);
    ERR_clear_error();
    return IO_FAILED;
}

/* What a call that moved nothing means. Leaves OpenSSL's queue of errors empty, which the next SSL_get_error() relies
 * on. */
static enum io outcome(struct stream *s, int rc)
{
    switch (SSL_get_error(ssl_of(s), rc)) {
    case SSL_ERROR_WANT_READ:
        return IO_WANT_READ;
    case SSL_ERROR_WANT_WRITE:
        return IO_WANT_WRITE;
    case SSL_ERROR_ZERO_RETURN:
        return IO_EOF;
    case SSL_ERROR_SYSCALL:
        ERR_clear_error();
        if (s->_saw_eof) {
            s->unclean = true;
            return IO_EOF;
        }
        return s->sys_error != 0 ? IO_FAILED : fail_named(s, "unknown reason");
    default:
        if (ERR_GET_REASON(ERR_peek_error()) == SSL_R_UNEXPECTED_EOF_WHILE_READING) {
            ERR_clear_error();
            s->unclean = true;
            return IO_EOF;
        }
        s->sys_error = 0;
        tls_name_failure(s);
        return IO_FAILED;
    }
}

enum io stream_tls_handshake(struct stream *s)
{
    int rc = SSL_do_handshake(ssl_of(s));
    enum io io;

    if (rc == 1) {
        return IO_OK;
    }
    io = outcome(s, rc);
    return io == IO_EOF ? fail_named(s, "the peer closed the connection during the handshake") : io;
}

enum io stream_tls_read(struct stream *s, void *out, size_t len, size_t *moved)
{
    enum io io;
    int rc = SSL_read_ex(ssl_of(s), out, len, moved);

    if (rc == 1) {
        s->_is_dry = false;
        return IO_OK;
    }
    io = outcome(s, rc);
    *moved = 0;
    s->_is_dry = io == IO_WANT_READ;
    return io;
}

/* The peer has gone. What it said before (in TLS 1.3 it may refuse us only after our handshake) is worth more than
 * EPIPE. */
static void look_for_alert(struct stream *s)
{
    int sys = s->sys_error;
    size_t moved;
    char byte;
    int rc = SSL_peek_ex(ssl_of(s), &byte, 1, &moved);

    if (rc != 1 && SSL_get_error(ssl_of(s), rc) == SSL_ERROR_SSL &&
        ERR_GET_REASON(ERR_peek_error()) != SSL_R_UNEXPECTED_EOF_WHILE_READING) {
        s->sys_error = 0;
        tls_name_failure(s);
        return;
    }
    ERR_clear_error();
    s->sys_error = sys;
}

enum io stream_tls_write(struct stream *s, const void *bytes, size_t len, size_t *moved)
{
    enum io io;
    int rc = SSL_write_ex(ssl_of(s), bytes, len, moved);

    if (rc == 1) {
        return IO_OK;
    }
    io = outcome(s, rc);
    *moved = 0;
    if (io == IO_FAILED && (s->sys_error == EPIPE || s->sys_error == ECONNRESET)) {
        look_for_alert(s);
    }
    return io;
}

bool stream_tls_has_pending(const struct stream *s)
{
    return !s->_is_dry && SSL_has_pending(ssl_of(s)) == 1;
}

void stream_tls_shutdown(struct stream *s)
{
    SSL *ssl = ssl_of(s);

    if (SSL_is_init_finished(ssl) && SSL_shutdown(ssl) < 0) {
        ERR_clear_error();
    }
}

void stream_tls_end(struct stream *s)
{
    SSL *ssl = ssl_of(s);

    /* Without this OpenSSL takes the session for broken and does not resume it. */
    SSL_set_shutdown(ssl, SSL_SENT_SHUTDOWN | SSL_RECEIVED_SHUTDOWN);
    SSL_free(ssl);
    s->_tls = NULL;
}
