/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "http/url.h"

#include "../base/edge.h"

static struct edge edge;

static const struct good_case {
    const char *why, *url, *userinfo, *host, *path, *query, *authority;
    uint16_t port;
    bool https, has_port, ipv6;
} GOOD[] = {
    { "plain", "http://localhost/", NULL, "localhost", "/", "", "localhost", 80, false, false, false },
    { "no path", "http://localhost", NULL, "localhost", "/", "", "localhost", 80, false, false, false },
    { "port", "http://localhost:8080/a/b", NULL, "localhost", "/a/b", "", "localhost:8080", 8080, false, true, false },
    { "the scheme's own port is left out of Host", "https://h:443/", NULL, "h", "/", "", "h", 443, true, true, false },
    { "the other scheme's is not", "https://h:80/", NULL, "h", "/", "", "h:80", 80, true, true, false },
    { "an empty port", "http://h:/x", NULL, "h", "/x", "", "h", 80, false, false, false },
    { "largest port", "http://h:65535/", NULL, "h", "/", "", "h:65535", 65535, false, true, false },
    { "schemes have no case", "HtTpS://H/", NULL, "H", "/", "", "H", 443, true, false, false },
    { "query without a path", "http://h?a=b", NULL, "h", "/", "?a=b", "h", 80, false, false, false },
    { "fragment dropped", "http://h/a?b=c#d?e", NULL, "h", "/a", "?b=c", "h", 80, false, false, false },
    { "fragment alone", "http://h#x", NULL, "h", "/", "", "h", 80, false, false, false },
    { "an empty query", "http://h/?", NULL, "h", "/", "?", "h", 80, false, false, false },
    { "IPv6", "http://[::1]:8080/", NULL, "::1", "/", "", "[::1]:8080", 8080, false, true, true },
    { "IPv6 without a port", "https://[2001:db8::1]", NULL, "2001:db8::1", "/", "", "[2001:db8::1]", 443, true, false,
      true },
    { "IPv6 zone stays here", "http://[fe80::1%eth0]/", NULL, "fe80::1%eth0", "/", "", "[fe80::1]", 80, false, false,
      true },
    { "IPv4", "http://127.0.0.1:1/", NULL, "127.0.0.1", "/", "", "127.0.0.1:1", 1, false, true, false },
    { "credentials", "http://u:p%40@h/", "u:p%40", "h", "/", "", "h", 80, false, false, false },
    { "the last '@' counts", "http://u:p@q@h/", "u:p@q", "h", "/", "", "h", 80, false, false, false },
    { "empty credentials", "http://@h/", "", "h", "/", "", "h", 80, false, false, false },
    { "'@' in the path is no credential", "http://h/@a", NULL, "h", "/@a", "", "h", 80, false, false, false },
    { "names with underscores and dots", "http://a_b.c-d./", NULL, "a_b.c-d.", "/", "", "a_b.c-d.", 80, false, false,
      false },
    { "what servers see raw", "http://h/{a}|[b]^\"'", NULL, "h", "/{a}|[b]^\"'", "", "h", 80, false, false, false },
};

static void urls_and_their_parts(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(GOOD) / sizeof(GOOD[0]); i++) {
        const struct good_case *c = &GOOD[i];
        struct err err = { 0 };
        struct url u;
        struct buf authority;
        buf_init(&authority, 1000);
        if (url_parse(&u, edge_put(&edge, c->url, strlen(c->url)), &err) != 0)
            fail_msg("%s: %s", c->why, err.what);
        url_add_authority(&authority, &u);
        if (u.https != c->https || u.port != c->port || u.has_port != c->has_port || u.host_is_ipv6 != c->ipv6)
            fail_msg("%s: https %d port %u has_port %d ipv6 %d", c->why, u.https, u.port, u.has_port, u.host_is_ipv6);
        if ((u.userinfo.ptr != NULL) != (c->userinfo != NULL) || !slice_eq(u.userinfo, slice_str(c->userinfo)) ||
            !slice_eq(u.host, slice_str(c->host)) || !slice_eq(u.path, slice_str(c->path)) ||
            !slice_eq(u.query, slice_str(c->query)) || !slice_eq(buf_slice(&authority), slice_str(c->authority)))
            fail_msg("%s: '%.*s' '%.*s' '%.*s' '%.*s'", c->why, SLICE_FMT(u.host), SLICE_FMT(u.path),
                     SLICE_FMT(u.query), SLICE_FMT(buf_slice(&authority)));
        buf_release(&authority);
    }
}

static void refused_urls(void **state)
{
    static const struct {
        const char *why, *url, *sentence; /* a part of it */
    } CASES[] = {
        { "empty", "", "empty URL" },
        { "no scheme", "localhost:8080/", "no scheme" },
        { "a path", "/etc/passwd", "no scheme" },
        { "another scheme", "ftp://h/", "scheme other than http and https in URL \"ftp://h/\"" },
        { "one slash", "http:/h/", "no scheme" },
        { "no host", "http:///x", "no host" },
        { "a port alone", "http://:80/", "no host" },
        { "credentials alone", "http://u:p@/", "no host" },
        { "port 0", "http://h:0/", "port out of range" },
        { "port 65536", "http://h:65536/", "port out of range" },
        { "port 70000", "http://h:70000/", "port out of range" },
        { "a port that overflows", "http://h:99999999999999999999999/", "port out of range" },
        { "a name as port", "http://h:http/", "port that is no number" },
        { "a signed port", "http://h:+80/", "port that is no number" },
        { "a blank in the path", "http://h/a b", "space" },
        { "a line break", "http://h/a\r\nX: y", "control character" },
        { "a line break in the host", "http://h\r\nX: y/", "character that no host name has" },
        { "raw UTF-8", "http://h/\xc3\xa9", "outside ASCII" },
        { "a name outside ASCII", "http://\xc3\xa9/", "character that no host name has" },
        { "an escaped host", "http://%41/", "character that no host name has" },
        { "a backslash before the host's end", "http://a\\b/", "character that no host name has" },
        { "an open bracket", "http://[::1/", "'[' without ']'" },
        { "empty brackets", "http://[]/", "no IPv6 address" },
        { "a name in brackets", "http://[host]/", "no IPv6 address" },
        { "a zone without name", "http://[fe80::1%]/", "no IPv6 address" },
        { "text behind the bracket", "http://[::1]x/", "unexpected text" },
        { "IPv6 without brackets", "http://::1/", "no host" },
        { "a control in the credentials", "http://u\x01:p@h/", "unprintable character in the credentials" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(CASES) / sizeof(CASES[0]); i++) {
        struct err err = { 0 };
        struct url u;
        if (url_parse(&u, edge_put(&edge, CASES[i].url, strlen(CASES[i].url)), &err) == 0)
            fail_msg("%s: accepted", CASES[i].why);
        if (err.kind != ERR_USAGE || strstr(err.what, CASES[i].sentence) == NULL)
            fail_msg("%s: '%s'", CASES[i].why, err.what);
    }
}

/* A refusal quotes the URL, and that goes to logs. */
static void refusals_keep_secrets(void **state)
{
    static const char *const URLS[] = {
        "ftp://u:hunter2@h/",
        "http://u:hunter2@h:0/",
        "http://u:hun/hunter2@h/",
        "http://u:hunter2@h/a b",
        "http://u:a hunter2@h/",
        "http://u:a\"hunter2@h:0/",
        "http://h:0/?token=hunter2",
        "http://u:hunter2@",
        "http://[u:hunter2@h:0/",
        "http://u:x?hunter2@h/",
        "http://u:x#hunter2@h/",
        "http://u:hunter2@\xc3\xa9/",
        "u:hunter2 x@h",
        "http://h/ ?X-Amz-Signature=hunter2",
    };

    (void)state;
    for (size_t i = 0; i < sizeof(URLS) / sizeof(URLS[0]); i++) {
        struct err err = { 0 };
        struct url u;
        if (url_parse(&u, slice_str(URLS[i]), &err) == 0)
            fail_msg("%s: accepted", URLS[i]);
        if (strstr(err.what, "hunter2") != NULL || strstr(err.hint, "hunter2") != NULL)
            fail_msg("%s: shown in '%s'", URLS[i], err.what);
    }
}

static void long_urls_fit_the_sentence(void **state)
{
    char url[4000];
    struct err err = { 0 };
    struct url u;

    (void)state;
    memset(url, 'a', sizeof(url));
    memcpy(url, "ftp://", 6);
    assert_int_equal(url_parse(&u, slice_from(url, sizeof(url)), &err), -1);
    assert_non_null(strstr(err.what, "aaa...\""));
    memcpy(url, "http:/", 6);
    url[6] = '/';
    assert_int_equal(url_parse(&u, slice_from(url, sizeof(url)), &err), 0);
    assert_int_equal(u.host.len, sizeof(url) - 7);
}

static void percent_decoding(void **state)
{
    static const struct {
        const char *why, *in, *out; /* NULL: broken */
    } CASES[] = {
        { "nothing to do", "a+b", "a+b" },
        { "both cases", "%41%c3%A9", "A\xc3\xa9" },
        { "a percent sign", "%25", "%" },
        { "once only", "%2541", "%41" },
        { "cut", "a%4", NULL },
        { "cut shorter", "a%", NULL },
        { "no hex digit", "%4g", NULL },
        { "empty", "", "" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(CASES) / sizeof(CASES[0]); i++) {
        struct buf out;
        buf_init(&out, 100);
        const bool ok = url_decode(&out, edge_put(&edge, CASES[i].in, strlen(CASES[i].in)));
        if (ok != (CASES[i].out != NULL) || (ok && !slice_eq(buf_slice(&out), slice_str(CASES[i].out))))
            fail_msg("%s: %d '%.*s'", CASES[i].why, ok, SLICE_FMT(buf_slice(&out)));
        buf_release(&out);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(urls_and_their_parts),  cmocka_unit_test(refused_urls),
        cmocka_unit_test(refusals_keep_secrets), cmocka_unit_test(long_urls_fit_the_sentence),
        cmocka_unit_test(percent_decoding),
    };

    edge = edge_new();
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    edge_free(&edge);
    return failed;
}
