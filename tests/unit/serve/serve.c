/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The server within this process: its start, its refusals, its counts, its end. */
#include "serve/serve.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static struct serve *started(struct serve_config *config)
{
    struct serve *s;
    struct err err = { 0 };

    if (serve_start(&s, config, &err) != 0)
        fail_msg("%s", err.what);
    return s;
}

static int connect_to(const struct serve *s)
{
    size_t count;
    const struct addr *a = &serve_addresses(s, &count)->addr;
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    assert_int_equal(connect(fd, &a->sa.any, a->len), 0);
    return fd;
}

static void ask(int fd, const char *request, const char *want)
{
    char reply[4096];
    size_t len = 0;

    assert_int_equal(write(fd, request, strlen(request)), (ssize_t)strlen(request));
    do {
        ssize_t n = read(fd, reply + len, sizeof(reply) - len - 1);
        assert_true(n > 0);
        len += (size_t)n;
        reply[len] = '\0';
    } while (strstr(reply, want) == NULL);
}

static void serves_counts_and_ends(void **state)
{
    struct serve_config config;
    struct serve_counts counts;

    (void)state;
    serve_config_init(&config);
    config.threads = 2;
    assert_true(strlist_add(&config.listen, SLICE("127.0.0.1:0")));
    struct serve *s = started(&config);
    serve_config_release(&config);
    assert_int_equal(serve_threads(s), 2);
    int fd = connect_to(s);
    ask(fd, "GET /bytes/5 HTTP/1.1\r\nHost: a\r\n\r\n", "\r\n\r\n01234");
    ask(fd, "nonsense\r\n", "400 Bad Request");
    close(fd);
    serve_stop(s);
    assert_int_equal(serve_wait(s), 0);
    serve_count(s, &counts);
    assert_int_equal(counts.connections, 1);
    assert_int_equal(counts.open, 0);
    assert_int_equal(counts.requests, 1);
    assert_int_equal(counts.replies, 2);
    assert_true(counts.bytes_received == strlen("GET /bytes/5 HTTP/1.1\r\nHost: a\r\n\r\nnonsense\r\n"));
    assert_true(counts.bytes_sent > 200);
    serve_free(s);
}

static void is_dropped_when_freed(void **state)
{
    struct serve_config config;

    (void)state;
    serve_config_init(&config);
    config.threads = 1;
    assert_true(strlist_add(&config.listen, SLICE("127.0.0.1:0")));
    struct serve *s = started(&config);
    int fd = connect_to(s);
    const char *request = "GET /delay/60000 HTTP/1.1\r\nHost: a\r\n\r\n";
    assert_int_equal(write(fd, request, strlen(request)), (ssize_t)strlen(request));
    usleep(20000); /* in flight or not, both must end */
    serve_free(s);
    char byte;
    assert_true(read(fd, &byte, 1) <= 0);
    close(fd);
    serve_config_release(&config);
    serve_free(NULL);
}

static const struct refusal {
    const char *why, *listen, *tls_listen, *cert, *key, *says;
    enum err_kind kind;
} REFUSALS[] = {
    { "not loopback without being told", "0.0.0.0:0", NULL, NULL, NULL, "loopback", ERR_CONFIG },
    { "nor over TLS", NULL, "[::]:0", NULL, NULL, "loopback", ERR_CONFIG },
    { "a name", "nowhere.test:80", NULL, NULL, NULL, "nowhere.test", ERR_NONE },
    { "a certificate without key", "127.0.0.1:0", NULL, "/etc/hostname", NULL, "key", ERR_CONFIG },
    { "a certificate that is none", NULL, "127.0.0.1:0", "/etc/hostname", "/etc/hostname", "/etc/hostname",
      ERR_CONFIG },
    { "a certificate that is not there", NULL, "127.0.0.1:0", "/nowhere.pem", "/nowhere.key", "/nowhere", ERR_CONFIG },
};

static void refuses(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(REFUSALS) / sizeof(REFUSALS[0]); i++) {
        const struct refusal *r = &REFUSALS[i];
        struct serve_config config;
        struct serve *s;
        struct err err = { 0 };
        serve_config_init(&config);
        config.threads = 1;
        if (r->listen != NULL)
            assert_true(strlist_add(&config.listen, slice_str(r->listen)));
        if (r->tls_listen != NULL)
            assert_true(strlist_add(&config.tls_listen, slice_str(r->tls_listen)));
        config.cert_file = r->cert;
        config.key_file = r->key;
        if (serve_start(&s, &config, &err) == 0)
            fail_msg("%s: it started", r->why);
        if (strstr(err.what, r->says) == NULL || (r->kind != ERR_NONE && err.kind != r->kind))
            fail_msg("%s: kind %d, %s", r->why, err.kind, err.what);
        assert_null(s);
        serve_config_release(&config);
    }
}

static void the_same_port_twice_is_shared_but_a_foreign_one_is_refused(void **state)
{
    struct serve_config config;
    struct serve *s;
    struct err err = { 0 };
    struct sockaddr_in a = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    socklen_t len = sizeof(a);
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    char text[64];

    (void)state;
    assert_int_equal(bind(fd, (struct sockaddr *)&a, len), 0);
    assert_int_equal(listen(fd, 1), 0);
    assert_int_equal(getsockname(fd, (struct sockaddr *)&a, &len), 0);
    snprintf(text, sizeof(text), "127.0.0.1:%u", ntohs(a.sin_port));
    serve_config_init(&config);
    assert_true(strlist_add(&config.listen, slice_str(text)));
    assert_int_equal(serve_start(&s, &config, &err), -1);
    assert_int_equal(err.kind, ERR_SYSTEM);
    assert_non_null(strstr(err.what, text));
    serve_config_release(&config);
    close(fd);
}

static void makes_a_certificate(void **state)
{
    struct serve_config config;

    (void)state;
    serve_config_init(&config);
    config.threads = 2;
    assert_true(strlist_add(&config.tls_listen, SLICE("127.0.0.1:0")));
    struct serve *s = started(&config);
    size_t count;
    assert_non_null(serve_certificate_pem(s));
    assert_non_null(strstr(serve_certificate_pem(s), "BEGIN CERTIFICATE"));
    assert_non_null(strstr(serve_addresses(s, &count)->url, "https://127.0.0.1:"));
    assert_int_equal(count, 1);
    serve_free(s);
    serve_config_release(&config);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(serves_counts_and_ends),
        cmocka_unit_test(is_dropped_when_freed),
        cmocka_unit_test(refuses),
        cmocka_unit_test(the_same_port_twice_is_shared_but_a_foreign_one_is_refused),
        cmocka_unit_test(makes_a_certificate),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
