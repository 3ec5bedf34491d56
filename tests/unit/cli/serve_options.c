/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/serve_options.h"

#include <string.h>

#include "argv.h"
#include "base/units.h"

struct parsed {
    struct serve_options options;
    struct strlist argv;
    struct err err;
    bool help;
    int status;
};

static struct parsed parse(const char *line, const char *port)
{
    struct parsed p = { .argv = argv_of(line) };

    serve_options_init(&p.options);
    p.status = serve_options_parse(&p.options, (int)p.argv.count, p.argv.items, port, &p.help, &p.err);
    return p;
}

static void release(struct parsed *p)
{
    serve_options_release(&p->options);
    strlist_release(&p->argv);
}

static void test_port_of_the_environment(void **state)
{
    static const struct {
        const char *why, *line, *port;
        size_t listeners;
        const char *first;
    } CASES[] = {
        { "neither: the default is the server's", "", NULL, 0, NULL },
        { "it changes the default's port", "", "8080", 1, "127.0.0.1:8080" },
        { "empty counts as unset", "", "", 0, NULL },
        { "options win", "--listen|9000", "8080", 1, "9000" },
        { "TLS alone stays alone", "--tls-listen|9443", "8080", 0, NULL },
        { "a bad one is not looked at when options win", "--listen|9000", "nonsense", 1, "9000" },
    };

    for (size_t i = 0; i < sizeof(CASES) / sizeof(CASES[0]); i++) {
        struct parsed p = parse(CASES[i].line, CASES[i].port);

        if (p.status != 0 || p.options.listen.count != CASES[i].listeners ||
            (CASES[i].first != NULL && strcmp(p.options.listen.items[0], CASES[i].first) != 0))
            fail_msg("%s: %s", CASES[i].why, p.err.what);
        release(&p);
    }
}

static void test_the_configuration_gets_it_all(void **state)
{
    struct parsed p = parse(
        "--listen|0|--listen|[::1]:0|--threads|3|--max-head|16KiB|--max-body|10MB|--grace|2s|--idle-timeout|0s"
        "|--public|--max-connections|1k",
        NULL);
    struct serve_config config;

    if (p.status != 0)
        fail_msg("%s", p.err.what);
    serve_options_config(&p.options, &config);
    assert_int_equal(config.listen.count, 2);
    assert_int_equal(config.threads, 3);
    assert_int_equal(config.head_max_bytes, 16384);
    assert_int_equal(config.body_max_bytes, 10000000);
    assert_int_equal(config.grace_ns, 2 * (uint64_t)NS_PER_S);
    assert_int_equal(config.idle_timeout_ns, 0);
    assert_int_equal(config.max_connections, 1000);
    assert_true(config.allow_public);
    assert_int_equal(config.head_timeout_ns, 10 * (uint64_t)NS_PER_S); /* the server's own default */
    serve_config_release(&config);
    release(&p);
}

static void test_bad_input(void **state)
{
    static const struct {
        const char *why, *line, *port, *what, *hint;
    } CASES[] = {
        { "an address that is none", "--listen|nonsense:x:y", NULL, "nonsense:x:y", "" },
        { "a port above all", "--listen|70000", NULL, "70000", "" },
        { "a stray word", "8080", NULL, "\"8080\"", "--help" },
        { "no threads", "--threads|0", NULL, "\"0\"", "1" },
        { "a size without unit", "--max-head|4096", NULL, "\"4096\"", "B" },
        { "a head too small for a request", "--max-head|1B", NULL, "\"1B\"", "256" },
        { "a time without unit", "--grace|5", NULL, "\"5\"", "5s" },
        { "half a pair", "--cert|c.pem|--tls-listen|0", NULL, "--cert", "both" },
        { "the other half", "--key|k.pem|--tls-listen|0", NULL, "--key", "both" },
        { "a certificate without TLS", "--cert|c.pem|--key|k.pem", NULL, "--tls-listen", "--tls-listen" },
        { "PORT that is none", "", "nonsense", "\"nonsense\"", "--listen" },
        { "PORT above all", "", "70000", "\"70000\"", "65535" },
    };

    for (size_t i = 0; i < sizeof(CASES) / sizeof(CASES[0]); i++) {
        struct parsed p = parse(CASES[i].line, CASES[i].port);

        if (p.status != -1 || err_exit_code(p.err.kind) != 2 || strstr(p.err.what, CASES[i].what) == NULL ||
            strstr(p.err.hint, CASES[i].hint) == NULL || p.err.hint[0] == '\0')
            fail_msg("%s: %d %s / %s", CASES[i].why, p.status, p.err.what, p.err.hint);
        release(&p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_port_of_the_environment),
        cmocka_unit_test(test_the_configuration_gets_it_all),
        cmocka_unit_test(test_bad_input),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
