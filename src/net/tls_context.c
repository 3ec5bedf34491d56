/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "net/tls_internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/pem.h>

int tls_context_new(struct tls_context **out, bool is_server, struct err *err)
{
    struct tls_context *ctx = calloc(1, sizeof(*ctx));

    *out = NULL;
    if (ctx == NULL) {
        return err_set(err, ERR_SYSTEM, ENOMEM, "cannot make TLS settings");
    }
    ctx->is_server = is_server;
    ctx->ssl_ctx = is_server ? SSL_CTX_new(TLS_server_method())
                             : SSL_CTX_new_ex(tls_lean_library(), NULL, TLS_client_method());
    ctx->bio_method = tls_socket_method();
    if (ctx->ssl_ctx == NULL || ctx->bio_method == NULL) {
        tls_err_set(err, "cannot make TLS settings");
        tls_context_free(ctx);
        return -1;
    }
    SSL_CTX_set_app_data(ctx->ssl_ctx, ctx);
    SSL_CTX_set_read_ahead(ctx->ssl_ctx, 1);
    SSL_CTX_set_mode(ctx->ssl_ctx,
                     SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER | SSL_MODE_RELEASE_BUFFERS);
    SSL_CTX_set_options(ctx->ssl_ctx, SSL_OP_NO_RENEGOTIATION);
    SSL_CTX_set_session_cache_mode(ctx->ssl_ctx, SSL_SESS_CACHE_OFF);
    *out = ctx;
    return 0;
}

void tls_context_free(struct tls_context *ctx)
{
    if (ctx == NULL) {
        return;
    }
    tls_drop_sessions(ctx);
    X509_free(ctx->self_signed);
    SSL_CTX_free(ctx->ssl_ctx);
    BIO_meth_free(ctx->bio_method);
    free(ctx);
}

int tls_context_set_alpn(struct tls_context *ctx, const char *list, struct err *err)
{
    struct slice rest = slice_str(list);

    ctx->alpn_len = 0;
    while (rest.len > 0) {
        struct slice protocol = slice_trim(slice_split(&rest, ','));

        if (protocol.len == 0 || protocol.len > UINT8_MAX || ctx->alpn_len + 1 + protocol.len > ALPN_MAX) {
            return err_set(err, ERR_CONFIG, 0, "\"%s\" is not a list of ALPN protocols", list);
        }
        ctx->alpn[ctx->alpn_len++] = (unsigned char)protocol.len;
        memcpy(ctx->alpn + ctx->alpn_len, protocol.ptr, protocol.len);
        ctx->alpn_len += (unsigned)protocol.len;
    }
    return 0;
}

/* The library would ask for it on the terminal. */
static int refuse_passphrase(char *out, int size, int writing, void *asked)
{
    (void)out;
    (void)size;
    (void)writing;
    *(bool *)asked = true;
    return -1;
}

/* Read by the library's own context: the lean one of clients knows no private keys. */
static EVP_PKEY *read_key(const char *path, bool *needs_passphrase)
{
    BIO *file = BIO_new_file(path, "r");
    EVP_PKEY *key = file != NULL ? PEM_read_bio_PrivateKey(file, NULL, refuse_passphrase, needs_passphrase) : NULL;

    BIO_free(file);
    return key;
}

static int use_key(struct tls_context *ctx, const char *path, struct err *err)
{
    bool needs_passphrase = false, is_used;
    EVP_PKEY *key = read_key(path, &needs_passphrase);

    if (key == NULL && needs_passphrase) {
        ERR_clear_error();
        err_set(err, ERR_CONFIG, 0, "cannot use key file %s: it is encrypted", path);
        return err_hint(err, "decrypt it into a file of its own: openssl pkey -in %s -out key.pem", path);
    }
    is_used = key != NULL && SSL_CTX_use_PrivateKey(ctx->ssl_ctx, key) == 1;
    EVP_PKEY_free(key);
    return is_used ? 0 : tls_err_set(err, "cannot use key file %s", path);
}

int tls_context_use_files(struct tls_context *ctx, const char *cert_file, const char *key_file, struct err *err)
{
    if (cert_file == NULL || key_file == NULL) {
        return err_set(err, ERR_CONFIG, 0, "a certificate needs its private key too, and the key its certificate");
    }
    if (SSL_CTX_use_certificate_chain_file(ctx->ssl_ctx, cert_file) != 1) {
        return tls_err_set(err, "cannot use certificate file %s", cert_file);
    }
    return use_key(ctx, key_file, err);
}
