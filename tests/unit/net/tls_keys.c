/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Certificates of every kind of key, at the server and at the client. */
#include "net/tls_internal.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include "tls_pair.h"

struct files {
    char cert[64], key[64];
};

static void add(X509 *certificate, int nid, const char *value)
{
    X509_EXTENSION *extension = X509V3_EXT_conf_nid(NULL, NULL, nid, value);

    assert_non_null(extension);
    assert_int_equal(X509_add_ext(certificate, extension, -1), 1);
    X509_EXTENSION_free(extension);
}

static X509 *certify(EVP_PKEY *key, const EVP_MD *digest)
{
    X509 *certificate = X509_new();
    X509_NAME *name = X509_get_subject_name(certificate);

    X509_set_version(certificate, X509_VERSION_3);
    ASN1_INTEGER_set(X509_get_serialNumber(certificate), 1);
    X509_gmtime_adj(X509_getm_notBefore(certificate), -3600);
    X509_gmtime_adj(X509_getm_notAfter(certificate), 3600);
    X509_set_pubkey(certificate, key);
    X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC, (const unsigned char *)"a.test", -1, -1, 0);
    X509_set_issuer_name(certificate, name);
    add(certificate, NID_basic_constraints, "critical,CA:TRUE");
    add(certificate, NID_subject_alt_name, "DNS:a.test");
    assert_true(X509_sign(certificate, key, digest) > 0);
    return certificate;
}

static void write_files(struct files *f, EVP_PKEY *key, const EVP_MD *digest)
{
    X509 *certificate = certify(key, digest);
    FILE *out;

    snprintf(f->cert, sizeof(f->cert), "/tmp/plimsoll-cert-%d.pem", (int)getpid());
    snprintf(f->key, sizeof(f->key), "/tmp/plimsoll-key-%d.pem", (int)getpid());
    out = fopen(f->cert, "w");
    assert_non_null(out);
    assert_int_equal(PEM_write_X509(out, certificate), 1);
    fclose(out);
    out = fopen(f->key, "w");
    assert_non_null(out);
    assert_int_equal(PEM_write_PrivateKey(out, key, NULL, NULL, 0, NULL, NULL), 1);
    fclose(out);
    X509_free(certificate);
}

static void remove_files(const struct files *f)
{
    unlink(f->cert);
    unlink(f->key);
}

static EVP_PKEY *rsa(void)
{
    return EVP_RSA_gen(2048);
}

static EVP_PKEY *p256(void)
{
    return EVP_EC_gen("P-256");
}

static EVP_PKEY *p384(void)
{
    return EVP_EC_gen("P-384");
}

static EVP_PKEY *ed25519(void)
{
    return EVP_PKEY_Q_keygen(NULL, NULL, "ED25519");
}

static EVP_PKEY *ed448(void)
{
    return EVP_PKEY_Q_keygen(NULL, NULL, "ED448");
}

static EVP_PKEY *rsa_pss(void)
{
    EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_name(NULL, "RSA-PSS", NULL);
    EVP_PKEY *key = NULL;

    assert_int_equal(EVP_PKEY_keygen_init(ctx), 1);
    assert_int_equal(EVP_PKEY_generate(ctx, &key), 1);
    EVP_PKEY_CTX_free(ctx);
    return key;
}

static const struct {
    const char *why;
    EVP_PKEY *(*make)(void);
    bool has_own_digest;
    int bits;
} KEYS[] = {
    { "RSA", rsa, false, 2048 },   { "RSA-PSS", rsa_pss, false, 2048 }, { "P-256", p256, false, 256 },
    { "P-384", p384, false, 384 }, { "Ed25519", ed25519, true, 256 },   { "Ed448", ed448, true, 456 },
};

static void exchange(const struct files *f, int version, int bits)
{
    struct tls_pair p = tls_pair_new();
    char temp_key[64];
    int cipher_bits;
    int key_bits;

    tls_pair_server(&p, &(struct tls_server_config){ .cert_file = f->cert, .key_file = f->key });
    assert_null(tls_context_certificate_pem(p.server_ctx));
    SSL_CTX_set_verify(p.server_ctx->ssl_ctx, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, NULL);
    assert_int_equal(SSL_CTX_load_verify_locations(p.server_ctx->ssl_ctx, f->cert, NULL), 1);
    tls_pair_client(&p, (struct tls_client_config){ .ca_file = f->cert,
                                                    .cert_file = f->cert,
                                                    .key_file = f->key,
                                                    .min_version = version,
                                                    .max_version = version });
    tls_pair_connect(&p, "a.test", "a.test");
    assert_string_equal(p.client.tls_error, "");
    assert_int_equal(p.client_io, IO_OK);
    assert_string_equal(p.server.tls_error, "");
    assert_int_equal(p.server_io, IO_OK);
    stream_tls_describe(&p.client, temp_key, sizeof(temp_key), &key_bits, &cipher_bits);
    assert_int_equal(key_bits, bits);
    tls_pair_transfer(&p.server, &p.client, "x", 1);
    tls_pair_end(&p);
}

static void test_keys(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(KEYS) / sizeof(KEYS[0]); i++) {
        EVP_PKEY *key = KEYS[i].make();
        struct files f;

        print_message("%s\n", KEYS[i].why);
        assert_non_null(key);
        write_files(&f, key, KEYS[i].has_own_digest ? NULL : EVP_sha256());
        EVP_PKEY_free(key);
        exchange(&f, 12, KEYS[i].bits);
        exchange(&f, 13, KEYS[i].bits);
        remove_files(&f);
    }
}

/* The key belongs to another certificate. */
static void test_mismatch(void **state)
{
    EVP_PKEY *one = p256();
    EVP_PKEY *other = p256();
    struct tls_context *ctx;
    struct err err = { 0 };
    struct files f;
    FILE *out;

    (void)state;
    write_files(&f, one, EVP_sha256());
    out = fopen(f.key, "w");
    assert_int_equal(PEM_write_PrivateKey(out, other, NULL, NULL, 0, NULL, NULL), 1);
    fclose(out);
    EVP_PKEY_free(one);
    EVP_PKEY_free(other);
    assert_int_equal(
        tls_client_context(&ctx, &(struct tls_client_config){ .cert_file = f.cert, .key_file = f.key }, &err), -1);
    assert_non_null(strstr(err.what, "key file"));
    assert_non_null(strstr(err.what, f.key));
    assert_int_equal(
        tls_server_context(&ctx, &(struct tls_server_config){ .cert_file = f.cert, .key_file = f.cert }, &err), -1);
    assert_non_null(strstr(err.what, "cannot use key file"));
    remove_files(&f);
}

/* A passphrase is not asked for on the terminal. */
static void test_encrypted(void **state)
{
    static char passphrase[] = "hush";
    EVP_PKEY *key = p256();
    struct tls_context *ctx;
    struct err err = { 0 };
    struct files f;
    FILE *out;

    (void)state;
    write_files(&f, key, EVP_sha256());
    out = fopen(f.key, "w");
    assert_int_equal(PEM_write_PrivateKey(out, key, EVP_aes_128_cbc(), NULL, 0, NULL, passphrase), 1);
    fclose(out);
    EVP_PKEY_free(key);
    assert_int_equal(
        tls_client_context(&ctx, &(struct tls_client_config){ .cert_file = f.cert, .key_file = f.key }, &err), -1);
    assert_non_null(strstr(err.what, "it is encrypted"));
    assert_non_null(strstr(err.what, f.key));
    remove_files(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_keys),
        cmocka_unit_test(test_mismatch),
        cmocka_unit_test(test_encrypted),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
