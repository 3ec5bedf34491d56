/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "net/tls_internal.h"

#include <stdio.h>
#include <string.h>

#include <openssl/evp.h>
#include <openssl/rand.h>
#include <openssl/x509v3.h>

#include "net/addr.h"

enum { SAN_MAX = 2048, NAME_MAX_LEN = 256, SERIAL_BYTES = 16 };
#define DAY_S (24L * 3600)

static bool is_name_text(struct slice name)
{
    for (size_t i = 0; i < name.len; i++) {
        char c = name.ptr[i];

        if (c <= ' ' || c > '~' || c == ',' || c == '"') {
            return false;
        }
    }
    return name.len > 0 && name.len < NAME_MAX_LEN;
}

/* "localhost,127.0.0.1" as OpenSSL writes alternative names: "DNS:localhost,IP:127.0.0.1". */
static int alternative_names(char out[SAN_MAX], const char *names, struct err *err)
{
    struct slice rest = slice_str(names);
    size_t len = 0;

    out[0] = '\0';
    while (rest.len > 0) {
        struct slice name = slice_trim(slice_split(&rest, ','));
        struct addr a;
        int n;

        if (!is_name_text(name)) {
            return err_set(err, ERR_CONFIG, 0, "\"%s\" is not a list of names for a certificate", names);
        }
        n = snprintf(out + len, SAN_MAX - len, "%s%s:%.*s", len > 0 ? "," : "",
                     addr_parse(&a, name, 0, NULL) == 0 ? "IP" : "DNS", SLICE_FMT(name));
        if (n < 0 || (size_t)n >= SAN_MAX - len) {
            return err_set(err, ERR_CONFIG, 0, "too many names for one certificate");
        }
        len += (size_t)n;
    }
    return 0;
}

static bool add_extension(X509 *certificate, int nid, const char *value)
{
    X509V3_CTX v3;
    X509_EXTENSION *extension;
    bool is_added;

    X509V3_set_ctx_nodb(&v3);
    X509V3_set_ctx(&v3, certificate, certificate, NULL, NULL, 0);
    extension = X509V3_EXT_conf_nid(NULL, &v3, nid, value);
    is_added = extension != NULL && X509_add_ext(certificate, extension, -1) == 1;
    X509_EXTENSION_free(extension);
    return is_added;
}

static bool set_serial(X509 *certificate)
{
    unsigned char bytes[SERIAL_BYTES];
    BIGNUM *number = NULL;
    bool is_set;

    if (RAND_bytes(bytes, sizeof(bytes)) != 1) {
        return false;
    }
    bytes[0] = (unsigned char)((bytes[0] & 0x3f) | 0x40); /* positive and of full length */
    number = BN_bin2bn(bytes, sizeof(bytes), NULL);
    is_set = number != NULL && BN_to_ASN1_INTEGER(number, X509_get_serialNumber(certificate)) != NULL;
    BN_free(number);
    return is_set;
}

static bool set_name(X509 *certificate)
{
    X509_NAME *name = X509_get_subject_name(certificate);

    return X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC, (const unsigned char *)"plimsoll self-signed", -1, -1,
                                      0) == 1 &&
           X509_set_issuer_name(certificate, name) == 1;
}

static X509 *make_certificate(EVP_PKEY *key, const char *san)
{
    X509 *certificate = X509_new();

    /* Valid from yesterday: the clocks of two machines differ. A client that trusts it takes it as its own authority.
     */
    if (certificate != NULL && X509_set_version(certificate, X509_VERSION_3) == 1 && set_serial(certificate) &&
        X509_gmtime_adj(X509_getm_notBefore(certificate), -DAY_S) != NULL &&
        X509_gmtime_adj(X509_getm_notAfter(certificate), 365 * DAY_S) != NULL &&
        X509_set_pubkey(certificate, key) == 1 && set_name(certificate) &&
        add_extension(certificate, NID_basic_constraints, "critical,CA:TRUE") &&
        add_extension(certificate, NID_key_usage, "critical,digitalSignature,keyCertSign") &&
        add_extension(certificate, NID_ext_key_usage, "serverAuth") &&
        add_extension(certificate, NID_subject_key_identifier, "hash") &&
        (san[0] == '\0' || add_extension(certificate, NID_subject_alt_name, san)) &&
        X509_sign(certificate, key, EVP_sha256()) > 0) {
        return certificate;
    }
    X509_free(certificate);
    return NULL;
}

int tls_self_sign(struct tls_context *ctx, const char *names, struct err *err)
{
    char san[SAN_MAX];
    EVP_PKEY *key;
    int rc = 0;

    if (alternative_names(san, names, err) != 0) {
        return -1;
    }
    key = EVP_EC_gen("P-256");
    ctx->self_signed = key != NULL ? make_certificate(key, san) : NULL;
    if (ctx->self_signed == NULL || SSL_CTX_use_certificate(ctx->ssl_ctx, ctx->self_signed) != 1 ||
        SSL_CTX_use_PrivateKey(ctx->ssl_ctx, key) != 1) {
        rc = tls_err_set(err, "cannot make a certificate for \"%s\"", names != NULL ? names : "");
    }
    EVP_PKEY_free(key);
    return rc;
}
