/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What goes wrong with TLS, and how it is named. */
#include "net/tls_internal.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <openssl/err.h>

#include "tls_pair.h"

static void start(struct tls_pair *p, struct tls_client_config client, const char *server_alpn)
{
    *p = tls_pair_new();
    tls_pair_server(p, &(struct tls_server_config){ .names = TLS_PAIR_NAMES, .alpn = server_alpn });
    tls_pair_client(p, client);
}

static void test_alpn_alert(void **state)
{
    struct tls_pair p;

    (void)state;
    start(&p, (struct tls_client_config){ .alpn = "http/1.1" }, "h2");
    tls_pair_connect(&p, "a.test", "a.test");
    assert_int_equal(p.client_io, IO_FAILED);
    assert_int_equal(p.client.sys_error, 0);
    assert_string_equal(p.client.tls_error, "alert no_application_protocol");
    tls_pair_end(&p);
}

static int only_a_test(SSL *ssl, int *alert, void *arg)
{
    const char *name = SSL_get_servername(ssl, TLSEXT_NAMETYPE_host_name);

    (void)arg;
    *alert = SSL_AD_UNRECOGNIZED_NAME;
    return name != NULL && strcmp(name, "a.test") == 0 ? SSL_TLSEXT_ERR_OK : SSL_TLSEXT_ERR_ALERT_FATAL;
}

static const struct {
    const char *why, *sni;
    bool is_ok;
} NAMES_SENT[] = {
    { "the name it wants", "a.test", true }, { "without the last dot", "a.test.", true },
    { "another name", "b.test", false },     { "no name", NULL, false },
    { "an empty name is none", "", false },
};

static void test_sni(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(NAMES_SENT) / sizeof(NAMES_SENT[0]); i++) {
        struct tls_pair p;

        print_message("%s\n", NAMES_SENT[i].why);
        start(&p, (struct tls_client_config){ .insecure = true }, NULL);
        SSL_CTX_set_tlsext_servername_callback(p.server_ctx->ssl_ctx, only_a_test);
        tls_pair_connect(&p, NAMES_SENT[i].sni, NULL);
        assert_int_equal(p.client_io, NAMES_SENT[i].is_ok ? IO_OK : IO_FAILED);
        assert_string_equal(p.client.tls_error, NAMES_SENT[i].is_ok ? "" : "alert unrecognized_name");
        tls_pair_end(&p);
    }
}

static void test_impossible_name(void **state)
{
    static char long_name[300];
    struct tls_pair p;
    struct stream s = { 0 };

    (void)state;
    memset(long_name, 'a', sizeof(long_name) - 1);
    start(&p, (struct tls_client_config){ 0 }, NULL);
    stream_adopt(&s, -1, true);
    assert_int_equal(stream_tls_start(&s, p.client_ctx, long_name, NULL), -1);
    assert_non_null(strstr(s.tls_error, "SNI"));
    assert_int_equal(stream_tls_start(&s, p.client_ctx, NULL, long_name), -1);
    assert_non_null(strstr(s.tls_error, "verify"));
    assert_false(stream_is_tls(&s));
    tls_pair_end(&p);
}

/* A peer that answers a hello with these bytes, then ends. */
static const struct {
    const char *why, *answer, *want;
} STRANGERS[] = {
    { "a plain web server", "HTTP/1.1 400 Bad Request\r\n\r\n",
      "wrong version number: the peer does not speak TLS on this port" },
    { "nothing", "", "the peer closed the connection during the handshake" },
    { "half a record", "\x16\x03\x03", "the peer closed the connection during the handshake" },
    { "an alert", "\x15\x03\x03\x00\x02\x02\x28", "alert handshake_failure" },
    { "an alert without a name", "\x15\x03\x03\x00\x02\x02\xc8", "alert 200" },
};

static void test_strangers(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(STRANGERS) / sizeof(STRANGERS[0]); i++) {
        struct tls_pair p;
        int fds[2];
        size_t len = i == 2 ? 3 : i >= 3 ? 7 : strlen(STRANGERS[i].answer);
        enum io io;

        print_message("%s\n", STRANGERS[i].why);
        start(&p, (struct tls_client_config){ 0 }, NULL);
        assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, fds), 0);
        stream_adopt(&p.client, fds[0], false);
        assert_int_equal(stream_tls_start(&p.client, p.client_ctx, "a.test", "a.test"), 0);
        assert_int_equal(stream_tls_handshake(&p.client), IO_WANT_READ);
        assert_int_equal(write(fds[1], STRANGERS[i].answer, len), (ssize_t)len);
        shutdown(fds[1], SHUT_WR);
        io = stream_tls_handshake(&p.client);
        assert_int_equal(io, IO_FAILED);
        assert_int_equal(p.client.sys_error, 0);
        assert_string_equal(p.client.tls_error, STRANGERS[i].want);
        close(fds[1]);
        tls_pair_end(&p);
    }
}

static void test_ends(void **state)
{
    struct tls_pair p;
    char out[8];
    size_t moved;

    (void)state;
    for (int clean = 0; clean < 2; clean++) {
        start(&p, (struct tls_client_config){ 0 }, NULL);
        tls_pair_connect(&p, "a.test", "a.test");
        assert_int_equal(p.client_io, IO_OK);
        if (clean != 0) {
            stream_shutdown_write(&p.server);
        }
        stream_close(&p.server);
        assert_int_equal(stream_read(&p.client, out, sizeof(out), &moved), IO_EOF);
        assert_int_equal(p.client.unclean, clean == 0);
        assert_int_equal(stream_read(&p.client, out, sizeof(out), &moved), IO_EOF); /* and for ever */
        tls_pair_end(&p);
    }
}

/* TLS 1.3: the client is done before the server has seen that its certificate is missing. */
static void test_late_alert(void **state)
{
    (void)state;
    for (int first_writes = 0; first_writes < 2; first_writes++) {
        struct tls_pair p;
        char out[8];
        size_t moved;
        enum io io = IO_OK;

        start(&p, (struct tls_client_config){ .min_version = 13 }, NULL);
        SSL_CTX_set_verify(p.server_ctx->ssl_ctx, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, NULL);
        tls_pair_connect(&p, "a.test", "a.test");
        assert_int_equal(p.client_io, IO_OK);
        assert_int_equal(p.server_io, IO_FAILED);
        stream_close(&p.server);
        if (first_writes != 0) {
            io = stream_write(&p.client, "GET /", 5, &moved); /* EPIPE, but the alert came before */
        } else {
            io = stream_read(&p.client, out, sizeof(out), &moved);
        }
        assert_int_equal(io, IO_FAILED);
        assert_int_equal(p.client.sys_error, 0);
        assert_string_equal(p.client.tls_error, "alert certificate_required");
        tls_pair_end(&p);
    }
}

/* The peer resets in the middle: errno, not a TLS error, and no SIGPIPE. */
static void test_gone(void **state)
{
    struct tls_pair p;
    size_t moved;

    (void)state;
    start(&p, (struct tls_client_config){ 0 }, NULL);
    tls_pair_connect(&p, "a.test", "a.test");
    stream_close(&p.server);
    assert_int_equal(stream_write(&p.client, "x", 1, &moved), IO_FAILED);
    assert_int_equal(p.client.sys_error, EPIPE);
    assert_string_equal(p.client.tls_error, "");
    tls_pair_end(&p);
}

static void test_no_renegotiation(void **state)
{
    struct tls_pair p;
    char out[8];
    size_t moved;

    (void)state;
    start(&p, (struct tls_client_config){ .max_version = 12 }, NULL);
    SSL_CTX_clear_options(p.client_ctx->ssl_ctx, SSL_OP_NO_RENEGOTIATION);
    tls_pair_connect(&p, "a.test", "a.test");
    assert_int_equal(p.client_io, IO_OK);
    assert_string_equal(stream_tls_version(&p.client), "TLSv1.2");
    assert_int_equal(SSL_renegotiate((SSL *)(void *)p.client._tls), 1);
    assert_int_equal(stream_tls_handshake(&p.client), IO_WANT_READ);
    assert_int_equal(stream_read(&p.server, out, sizeof(out), &moved), IO_WANT_READ); /* it refuses by a warning */
    assert_int_equal(stream_tls_handshake(&p.client), IO_FAILED);
    tls_pair_end(&p);
}

/* A server of old needs a client that asks for it: then the library's security level must not stand in the way. */
static void test_old_version(void **state)
{
    (void)state;
    for (int asks = 0; asks < 2; asks++) {
        struct tls_pair p;

        start(&p, (struct tls_client_config){ .min_version = asks != 0 ? 10 : 0 }, NULL);
        SSL_CTX_set_security_level(p.server_ctx->ssl_ctx, 0);
        assert_int_equal(SSL_CTX_set_min_proto_version(p.server_ctx->ssl_ctx, TLS1_VERSION), 1);
        assert_int_equal(SSL_CTX_set_max_proto_version(p.server_ctx->ssl_ctx, TLS1_1_VERSION), 1);
        tls_pair_connect(&p, "a.test", "a.test");
        assert_int_equal(p.client_io, asks != 0 ? IO_OK : IO_FAILED);
        assert_int_equal(p.client.tls_error[0] == '\0', asks != 0);
        tls_pair_end(&p);
    }
}

static const struct {
    const char *why;
    struct tls_client_config config;
    const char *want;
} CLIENT_CONFIGS[] = {
    { "no such CA file",
      { .ca_file = "/nonexistent/ca.pem" },
      "cannot use CA file /nonexistent/ca.pem: No such file or directory" },
    { "a CA file that is none", { .ca_file = "/proc/self/exe" }, "cannot use CA file /proc/self/exe: " },
    { "no such certificate",
      { .cert_file = "/nonexistent/c.pem", .key_file = "/nonexistent/k.pem" },
      "cannot use certificate file /nonexistent/c.pem: No such file or directory" },
    { "a certificate without key", { .cert_file = "/nonexistent/c.pem" }, "a certificate needs its private key" },
    { "unknown ciphers", { .ciphers = "NO-SUCH-CIPHER" }, "cannot use TLS ciphers \"NO-SUCH-CIPHER\": " },
    { "unknown 1.3 suite", { .ciphers = "TLS_NO_SUCH_SUITE" }, "cannot use TLS ciphers \"TLS_NO_SUCH_SUITE\": " },
    { "unknown group", { .groups = "P-257" }, "cannot use TLS groups \"P-257\": " },
    { "unknown version", { .min_version = 14 }, "TLS versions 14 to 0 are not a range" },
    { "range upside down", { .min_version = 13, .max_version = 12 }, "TLS versions 13 to 12 are not a range" },
    { "an empty protocol", { .alpn = "h2,,http/1.1" }, "\"h2,,http/1.1\" is not a list of ALPN protocols" },
};

static void test_client_configs(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(CLIENT_CONFIGS) / sizeof(CLIENT_CONFIGS[0]); i++) {
        struct tls_context *ctx;
        struct err err = { 0 };

        print_message("%s\n", CLIENT_CONFIGS[i].why);
        assert_int_equal(tls_client_context(&ctx, &CLIENT_CONFIGS[i].config, &err), -1);
        assert_null(ctx);
        assert_int_equal(err.kind, ERR_CONFIG);
        assert_int_equal(strncmp(err.what, CLIENT_CONFIGS[i].want, strlen(CLIENT_CONFIGS[i].want)), 0);
        assert_int_equal(ERR_peek_error(), 0); /* or the next stream would be blamed for it */
    }
}

static const struct {
    const char *why;
    struct tls_server_config config;
    const char *want;
} SERVER_CONFIGS[] = {
    { "no such certificate",
      { .cert_file = "/nonexistent/c.pem", .key_file = "/nonexistent/k.pem" },
      "cannot use certificate file /nonexistent/c.pem: No such file or directory" },
    { "a key without certificate", { .key_file = "/nonexistent/k.pem" }, "a certificate needs its private key" },
    { "an empty name", { .names = "a.test,,b.test" }, "\"a.test,,b.test\" is not a list of names" },
    { "a name with a space", { .names = "a b" }, "\"a b\" is not a list of names" },
};

static void test_server_configs(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(SERVER_CONFIGS) / sizeof(SERVER_CONFIGS[0]); i++) {
        struct tls_context *ctx;
        struct err err = { 0 };

        print_message("%s\n", SERVER_CONFIGS[i].why);
        assert_int_equal(tls_server_context(&ctx, &SERVER_CONFIGS[i].config, &err), -1);
        assert_null(ctx);
        assert_int_equal(err.kind, ERR_CONFIG);
        assert_int_equal(strncmp(err.what, SERVER_CONFIGS[i].want, strlen(SERVER_CONFIGS[i].want)), 0);
    }
    tls_context_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_alpn_alert),
        cmocka_unit_test(test_sni),
        cmocka_unit_test(test_impossible_name),
        cmocka_unit_test(test_strangers),
        cmocka_unit_test(test_ends),
        cmocka_unit_test(test_late_alert),
        cmocka_unit_test(test_gone),
        cmocka_unit_test(test_no_renegotiation),
        cmocka_unit_test(test_old_version),
        cmocka_unit_test(test_client_configs),
        cmocka_unit_test(test_server_configs),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
