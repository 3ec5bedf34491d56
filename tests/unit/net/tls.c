/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "net/tls.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "tls_pair.h"

#define NAMES "localhost,a.test,127.0.0.1,::1"

static struct tls_pair new_pair(void)
{
    return (struct tls_pair){ .client = STREAM_CLOSED, .server = STREAM_CLOSED };
}

/* Moves all bytes from one end to the other. */
static void transfer(struct stream *from, struct stream *to, const char *bytes, size_t len)
{
    char out[4096];
    size_t sent = 0;
    size_t received = 0;

    for (int i = 0; i < 100000 && received < len; i++) {
        size_t moved;

        if (sent < len && stream_write(from, bytes + sent, len - sent, &moved) == IO_OK) {
            sent += moved;
        }
        while (stream_read(to, out, sizeof(out), &moved) == IO_OK) {
            assert_memory_equal(out, bytes + received, moved);
            received += moved;
        }
    }
    assert_int_equal(received, len);
}

static void test_exchange(void **state)
{
    struct tls_pair p = new_pair();
    static char big[300000];
    char temp_key[64];
    int key_bits;
    int cipher_bits;

    (void)state;
    for (size_t i = 0; i < sizeof(big); i++) {
        big[i] = (char)(i * 31);
    }
    tls_pair_server(&p, &(struct tls_server_config){ .names = NAMES, .alpn = "h2,http/1.1" });
    tls_pair_client(&p, (struct tls_client_config){ .alpn = "http/1.1" });
    tls_pair_connect(&p, "a.test", "a.test");
    assert_int_equal(p.client_io, IO_OK);
    assert_int_equal(p.server_io, IO_OK);
    assert_true(stream_is_tls(&p.client));
    assert_string_equal(stream_tls_version(&p.client), "TLSv1.3");
    assert_string_equal(stream_tls_alpn(&p.client), "http/1.1");
    assert_string_equal(stream_tls_alpn(&p.server), "http/1.1");
    assert_int_equal(strncmp(stream_tls_cipher(&p.client), "TLS_", 4), 0);
    stream_tls_describe(&p.client, temp_key, sizeof(temp_key), &key_bits, &cipher_bits);
    assert_string_equal(temp_key, "X25519 253 bits");
    assert_int_equal(key_bits, 256);
    assert_true(cipher_bits == 128 || cipher_bits == 256);
    transfer(&p.client, &p.server, "hello", 5);
    transfer(&p.server, &p.client, big, sizeof(big));
    transfer(&p.client, &p.server, big, sizeof(big));
    tls_pair_end(&p);
}

static const struct {
    const char *why, *sni, *verify_name;
    bool insecure;
    const char *want; /* NULL: it succeeds */
} VERIFIES[] = {
    { "a name of the certificate", "a.test", "a.test", false, NULL },
    { "another name of it", "localhost", "localhost", false, NULL },
    { "case does not matter", "A.TEST", "A.TEST", false, NULL },
    { "a rooted name", "a.test.", "a.test.", false, NULL },
    { "an IPv4 address of it", NULL, "127.0.0.1", false, NULL },
    { "an IPv6 address of it", "", "::1", false, NULL },
    { "brackets are the URL's", NULL, "[::1]", false, NULL },
    { "only the chain", "b.test", NULL, false, NULL },
    { "a name it has not", "b.test", "b.test", false, "certificate verify failed: hostname mismatch" },
    { "a part of a name", "test", "test", false, "certificate verify failed: hostname mismatch" },
    { "an address it has not", NULL, "127.0.0.2", false, "certificate verify failed: IP address mismatch" },
    { "not verified", "b.test", "b.test", true, NULL },
};

static void test_verify_name(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(VERIFIES) / sizeof(VERIFIES[0]); i++) {
        struct tls_pair p = new_pair();

        print_message("%s\n", VERIFIES[i].why);
        tls_pair_server(&p, &(struct tls_server_config){ .names = NAMES });
        tls_pair_client(&p, (struct tls_client_config){ .insecure = VERIFIES[i].insecure });
        tls_pair_connect(&p, VERIFIES[i].sni, VERIFIES[i].verify_name);
        if (VERIFIES[i].want == NULL) {
            assert_string_equal(p.client.tls_error, "");
            assert_int_equal(p.client_io, IO_OK);
            assert_int_equal(p.server_io, IO_OK);
        } else {
            assert_int_equal(p.client_io, IO_FAILED);
            assert_int_equal(p.client.sys_error, 0);
            assert_int_equal(strncmp(p.client.tls_error, VERIFIES[i].want, strlen(VERIFIES[i].want)), 0);
            assert_non_null(strstr(p.client.tls_error, "(plimsoll self-signed)"));
            assert_int_equal(p.server_io, IO_FAILED);
            assert_string_equal(p.server.tls_error, "alert bad_certificate");
        }
        tls_pair_end(&p);
    }
}

static void test_untrusted(void **state)
{
    struct tls_pair p = new_pair();

    (void)state;
    tls_pair_server(&p, &(struct tls_server_config){ .names = NAMES });
    unlink(p.ca_file);
    p.ca_file[0] = '\0';
    tls_pair_client(&p, (struct tls_client_config){ 0 }); /* the system's store */
    tls_pair_connect(&p, "a.test", "a.test");
    assert_int_equal(p.client_io, IO_FAILED);
    assert_string_equal(p.client.tls_error,
                        "certificate verify failed: self-signed certificate (plimsoll self-signed)");
    assert_int_equal(p.server_io, IO_FAILED);
    assert_string_equal(p.server.tls_error, "alert unknown_ca");
    tls_pair_end(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_exchange),
        cmocka_unit_test(test_verify_name),
        cmocka_unit_test(test_untrusted),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
