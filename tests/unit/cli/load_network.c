/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Options of TLS, proxies and ends of connections: as values, and as the plan has them. */

#include <string.h>

#include "cli/load_config.h"
#include "made.h"

#define URL "https://127.0.0.1:3000/"

static void test_defaults(void **state)
{
    struct made m;

    make(&m, URL);
    assert_int_equal(m.status, 0);
    assert_int_equal(m.in.plan.tls.min_version + m.in.plan.tls.max_version, 0);
    assert_null(m.in.plan.tls.ciphers);
    assert_null(m.in.plan.tls.groups);
    assert_null(m.in.plan.tls.alpn);
    assert_null(m.in.plan.tls.cert_file);
    assert_null(m.in.plan.tls.key_file);
    assert_true(m.in.plan.tls_resume <= 0);
    assert_int_equal(m.in.plan.close, LOAD_CLOSE_SERVER);
    assert_null(m.in.plan.proxy);
    assert_null(m.in.plan.connect_to);
    release(&m);
}

static void test_plan(void **state)
{
    struct made m;

    make(&m, "--tls-min|1.0|--tls-max|1.3|--ciphers|A:B|--groups|X25519|--alpn|http/1.1|--cert|c|--key|k|--close|reset"
             "|--requests-per-connection|5|--proxy|http://h:1|" URL);
    assert_int_equal(m.status, 0);
    assert_int_equal(m.in.plan.tls.min_version, 10);
    assert_int_equal(m.in.plan.tls.max_version, 13);
    assert_string_equal(m.in.plan.tls.ciphers, "A:B");
    assert_string_equal(m.in.plan.tls.groups, "X25519");
    assert_string_equal(m.in.plan.tls.alpn, "http/1.1");
    assert_string_equal(m.in.plan.tls.cert_file, "c");
    assert_string_equal(m.in.plan.tls.key_file, "k");
    assert_int_equal(m.in.plan.close, LOAD_CLOSE_RESET);
    assert_string_equal(m.in.plan.proxy, "http://h:1");
    release(&m);
    make(&m, "--cert|both.pem|--connect-to|[::1]:8443|" URL);
    assert_int_equal(m.status, 0);
    assert_string_equal(m.in.plan.tls.key_file, "both.pem");
    assert_string_equal(m.in.plan.connect_to, "[::1]:8443");
    release(&m);
}

static void test_resume(void **state)
{
    static const struct {
        const char *text;
        double share;
    } CASES[] = { { "off", 0 }, { "on", 1 }, { "50%", 0.5 }, { "0.25", 0.25 }, { "0", 0 }, { "100%", 1 } };

    for (size_t i = 0; i < sizeof(CASES) / sizeof(CASES[0]); i++) {
        char line[128];
        struct made m;

        snprintf(line, sizeof(line), "--tls-resume|%s|" URL, CASES[i].text);
        make(&m, line);
        if (m.status != 0 || m.in.plan.tls_resume < CASES[i].share - 1e-9 ||
            m.in.plan.tls_resume > CASES[i].share + 1e-9)
            fail_msg("%s: %s %g", CASES[i].text, m.err.what, m.in.plan.tls_resume);
        release(&m);
    }
}

/* Refused with exit 2, saying the value (never a password) and how to mend it. */
static void test_bad_values(void **state)
{
    static const struct {
        const char *why, *line, *what, *hint;
    } CASES[] = {
        { "a version that is none", "--tls-min|1.4|", "\"1.4\"", "1.3" },
        { "a version with its name", "--tls-max|TLSv1.3|", "\"TLSv1.3\"", "1.2" },
        { "half a version", "--tls-max|1|", "\"1\"", "1.2" },
        { "neither on nor off", "--tls-resume|yes|", "\"yes\"", "50%" },
        { "more than all", "--tls-resume|101%|", "\"101%\"", "50%" },
        { "less than none", "--tls-resume|-1|", "\"-1\"", "50%" },
        { "not a number", "--tls-resume|nan|", "\"nan\"", "50%" },
        { "an empty protocol", "--alpn|http/1.1,,http/1.0|", "http/1.1,,http/1.0", "commas" },
        { "no protocol", "--alpn||", "--alpn", "commas" },
        { "no ciphers", "--ciphers||", "--ciphers", "" },
        { "another end", "--close|both|", "\"both\"", "client, server or reset" },
        { "no port to connect to", "--connect-to|host|", "\"host\"", "[::1]:8080" },
        { "a URL to connect to", "--connect-to|http://h:80|", "http://h:80", "[::1]:8080" },
        { "a port above all", "--connect-to|h:65536|", "h:65536", "[::1]:8080" },
        { "no host", "--connect-to|:80|", "\":80\"", "[::1]:8080" },
        { "IPv6 without brackets", "--connect-to|::1:80|", "\"::1:80\"", "[::1]:8080" },
        { "a proxy in TLS", "--proxy|https://joe:hush@h:3128|", "https", "http://HOST:PORT" },
        { "a proxy of another kind", "--proxy|socks5://joe:hush@h:1080|", "socks5", "http://HOST:PORT" },
        { "a proxy without scheme", "--proxy|joe:hush@h:3128|", "no scheme", "http://HOST:PORT" },
        { "a proxy with a path", "--proxy|http://joe:hush@h:3128/x|", "a path", "http://HOST:PORT" },
        { "a proxy with a broken escape", "--proxy|http://joe:hush%zz@h:3128|", "escape", "" },
    };

    for (size_t i = 0; i < sizeof(CASES) / sizeof(CASES[0]); i++) {
        char line[256];
        struct made m;

        snprintf(line, sizeof(line), "%s" URL, CASES[i].line);
        make(&m, line);
        if (m.status != -1 || err_exit_code(m.err.kind) != 2 || strstr(m.err.what, CASES[i].what) == NULL ||
            strstr(m.err.hint, CASES[i].hint) == NULL || m.err.hint[0] == '\0' || strstr(m.err.what, "hush") != NULL ||
            strstr(m.err.hint, "hush") != NULL)
            fail_msg("%s: %d %s / %s", CASES[i].why, m.status, m.err.what, m.err.hint);
        release(&m);
    }
}

static const char *config_of(const struct result *r, const char *name)
{
    for (size_t i = 0; i < r->config_count; i++)
        if (strcmp(r->config[i].name, name) == 0)
            return r->config[i].json;
    return "absent";
}

static void test_config(void **state)
{
    struct result *r = NULL;
    struct err err = { 0 };
    struct made m;

    make(&m, "--tls-min|1.2|--ciphers|A|--cert|c|--tls-resume|25%|--close|client|--requests-per-connection|1"
             "|--proxy|http://joe:hush@h:3128|" URL);
    assert_int_equal(m.status, 0);
    assert_int_equal(result_new(&r, &err), 0);
    assert_true(load_config_add(r, &m.options, &m.in.plan));
    assert_string_equal(config_of(r, "tls_min"), "\"1.2\"");
    assert_string_equal(config_of(r, "tls_max"), "null");
    assert_string_equal(config_of(r, "ciphers"), "\"A\"");
    assert_string_equal(config_of(r, "groups"), "null");
    assert_string_equal(config_of(r, "cert"), "\"c\"");
    assert_string_equal(config_of(r, "tls_resume"), "0.25");
    assert_string_equal(config_of(r, "close"), "\"client\"");
    assert_string_equal(config_of(r, "connect_to"), "null");
    assert_null(strstr(config_of(r, "proxy"), "hush"));
    assert_non_null(strstr(config_of(r, "proxy"), "@h:3128"));
    result_free(r);
    release(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_defaults),   cmocka_unit_test(test_plan),   cmocka_unit_test(test_resume),
        cmocka_unit_test(test_bad_values), cmocka_unit_test(test_config),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
