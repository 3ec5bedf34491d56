/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "net/tls_internal.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <openssl/err.h>
#include <openssl/x509v3.h>

enum { REASON_MAX = 160, SUBJECT_MAX = 64 };

/* RFC 8446 appendix B.2 and RFC 5246 section 7.2. */
static const struct {
    int number;
    const char *name;
} ALERTS[] = {
    { 0, "close_notify" },
    { 10, "unexpected_message" },
    { 20, "bad_record_mac" },
    { 21, "decryption_failed" },
    { 22, "record_overflow" },
    { 30, "decompression_failure" },
    { 40, "handshake_failure" },
    { 41, "no_certificate" },
    { 42, "bad_certificate" },
    { 43, "unsupported_certificate" },
    { 44, "certificate_revoked" },
    { 45, "certificate_expired" },
    { 46, "certificate_unknown" },
    { 47, "illegal_parameter" },
    { 48, "unknown_ca" },
    { 49, "access_denied" },
    { 50, "decode_error" },
    { 51, "decrypt_error" },
    { 60, "export_restriction" },
    { 70, "protocol_version" },
    { 71, "insufficient_security" },
    { 80, "internal_error" },
    { 86, "inappropriate_fallback" },
    { 90, "user_canceled" },
    { 100, "no_renegotiation" },
    { 109, "missing_extension" },
    { 110, "unsupported_extension" },
    { 111, "certificate_unobtainable" },
    { 112, "unrecognized_name" },
    { 113, "bad_certificate_status_response" },
    { 114, "bad_certificate_hash_value" },
    { 115, "unknown_psk_identity" },
    { 116, "certificate_required" },
    { 120, "no_application_protocol" },
};

static void name_alert(char *out, size_t size, int number)
{
    for (size_t i = 0; i < sizeof(ALERTS) / sizeof(ALERTS[0]); i++) {
        if (ALERTS[i].number == number) {
            snprintf(out, size, "alert %s", ALERTS[i].name);
            return;
        }
    }
    snprintf(out, size, "alert %d", number);
}

/* What the system said, else the oldest error of the TLS library itself, else the oldest of all. */
static int rank(unsigned long error)
{
    return ERR_SYSTEM_ERROR(error) ? 2 : ERR_GET_LIB(error) == ERR_LIB_SSL ? 1 : 0;
}

/* The one that tells most; the queue is empty afterwards. */
static unsigned long take_error(void)
{
    unsigned long first = ERR_get_error();
    unsigned long chosen = first;

    for (unsigned long e = first; e != 0; e = ERR_get_error()) {
        if (rank(e) > rank(chosen)) {
            chosen = e;
        }
    }
    return chosen;
}

static void reason_of(char *out, size_t size, unsigned long error)
{
    const char *reason = ERR_reason_error_string(error);

    if (error == 0) {
        snprintf(out, size, "unknown reason");
    } else if (ERR_SYSTEM_ERROR(error)) {
        snprintf(out, size, "%s", strerrordesc_np(ERR_GET_REASON(error)));
    } else if (reason != NULL) {
        snprintf(out, size, "%s", reason);
    } else {
        snprintf(out, size, "OpenSSL error %08lx", error);
    }
}

int tls_err_set(struct err *err, const char *fmt, ...)
{
    char what[REASON_MAX];
    char reason[REASON_MAX];
    va_list args;

    va_start(args, fmt);
    vsnprintf(what, sizeof(what), fmt, args);
    va_end(args);
    reason_of(reason, sizeof(reason), take_error());
    return err_set(err, ERR_CONFIG, 0, "%s: %s", what, reason);
}

static bool is_not_tls(int reason)
{
    return reason == SSL_R_WRONG_VERSION_NUMBER || reason == SSL_R_HTTP_REQUEST || reason == SSL_R_HTTPS_PROXY_REQUEST;
}

void tls_name_failure(struct stream *s)
{
    unsigned long error = take_error();
    int reason = ERR_GET_REASON(error);

    if (s->tls_error[0] != '\0') {
        return;
    }
    if (ERR_GET_LIB(error) == ERR_LIB_SSL && reason >= SSL_AD_REASON_OFFSET) {
        name_alert(s->tls_error, sizeof(s->tls_error), reason - SSL_AD_REASON_OFFSET);
    } else if (ERR_GET_LIB(error) == ERR_LIB_SSL && is_not_tls(reason)) {
        snprintf(s->tls_error, sizeof(s->tls_error), "%s: the peer does not speak TLS on this port",
                 ERR_reason_error_string(error));
    } else {
        reason_of(s->tls_error, sizeof(s->tls_error), error);
    }
}

static bool is_plain(char c)
{
    return c >= ' ' && c <= '~';
}

/* The common name, else the whole name; what a certificate says is not trusted to be printable. */
static void name_subject(char out[SUBJECT_MAX], const X509 *certificate)
{
    X509_NAME *name = certificate != NULL ? X509_get_subject_name(certificate) : NULL;

    out[0] = '\0';
    if (name == NULL) {
        return;
    }
    if (X509_NAME_get_text_by_NID(name, NID_commonName, out, SUBJECT_MAX) <= 0) {
        X509_NAME_oneline(name, out, SUBJECT_MAX);
    }
    for (char *c = out; *c != '\0'; c++) {
        if (!is_plain(*c)) {
            *c = '?';
        }
    }
}

int tls_on_verify(int ok, X509_STORE_CTX *store)
{
    const SSL *ssl = X509_STORE_CTX_get_ex_data(store, SSL_get_ex_data_X509_STORE_CTX_idx());
    struct stream *s = ssl != NULL ? SSL_get_app_data(ssl) : NULL;
    char subject[SUBJECT_MAX];

    if (ok == 0 && s != NULL) {
        name_subject(subject, X509_STORE_CTX_get_current_cert(store));
        snprintf(s->tls_error, sizeof(s->tls_error), "certificate verify failed: %.48s%s%.32s%s",
                 X509_verify_cert_error_string(X509_STORE_CTX_get_error(store)), subject[0] != '\0' ? " (" : "",
                 subject, subject[0] != '\0' ? ")" : "");
    }
    return ok;
}
