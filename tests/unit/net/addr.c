/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "net/addr.h"

#include <arpa/inet.h>
#include <string.h>

static struct slice text(const char *s)
{
    return slice_str(s);
}

static const struct {
    const char *why, *literal;
    const char *want; /* NULL: refused */
} LITERALS[] = {
    { "IPv4", "127.0.0.1", "127.0.0.1:80" },
    { "IPv6", "::1", "[::1]:80" },
    { "IPv6 as a URL has it", "[2001:db8::2]", "[2001:db8::2]:80" },
    { "IPv4 inside IPv6", "::ffff:127.0.0.1", "[::ffff:127.0.0.1]:80" },
    { "a name is not a literal", "localhost", NULL },
    { "IPv4 has no brackets", "[127.0.0.1]", NULL },
    { "three numbers", "127.0.1", NULL },
    { "octal is not guessed", "0177.0.0.1", NULL },
    { "a number too large", "127.0.0.256", NULL },
    { "empty", "", NULL },
    { "empty brackets", "[]", NULL },
    { "half a bracket", "[::1", NULL },
    { "a port does not belong", "127.0.0.1:80", NULL },
    { "longer than any literal", "1111:1111:1111:1111:1111:1111:1111:1111:1111:1111:1111:1111:1111:1111:1111:1111",
      NULL },
};

static void test_parse(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(LITERALS) / sizeof(LITERALS[0]); i++) {
        struct addr a;
        struct err err = { 0 };
        char out[ADDR_TEXT_MAX];
        int rc = addr_parse(&a, text(LITERALS[i].literal), 80, &err);

        print_message("%s\n", LITERALS[i].why);
        assert_int_equal(rc, LITERALS[i].want != NULL ? 0 : -1);
        if (LITERALS[i].want != NULL) {
            assert_string_equal(addr_format(out, &a), LITERALS[i].want);
        } else {
            assert_int_equal(err.kind, ERR_CONFIG);
            assert_non_null(strstr(err.what, LITERALS[i].literal));
        }
    }
}

static const struct {
    const char *why, *text;
    const char *want;
} LISTENS[] = {
    { "address and port", "127.0.0.1:8080", "127.0.0.1:8080" },
    { "port alone is loopback", "8080", "127.0.0.1:8080" },
    { "colon and port", ":8080", "127.0.0.1:8080" },
    { "any port", "0", "127.0.0.1:0" },
    { "localhost", "localhost:65535", "127.0.0.1:65535" },
    { "all addresses", "0.0.0.0:1", "0.0.0.0:1" },
    { "star is all addresses", "*:1", "0.0.0.0:1" },
    { "IPv6", "[::1]:8080", "[::1]:8080" },
    { "all addresses of IPv6", "[::]:8080", "[::]:8080" },
    { "port too large", "127.0.0.1:65536", NULL },
    { "negative", ":-1", NULL },
    { "no port", "127.0.0.1", NULL },
    { "no port behind the colon", "127.0.0.1:", NULL },
    { "IPv6 without brackets is ambiguous", "::1:8080", NULL },
    { "IPv6 without port", "[::1]", NULL },
    { "other names are not looked up", "example.test:80", NULL },
    { "empty", "", NULL },
    { "a space", " 80", NULL },
};

static void test_parse_listen(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(LISTENS) / sizeof(LISTENS[0]); i++) {
        struct addr a;
        struct err err = { 0 };
        char out[ADDR_TEXT_MAX];

        print_message("%s\n", LISTENS[i].why);
        assert_int_equal(addr_parse_listen(&a, text(LISTENS[i].text), &err), LISTENS[i].want != NULL ? 0 : -1);
        if (LISTENS[i].want != NULL) {
            assert_string_equal(addr_format(out, &a), LISTENS[i].want);
        } else {
            assert_non_null(strstr(err.what, LISTENS[i].text));
            assert_true(err.hint[0] != '\0');
        }
    }
}

static void test_unix(void **state)
{
    struct addr a;
    struct addr b;
    char out[ADDR_TEXT_MAX];
    char path[109];

    (void)state;
    memset(path, 'x', sizeof(path));
    assert_int_equal(addr_unix(&a, text("/run/a.sock"), NULL), 0);
    assert_string_equal(addr_format(out, &a), "unix:/run/a.sock");
    assert_int_equal(addr_unix(&b, slice_from(path, 107), NULL), 0); /* the longest that ends with NUL */
    assert_false(addr_equal(&a, &b));
    assert_true(addr_equal(&a, &a));
    assert_int_equal(strlen(addr_format(out, &b)), 112);
    assert_int_equal(addr_unix(&b, slice_from(path, 108), NULL), -1);
    assert_int_equal(addr_unix(&b, text(""), NULL), -1);
    assert_int_equal(addr_unix(&b, slice_from("a\0b", 3), NULL), -1);
}

static void test_equal(void **state)
{
    struct addr a;
    struct addr b;

    (void)state;
    assert_int_equal(addr_parse(&a, text("::1"), 80, NULL), 0);
    assert_int_equal(addr_parse(&b, text("0:0:0:0:0:0:0:1"), 80, NULL), 0);
    assert_true(addr_equal(&a, &b));
    assert_int_equal(addr_parse(&b, text("::1"), 81, NULL), 0);
    assert_false(addr_equal(&a, &b));
    assert_int_equal(addr_parse(&b, text("127.0.0.1"), 80, NULL), 0);
    assert_false(addr_equal(&a, &b));
}

static void test_resolve(void **state)
{
    struct addr_list list;
    struct err err = { 0 };

    (void)state;
    assert_int_equal(addr_resolve(&list, text("[::1]"), 8080, AF_UNSPEC, &err), 0);
    assert_int_equal(list.count, 1);
    assert_int_equal(list.lookup_ns, 0); /* nothing was looked up */
    assert_int_equal(addr_resolve(&list, text("::1"), 8080, AF_INET, &err), -1);
    assert_string_equal(err.what, "dns: ::1: not an IPv4 address");
    assert_int_equal(addr_resolve(&list, text("localhost"), 8080, AF_INET, &err), 0);
    assert_int_equal(list.count, 1); /* once, though the system's tables may have it twice */
    assert_int_equal(list.items[0].sa.v4.sin_addr.s_addr, htonl(INADDR_LOOPBACK));
    assert_int_equal(ntohs(list.items[0].sa.v4.sin_port), 8080);
    assert_true(list.lookup_ns > 0);
    assert_int_equal(addr_resolve(&list, text("no-such-name.invalid"), 80, AF_UNSPEC, &err), -1);
    assert_int_equal(err.kind, ERR_CONFIG);
    assert_int_equal(strncmp(err.what, "dns: no-such-name.invalid: ", 27), 0);
    assert_int_equal(list.count, 0);
    assert_int_equal(addr_resolve(&list, text(""), 80, AF_UNSPEC, &err), -1);
    assert_int_equal(addr_resolve(&list, slice_from("a\0b", 3), 80, AF_UNSPEC, &err), -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_parse), cmocka_unit_test(test_parse_listen), cmocka_unit_test(test_unix),
        cmocka_unit_test(test_equal), cmocka_unit_test(test_resolve),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
