/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "net/stream.h"

#include <stdio.h>

#include <openssl/evp.h>
#include <openssl/objects.h>
#include <openssl/ssl.h>

enum { GROUP_MAX = 64 };

static const SSL *ssl_of(const struct stream *s)
{
    return (const SSL *)(const void *)s->_tls;
}

const char *stream_tls_version(const struct stream *s)
{
    return s->_tls != NULL ? SSL_get_version(ssl_of(s)) : "";
}

const char *stream_tls_cipher(const struct stream *s)
{
    return s->_tls != NULL ? SSL_CIPHER_get_name(SSL_get_current_cipher(ssl_of(s))) : "";
}

const char *stream_tls_alpn(const struct stream *s)
{
    static const char *const KNOWN[] = { "h2", "http/1.1", "http/1.0" };
    const unsigned char *bytes = NULL;
    unsigned len = 0;

    if (s->_tls != NULL) {
        SSL_get0_alpn_selected(ssl_of(s), &bytes, &len);
    }
    for (size_t i = 0; i < sizeof(KNOWN) / sizeof(KNOWN[0]); i++) {
        if (slice_eq(slice_from((const char *)bytes, len), slice_str(KNOWN[i]))) {
            return KNOWN[i];
        }
    }
    return "";
}

bool stream_tls_resumed(const struct stream *s)
{
    return s->_tls != NULL && SSL_session_reused(ssl_of(s)) == 1;
}

static void describe_key(char *out, size_t size, EVP_PKEY *key)
{
    char group[GROUP_MAX] = "";
    int bits = EVP_PKEY_get_bits(key);
    int id = EVP_PKEY_get_base_id(key);

    if (id == EVP_PKEY_EC && EVP_PKEY_get_group_name(key, group, sizeof(group), NULL) == 1) {
        snprintf(out, size, "ECDH %s %d bits", group, bits);
    } else if (id == EVP_PKEY_RSA || id == EVP_PKEY_DH) {
        snprintf(out, size, "%s %d bits", id == EVP_PKEY_RSA ? "RSA" : "DH", bits);
    } else {
        snprintf(out, size, "%s %d bits", OBJ_nid2sn(id), bits);
    }
}

void stream_tls_describe(const struct stream *s, char *temp_key, size_t temp_key_size, int *peer_key_bits,
                         int *cipher_bits)
{
    SSL *ssl = (SSL *)(void *)s->_tls;
    EVP_PKEY *key = NULL;
    X509 *peer;

    temp_key[0] = '\0';
    *peer_key_bits = 0;
    *cipher_bits = 0;
    if (ssl == NULL) {
        return;
    }
    if (SSL_get_peer_tmp_key(ssl, &key) == 1) {
        describe_key(temp_key, temp_key_size, key);
        EVP_PKEY_free(key);
    }
    peer = SSL_get0_peer_certificate(ssl);
    if (peer != NULL) {
        *peer_key_bits = EVP_PKEY_get_bits(X509_get0_pubkey(peer));
    }
    SSL_CIPHER_get_bits(SSL_get_current_cipher(ssl), cipher_bits);
}
