/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "net/tls.h"

#include <malloc.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tls_pair.h"

static void test_exchange(void **state)
{
    struct tls_pair p = tls_pair_new();
    static char big[300000];
    char temp_key[64];
    int key_bits;
    int cipher_bits;

    (void)state;
    for (size_t i = 0; i < sizeof(big); i++) {
        big[i] = (char)(i * 31);
    }
    tls_pair_server(&p, &(struct tls_server_config){ .names = TLS_PAIR_NAMES, .alpn = "h2,http/1.1" });
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
    tls_pair_transfer(&p.client, &p.server, "hello", 5);
    tls_pair_transfer(&p.server, &p.client, big, sizeof(big));
    tls_pair_transfer(&p.client, &p.server, big, sizeof(big));
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
        struct tls_pair p = tls_pair_new();

        print_message("%s\n", VERIFIES[i].why);
        tls_pair_server(&p, &(struct tls_server_config){ .names = TLS_PAIR_NAMES });
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
    struct tls_pair p = tls_pair_new();

    (void)state;
    tls_pair_server(&p, &(struct tls_server_config){ .names = TLS_PAIR_NAMES });
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

static const struct {
    const char *why;
    int version;
    bool cache;
    const char *second_sni;
    bool want;
} RESUMPTIONS[] = {
    { "TLS 1.3", 13, true, "a.test", true },
    { "TLS 1.2", 12, true, "a.test", true },
    { "TLS 1.3, not asked for", 13, false, "a.test", false },
    { "TLS 1.2, not asked for", 12, false, "a.test", false },
    { "a session belongs to one name", 13, true, "localhost", false },
};

static void test_resumption(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(RESUMPTIONS) / sizeof(RESUMPTIONS[0]); i++) {
        struct tls_pair p = tls_pair_new();

        print_message("%s\n", RESUMPTIONS[i].why);
        tls_pair_server(&p, &(struct tls_server_config){ .names = TLS_PAIR_NAMES });
        tls_pair_client(&p, (struct tls_client_config){ .min_version = RESUMPTIONS[i].version,
                                                        .max_version = RESUMPTIONS[i].version,
                                                        .session_cache = RESUMPTIONS[i].cache });
        for (int round = 0; round < 3; round++) {
            const char *sni = round == 0 ? "a.test" : RESUMPTIONS[i].second_sni;

            tls_pair_connect(&p, sni, "a.test");
            assert_int_equal(p.client_io, IO_OK);
            assert_int_equal(stream_tls_resumed(&p.client),
                             round == 1 ? RESUMPTIONS[i].want : round == 2 && RESUMPTIONS[i].cache);
            assert_int_equal(stream_tls_resumed(&p.server), stream_tls_resumed(&p.client));
            /* TLS 1.3 sends its tickets with the first bytes of the server. */
            tls_pair_transfer(&p.server, &p.client, "x", 1);
            tls_pair_close(&p);
        }
        tls_pair_end(&p);
    }
}

static const struct {
    const char *why;
    struct tls_client_config config;
    const char *version, *cipher;
} CHOICES[] = {
    { "at most 1.2", { .max_version = 12 }, "TLSv1.2", NULL },
    { "at least 1.3", { .min_version = 13 }, "TLSv1.3", NULL },
    { "a suite of 1.3", { .ciphers = "TLS_CHACHA20_POLY1305_SHA256" }, "TLSv1.3", "TLS_CHACHA20_POLY1305_SHA256" },
    { "a cipher of 1.2",
      { .ciphers = "ECDHE-ECDSA-AES128-GCM-SHA256", .max_version = 12 },
      "TLSv1.2",
      "ECDHE-ECDSA-AES128-GCM-SHA256" },
    { "both kinds in one list",
      { .ciphers = "TLS_AES_128_GCM_SHA256:ECDHE-ECDSA-AES256-GCM-SHA384" },
      "TLSv1.3",
      "TLS_AES_128_GCM_SHA256" },
    { "a group", { .groups = "P-256" }, "TLSv1.3", NULL },
};

static void test_choices(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(CHOICES) / sizeof(CHOICES[0]); i++) {
        struct tls_pair p = tls_pair_new();
        char temp_key[64];
        int bits;

        print_message("%s\n", CHOICES[i].why);
        tls_pair_server(&p, &(struct tls_server_config){ .names = TLS_PAIR_NAMES });
        tls_pair_client(&p, CHOICES[i].config);
        tls_pair_connect(&p, "a.test", "a.test");
        assert_int_equal(p.client_io, IO_OK);
        assert_string_equal(stream_tls_version(&p.client), CHOICES[i].version);
        assert_true(CHOICES[i].cipher == NULL || strcmp(stream_tls_cipher(&p.client), CHOICES[i].cipher) == 0);
        stream_tls_describe(&p.client, temp_key, sizeof(temp_key), &bits, &bits);
        assert_string_equal(temp_key,
                            CHOICES[i].config.groups != NULL ? "ECDH prime256v1 256 bits" : "X25519 253 bits");
        tls_pair_end(&p);
    }
}

/* Read-ahead may leave whole records inside: has_pending tells, and discarding stops at the right byte. */
static void test_pending_and_discard(void **state)
{
    struct tls_pair p = tls_pair_new();
    char out[8];
    char scratch[3];
    size_t moved;
    uint64_t left = 7;

    (void)state;
    tls_pair_server(&p, &(struct tls_server_config){ .names = TLS_PAIR_NAMES });
    tls_pair_client(&p, (struct tls_client_config){ 0 });
    tls_pair_connect(&p, "a.test", "a.test");
    assert_int_equal(stream_discard(&p.client, 5, scratch, sizeof(scratch), &moved), IO_WANT_READ);
    assert_false(stream_has_pending(&p.client));
    assert_int_equal(stream_write(&p.server, "head", 4, &moved), IO_OK);
    assert_int_equal(stream_write(&p.server, "body", 4, &moved), IO_OK);
    assert_int_equal(stream_write(&p.server, "bodHTTP", 7, &moved), IO_OK);
    assert_int_equal(stream_read(&p.client, out, sizeof(out), &moved), IO_OK);
    assert_int_equal(moved, 4);
    assert_true(stream_has_pending(&p.client));
    while (left > 0) {
        assert_int_equal(stream_discard(&p.client, left, scratch, sizeof(scratch), &moved), IO_OK);
        assert_true(moved > 0 && moved <= left);
        left -= moved;
    }
    assert_true(stream_has_pending(&p.client));
    assert_int_equal(stream_read(&p.client, out, sizeof(out), &moved), IO_OK);
    assert_int_equal(moved, 4);
    assert_memory_equal(out, "HTTP", 4);
    assert_false(stream_has_pending(&p.client));
    tls_pair_end(&p);
}

/* Half a record lies inside: to read again before more comes would never end. */
static void test_half_a_record(void **state)
{
    struct tls_pair p = tls_pair_new();
    char record[256];
    char out[64];
    size_t moved;
    ssize_t len;
    int fd;

    (void)state;
    tls_pair_server(&p, &(struct tls_server_config){ .names = TLS_PAIR_NAMES });
    tls_pair_client(&p, (struct tls_client_config){ 0 });
    tls_pair_connect(&p, "a.test", "a.test");
    assert_int_equal(stream_read(&p.client, out, sizeof(out), &moved), IO_WANT_READ); /* the tickets */
    assert_int_equal(stream_write(&p.server, "hello", 5, &moved), IO_OK);
    fd = p.client.fd;
    len = recv(fd, record, sizeof(record), 0);
    assert_true(len > 10);
    for (ssize_t i = 0; i < len - 1; i++) {
        assert_int_equal(send(p.server.fd, record + i, 1, 0), 1);
        assert_int_equal(stream_read(&p.client, out, sizeof(out), &moved), IO_WANT_READ);
        assert_false(stream_has_pending(&p.client));
    }
    assert_int_equal(send(p.server.fd, record + len - 1, 1, 0), 1);
    assert_int_equal(stream_read(&p.client, out, sizeof(out), &moved), IO_OK);
    assert_int_equal(moved, 5);
    tls_pair_end(&p);
}

static void test_send_file(void **state)
{
    char path[] = "/tmp/plimsoll-file-XXXXXX";
    struct tls_pair p = tls_pair_new();
    char scratch[4];
    char out[8];
    size_t moved;
    int file = mkstemp(path);

    (void)state;
    unlink(path);
    assert_int_equal(write(file, "0123456789", 10), 10);
    tls_pair_server(&p, &(struct tls_server_config){ .names = TLS_PAIR_NAMES });
    tls_pair_client(&p, (struct tls_client_config){ 0 });
    tls_pair_connect(&p, "a.test", "a.test");
    assert_int_equal(stream_send_file(&p.server, file, 3, 7, scratch, sizeof(scratch), &moved), IO_OK);
    assert_int_equal(moved, 4); /* no more than scratch holds */
    assert_int_equal(stream_read(&p.client, out, sizeof(out), &moved), IO_OK);
    assert_int_equal(moved, 4);
    assert_memory_equal(out, "3456", 4);
    assert_int_equal(stream_send_file(&p.server, file, 10, 1, scratch, sizeof(scratch), &moved), IO_EOF);
    close(file);
    tls_pair_end(&p);
}

/* Nothing stays behind for each handshake, whole or broken off. */
static void test_memory(void **state)
{
    struct tls_pair p = tls_pair_new();
    size_t before = 0;

    (void)state;
    tls_pair_server(&p, &(struct tls_server_config){ .names = TLS_PAIR_NAMES });
    tls_pair_client(&p, (struct tls_client_config){ .session_cache = true });
    for (int i = 0; i < 60; i++) {
        if (i == 20) {
            before = mallinfo2().uordblks;
        }
        tls_pair_connect(&p, "a.test", i % 3 == 0 ? "b.test" : "a.test");
        assert_int_equal(p.client_io, i % 3 == 0 && !stream_tls_resumed(&p.client) ? IO_FAILED : IO_OK);
        if (p.client_io == IO_OK) {
            tls_pair_transfer(&p.server, &p.client, "x", 1);
        }
        tls_pair_close(&p);
    }
    assert_true(mallinfo2().uordblks < before + 8192); /* less than 200 bytes each */
    tls_pair_end(&p);
}

/* Connections to two peers take turns: each finds its own session again. */
static void test_sessions_of_two(void **state)
{
    static const char *const NAMES[] = { "a.test", "localhost" };
    struct tls_pair p = tls_pair_new();

    (void)state;
    tls_pair_server(&p, &(struct tls_server_config){ .names = TLS_PAIR_NAMES });
    tls_pair_client(&p, (struct tls_client_config){ .session_cache = true });
    for (int round = 0; round < 6; round++) {
        tls_pair_connect(&p, NAMES[round % 2], NAMES[round % 2]);
        assert_int_equal(p.client_io, IO_OK);
        assert_int_equal(stream_tls_resumed(&p.client), round >= 2);
        tls_pair_transfer(&p.server, &p.client, "x", 1);
        tls_pair_close(&p);
    }
    tls_pair_end(&p);
}

/* Connections that end before their own ticket came: the session that is there serves them all. */
static void test_session_of_many(void **state)
{
    (void)state;
    for (int version = 12; version <= 13; version++) {
        struct tls_pair p = tls_pair_new();

        tls_pair_server(&p, &(struct tls_server_config){ .names = TLS_PAIR_NAMES });
        tls_pair_client(&p, (struct tls_client_config){ .max_version = version, .session_cache = true });
        for (int round = 0; round < 5; round++) {
            tls_pair_connect(&p, "a.test", "a.test");
            assert_int_equal(p.client_io, IO_OK);
            assert_int_equal(stream_tls_resumed(&p.client), round > 0);
            if (round == 0)
                tls_pair_transfer(&p.server, &p.client, "x", 1);
            tls_pair_close(&p);
        }
        tls_pair_end(&p);
    }
}

/* Two ports of one host: the same names, but the session of one says nothing to the other. */
static void test_sessions_of_two_ports(void **state)
{
    struct tls_pair p = tls_pair_new();

    (void)state;
    tls_pair_server(&p, &(struct tls_server_config){ .names = TLS_PAIR_NAMES });
    tls_pair_client(&p, (struct tls_client_config){ .session_cache = true, .session_peers = 2 });
    for (uint32_t round = 0; round < 6; round++) {
        p.client.tls_peer = 1 + round % 2;
        tls_pair_connect(&p, "a.test", "a.test");
        assert_int_equal(p.client_io, IO_OK);
        assert_int_equal(stream_tls_resumed(&p.client), round >= 2);
        tls_pair_transfer(&p.server, &p.client, "x", 1);
        tls_pair_close(&p);
    }
    tls_pair_end(&p);
}

static void *connect_often(void *arg)
{
    int *resumed = arg;
    struct tls_pair p = tls_pair_new();

    tls_pair_server(&p, &(struct tls_server_config){ .names = TLS_PAIR_NAMES });
    tls_pair_client(&p, (struct tls_client_config){ .session_cache = true });
    for (int i = 0; i < 20; i++) {
        tls_pair_connect(&p, "a.test", "a.test");
        if (p.client_io == IO_OK && p.server_io == IO_OK) {
            tls_pair_transfer(&p.server, &p.client, "x", 1);
            *resumed += stream_tls_resumed(&p.client);
        }
        tls_pair_close(&p);
    }
    tls_pair_end(&p);
    return NULL;
}

/* A context for each thread; what they share is inside the library. */
static void test_threads(void **state)
{
    pthread_t threads[4];
    int resumed[4] = { 0 };

    (void)state;
    for (int i = 0; i < 4; i++) {
        assert_int_equal(pthread_create(&threads[i], NULL, connect_often, &resumed[i]), 0);
    }
    for (int i = 0; i < 4; i++) {
        pthread_join(threads[i], NULL);
        assert_int_equal(resumed[i], 19);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_threads),
        cmocka_unit_test(test_exchange),
        cmocka_unit_test(test_verify_name),
        cmocka_unit_test(test_untrusted),
        cmocka_unit_test(test_resumption),
        cmocka_unit_test(test_sessions_of_two),
        cmocka_unit_test(test_sessions_of_two_ports),
        cmocka_unit_test(test_session_of_many),
        cmocka_unit_test(test_choices),
        cmocka_unit_test(test_pending_and_discard),
        cmocka_unit_test(test_half_a_record),
        cmocka_unit_test(test_send_file),
        cmocka_unit_test(test_memory),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
