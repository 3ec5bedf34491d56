/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "net/tls_internal.h"

#include <stdlib.h>
#include <string.h>

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/pem.h>

/* Our order of preference decides. */
static int choose_alpn(SSL *ssl, const unsigned char **out, unsigned char *out_len, const unsigned char *offered,
                       unsigned offered_len, void *arg)
{
    const struct tls_context *ctx = arg;
    unsigned char *chosen = NULL;

    (void)ssl;
    if (SSL_select_next_proto(&chosen, out_len, ctx->alpn, ctx->alpn_len, offered, offered_len) !=
        OPENSSL_NPN_NEGOTIATED) {
        return SSL_TLSEXT_ERR_ALERT_FATAL; /* no_application_protocol, RFC 7301 section 3.2 */
    }
    *out = chosen;
    return SSL_TLSEXT_ERR_OK;
}

static int configure(struct tls_context *ctx, const struct tls_server_config *config, struct err *err)
{
    static const unsigned char id[] = "plimsoll";
    int rc = config->cert_file != NULL || config->key_file != NULL
                 ? tls_context_use_files(ctx, config->cert_file, config->key_file, err)
                 : tls_self_sign(ctx, config->names, err);

    if (rc != 0) {
        return -1;
    }
    if (config->alpn != NULL) {
        if (tls_context_set_alpn(ctx, config->alpn, err) != 0) {
            return -1;
        }
        SSL_CTX_set_alpn_select_cb(ctx->ssl_ctx, choose_alpn, ctx);
    }
    if (SSL_CTX_set_session_id_context(ctx->ssl_ctx, id, sizeof(id) - 1) != 1) {
        return tls_err_set(err, "cannot make TLS settings");
    }
    return 0;
}

int tls_server_context(struct tls_context **out, const struct tls_server_config *config, struct err *err)
{
    if (tls_context_new(out, true, err) != 0) {
        return -1;
    }
    if (configure(*out, config, err) != 0) {
        tls_context_free(*out);
        *out = NULL;
        ERR_clear_error();
        return -1;
    }
    return 0;
}

char *tls_context_certificate_pem(const struct tls_context *ctx)
{
    BIO *memory = ctx->self_signed != NULL ? BIO_new(BIO_s_mem()) : NULL;
    char *bytes = NULL;
    char *text = NULL;

    if (memory != NULL && PEM_write_bio_X509(memory, ctx->self_signed) == 1) {
        long len = BIO_get_mem_data(memory, &bytes);

        text = slice_dup(slice_from(bytes, (size_t)len));
    }
    BIO_free(memory);
    return text;
}
