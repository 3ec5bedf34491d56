/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "net/tls_internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <openssl/err.h>

static int protocol_number(int version)
{
    switch (version) {
    case 0:
        return 0;
    case 10:
        return TLS1_VERSION;
    case 11:
        return TLS1_1_VERSION;
    case 12:
        return TLS1_2_VERSION;
    case 13:
        return TLS1_3_VERSION;
    default:
        return -1;
    }
}

static int set_versions(SSL_CTX *ssl_ctx, int min, int max, struct err *err)
{
    int low = protocol_number(min);
    int high = protocol_number(max);

    if (low < 0 || high < 0 || (low > 0 && high > 0 && low > high)) {
        return err_set(err, ERR_CONFIG, 0, "TLS versions %d to %d are not a range of 10, 11, 12, 13", min, max);
    }
    if ((low > 0 && low < TLS1_2_VERSION) || (high > 0 && high < TLS1_2_VERSION)) {
        SSL_CTX_set_security_level(ssl_ctx, 0);
    }
    /* With an upper end alone the system's lower end could be above it. */
    if ((low > 0 || high > 0) && SSL_CTX_set_min_proto_version(ssl_ctx, low) != 1) {
        return tls_err_set(err, "TLS version %d is not available", min);
    }
    if (high > 0 && SSL_CTX_set_max_proto_version(ssl_ctx, high) != 1) {
        return tls_err_set(err, "TLS version %d is not available", max);
    }
    return 0;
}

/* Copies the names that are (or are not) TLS 1.3 suites, with their colons. */
static void pick_ciphers(char *out, const char *list, bool tls13)
{
    struct slice rest = slice_str(list);
    size_t len = 0;

    while (rest.len > 0) {
        struct slice name = slice_trim(slice_split(&rest, ':'));

        if (name.len > 0 && slice_starts(name, SLICE("TLS_")) == tls13) {
            if (len > 0) {
                out[len++] = ':';
            }
            memcpy(out + len, name.ptr, name.len);
            len += name.len;
        }
    }
    out[len] = '\0';
}

static int set_ciphers(SSL_CTX *ssl_ctx, const char *list, struct err *err)
{
    char *names = malloc(strlen(list) + 1);
    bool is_known;

    if (names == NULL) {
        return err_set(err, ERR_SYSTEM, ENOMEM, "cannot set TLS ciphers");
    }
    pick_ciphers(names, list, true);
    is_known = names[0] == '\0' || SSL_CTX_set_ciphersuites(ssl_ctx, names) == 1;
    pick_ciphers(names, list, false);
    is_known = is_known && (names[0] == '\0' || SSL_CTX_set_cipher_list(ssl_ctx, names) == 1);
    free(names);
    if (!is_known) {
        tls_err_set(err, "cannot use TLS ciphers \"%s\"", list);
        return err_hint(err, "openssl ciphers -s -v shows the names");
    }
    return 0;
}

static int set_groups(SSL_CTX *ssl_ctx, const char *list, struct err *err)
{
    char *names = slice_dup(slice_str(list)); /* the library's macro wants it writable */
    bool is_known;

    if (names == NULL) {
        return err_set(err, ERR_SYSTEM, ENOMEM, "cannot set TLS groups");
    }
    is_known = SSL_CTX_set1_groups_list(ssl_ctx, names) == 1;
    free(names);
    if (!is_known) {
        tls_err_set(err, "cannot use TLS groups \"%s\"", list);
        return err_hint(err, "names with colons, such as X25519:P-256");
    }
    return 0;
}

static int set_trust(struct tls_context *ctx, const struct tls_client_config *config, struct err *err)
{
    ctx->verifies = !config->insecure;
    if (config->insecure) {
        SSL_CTX_set_verify(ctx->ssl_ctx, SSL_VERIFY_NONE, NULL);
        return 0;
    }
    SSL_CTX_set_verify(ctx->ssl_ctx, SSL_VERIFY_PEER, tls_on_verify);
    if (config->ca_file == NULL) {
        return SSL_CTX_set_default_verify_paths(ctx->ssl_ctx) == 1
                   ? 0
                   : tls_err_set(err, "cannot use the system's certificates");
    }
    if (SSL_CTX_load_verify_locations(ctx->ssl_ctx, config->ca_file, NULL) != 1) {
        return tls_err_set(err, "cannot use CA file %s", config->ca_file);
    }
    return 0;
}

static int configure(struct tls_context *ctx, const struct tls_client_config *config, struct err *err)
{
    if (set_versions(ctx->ssl_ctx, config->min_version, config->max_version, err) != 0 ||
        set_trust(ctx, config, err) != 0) {
        return -1;
    }
    if (config->ciphers != NULL && set_ciphers(ctx->ssl_ctx, config->ciphers, err) != 0) {
        return -1;
    }
    if (config->groups != NULL && set_groups(ctx->ssl_ctx, config->groups, err) != 0) {
        return -1;
    }
    if ((config->cert_file != NULL || config->key_file != NULL) &&
        tls_context_use_files(ctx, config->cert_file, config->key_file, err) != 0) {
        return -1;
    }
    if (config->alpn != NULL) {
        if (tls_context_set_alpn(ctx, config->alpn, err) != 0) {
            return -1;
        }
        if (SSL_CTX_set_alpn_protos(ctx->ssl_ctx, ctx->alpn, ctx->alpn_len) != 0) {
            return tls_err_set(err, "cannot offer ALPN \"%s\"", config->alpn);
        }
    }
    return config->session_cache ? tls_keep_sessions(ctx, config->session_peers, err) : 0;
}

int tls_client_context(struct tls_context **out, const struct tls_client_config *config, struct err *err)
{
    if (tls_context_new(out, false, err) != 0) {
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
