/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "http/request_reader.h"

#include "../base/edge.h"

#include <stdio.h>

#define GET11 "GET / HTTP/1.1\r\nHost: a\r\n"

static struct edge edge;
static const struct request_limits LIMITS = { .head_max_bytes = 1024, .fields_max = 8 };

static enum request_state scan_whole(struct request_head *h, struct slice bytes)
{
    struct request_reader r;
    struct slice at = edge_put(&edge, bytes.ptr, bytes.len);

    request_reader_begin(&r);
    return request_reader_scan(&r, &LIMITS, at.ptr, at.len, h);
}

/* More and more of the same head, each time at another place, as an owner whose buffer moves. */
static enum request_state scan_byte_by_byte(struct request_head *h, struct slice bytes)
{
    struct request_reader r;
    enum request_state state = REQUEST_MORE;

    request_reader_begin(&r);
    for (size_t len = 1; len <= bytes.len && state == REQUEST_MORE; len++) {
        struct slice at = edge_put(&edge, bytes.ptr, len);
        state = request_reader_scan(&r, &LIMITS, at.ptr, at.len, h);
    }
    return state;
}

static void is_text(const char *why, const char *what, struct slice got, const char *want)
{
    if (!slice_eq(got, slice_str(want)))
        fail_msg("%s: %s is \"%.*s\", not \"%s\"", why, what, SLICE_FMT(got), want);
}

static const struct accepted_case {
    const char *why, *bytes;
    enum request_method method;
    const char *path, *query, *host;
    int version;
    bool keep_alive, chunked, expect;
    uint64_t length;
} ACCEPTED[] = {
    { "the least", GET11 "\r\n", REQUEST_GET, "/", "", "a", 11, true, false, false, 0 },
    { "a query", "GET /a/b?x=1&y HTTP/1.1\r\nHost: a:80\r\n\r\n", REQUEST_GET, "/a/b", "x=1&y", "a:80", 11, true, false,
      false, 0 },
    { "only the first question mark ends the path", "GET /?a?b HTTP/1.1\r\nHost: a\r\n\r\n", REQUEST_GET, "/", "a?b",
      "a", 11, true, false, false, 0 },
    { "1.0 needs no Host and closes", "GET / HTTP/1.0\r\n\r\n", REQUEST_GET, "/", "", "", 10, false, false, false, 0 },
    { "1.0 with keep-alive", "GET / HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n", REQUEST_GET, "/", "", "", 10, true,
      false, false, 0 },
    { "close among other tokens", GET11 "Connection: te, CLOSE\r\n\r\n", REQUEST_GET, "/", "", "a", 11, false, false,
      false, 0 },
    { "close wins", GET11 "Connection: keep-alive\r\nConnection: close\r\n\r\n", REQUEST_GET, "/", "", "a", 11, false,
      false, false, 0 },
    { "absolute-form is served as origin-form, its authority as Host",
      "GET http://b:8080/p?q HTTP/1.1\r\nHost: a\r\n\r\n", REQUEST_GET, "/p", "q", "b:8080", 11, true, false, false,
      0 },
    { "absolute-form without path", "GET http://b HTTP/1.1\r\nHost: a\r\n\r\n", REQUEST_GET, "/", "", "b", 11, true,
      false, false, 0 },
    { "absolute-form with a query only", "GET HTTPS://b?q HTTP/1.1\r\nHost: a\r\n\r\n", REQUEST_GET, "/", "q", "b", 11,
      true, false, false, 0 },
    { "asterisk-form", "OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n", REQUEST_OPTIONS, "", "", "a", 11, true, false, false,
      0 },
    { "a length", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 12\r\n\r\n", REQUEST_POST, "/", "", "a", 11, true,
      false, false, 12 },
    { "chunks", "PUT / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: Chunked\r\n\r\n", REQUEST_PUT, "/", "", "a", 11, true,
      true, false, 0 },
    { "an expectation", "PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nExpect: 100-Continue\r\n\r\n", REQUEST_PUT,
      "/", "", "a", 11, true, false, true, 1 },
    { "1.0 can not expect", "PUT / HTTP/1.0\r\nContent-Length: 1\r\nExpect: 100-continue\r\n\r\n", REQUEST_PUT, "/", "",
      "", 10, false, false, false, 1 },
    { "empty lines before", "\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n", REQUEST_GET, "/", "", "a", 11, true, false,
      false, 0 },
    { "white space around a value, empty values", GET11 "X: \t b \t\r\nY:\r\n\r\n", REQUEST_GET, "/", "", "a", 11, true,
      false, false, 0 },
    { "an IPv6 literal", "GET / HTTP/1.1\r\nHost: [::1]:80\r\n\r\n", REQUEST_GET, "/", "", "[::1]:80", 11, true, false,
      false, 0 },
    { "an upgrade that nobody takes up", GET11 "Connection: upgrade\r\nUpgrade: h2c\r\n\r\n", REQUEST_GET, "/", "", "a",
      11, true, false, false, 0 },
    { "bytes beyond ASCII in a value", GET11 "X: \xc3\xa4\xff\r\n\r\n", REQUEST_GET, "/", "", "a", 11, true, false,
      false, 0 },
};

static void check_accepted(const struct accepted_case *c, enum request_state state, const struct request_head *h)
{
    if (state != REQUEST_READY)
        fail_msg("%s: state %d, %u %s", c->why, state, h->refused, h->reason);
    is_text(c->why, "path", h->path, c->path);
    is_text(c->why, "query", h->query, c->query);
    is_text(c->why, "host", h->host, c->host);
    if (h->method != c->method || h->version != c->version || h->keep_alive != c->keep_alive ||
        h->chunked != c->chunked || h->expect_continue != c->expect || h->content_length != c->length ||
        h->bytes != strlen(c->bytes))
        fail_msg("%s: method %d, version %u, keep-alive %d, chunked %d, expect %d, length %llu, %u bytes", c->why,
                 h->method, h->version, h->keep_alive, h->chunked, h->expect_continue,
                 (unsigned long long)h->content_length, h->bytes);
}

static void accepts_what_is_right(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(ACCEPTED) / sizeof(ACCEPTED[0]); i++) {
        struct request_head h;
        check_accepted(&ACCEPTED[i], scan_whole(&h, slice_str(ACCEPTED[i].bytes)), &h);
        check_accepted(&ACCEPTED[i], scan_byte_by_byte(&h, slice_str(ACCEPTED[i].bytes)), &h);
    }
}

#define REFUSED(why, bytes, status)                  \
    {                                                \
        why, { "" bytes, sizeof(bytes) - 1 }, status \
    }

static const struct refused_case {
    const char *why;
    struct slice bytes;
    uint16_t status;
} REFUSALS[] = {
    REFUSED("both lengths: the classic of smuggling",
            "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n", 400),
    REFUSED("both lengths the other way round",
            "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nContent-Length: 4\r\n\r\n", 400),
    REFUSED("two different lengths", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\nContent-Length: 5\r\n\r\n",
            400),
    REFUSED("the same length twice", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\nContent-Length: 4\r\n\r\n",
            400),
    REFUSED("a list of lengths", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 4, 4\r\n\r\n", 400),
    REFUSED("a length with a sign", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: +4\r\n\r\n", 400),
    REFUSED("a negative length", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: -4\r\n\r\n", 400),
    REFUSED("a hexadecimal length", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 0x4\r\n\r\n", 400),
    REFUSED("a length with a space in it", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 4 4\r\n\r\n", 400),
    REFUSED("an empty length", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length:\r\n\r\n", 400),
    REFUSED("a length that overflows", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 18446744073709551616\r\n\r\n",
            400),
    REFUSED("a coding that is not last", "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked, gzip\r\n\r\n", 400),
    REFUSED("a coding nobody implements", "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip, chunked\r\n\r\n",
            501),
    REFUSED("not chunked at all", "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: identity\r\n\r\n", 400),
    REFUSED("almost chunked", "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: xchunked\r\n\r\n", 400),
    REFUSED("chunked twice", "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked, chunked\r\n\r\n", 400),
    REFUSED("chunked in two fields",
            "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n", 400),
    REFUSED("chunked behind a vertical tab", "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: \vchunked\r\n\r\n", 400),
    REFUSED("chunked with a parameter", "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked;q=1\r\n\r\n", 400),
    REFUSED("chunked in 1.0", "POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n", 400),
    REFUSED("a space before the colon", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length : 4\r\n\r\n", 400),
    REFUSED("a folded line", GET11 "X: a\r\n b\r\n\r\n", 400),
    REFUSED("a folded line with a tab", GET11 "X: a\r\n\tb\r\n\r\n", 400),
    REFUSED("a space before the first field", "GET / HTTP/1.1\r\n Host: a\r\n\r\n", 400),
    REFUSED("bare LF after a field", "GET / HTTP/1.1\r\nHost: a\n\r\n", 400),
    REFUSED("bare LF after the request line", "GET / HTTP/1.1\nHost: a\r\n\r\n", 400),
    REFUSED("bare LF as the end", GET11 "\n", 400),
    REFUSED("bare CR in a value", GET11 "X: a\rY: b\r\n\r\n", 400),
    REFUSED("bare CR in a name", GET11 "X\rY: b\r\n\r\n", 400),
    REFUSED("two CRs", GET11 "X: a\r\r\n\r\n", 400),
    REFUSED("NUL in a value", GET11 "X: a\0b\r\n\r\n", 400),
    REFUSED("NUL in a name", GET11 "X\0: b\r\n\r\n", 400),
    REFUSED("NUL in the target", "GET /\0 HTTP/1.1\r\nHost: a\r\n\r\n", 400),
    REFUSED("a control character in a value", GET11 "X: a\x01\r\n\r\n", 400),
    REFUSED("no colon", GET11 "X\r\n\r\n", 400),
    REFUSED("no name", GET11 ": x\r\n\r\n", 400),
    REFUSED("a name with a slash", GET11 "X/Y: x\r\n\r\n", 400),
    REFUSED("a name with quotes", GET11 "\"X\": x\r\n\r\n", 400),
    REFUSED("no Host", "GET / HTTP/1.1\r\n\r\n", 400),
    REFUSED("no Host with absolute-form", "GET http://b/ HTTP/1.1\r\n\r\n", 400),
    REFUSED("two Hosts", GET11 "Host: a\r\n\r\n", 400),
    REFUSED("an empty Host", "GET / HTTP/1.1\r\nHost:\r\n\r\n", 400),
    REFUSED("a Host with a path", "GET / HTTP/1.1\r\nHost: a/b\r\n\r\n", 400),
    REFUSED("a Host with userinfo", "GET / HTTP/1.1\r\nHost: u@a\r\n\r\n", 400),
    REFUSED("a Host with a bad port", "GET / HTTP/1.1\r\nHost: a:b\r\n\r\n", 400),
    REFUSED("a Host that is a list", "GET / HTTP/1.1\r\nHost: a b\r\n\r\n", 400),
    REFUSED("an open bracket", "GET / HTTP/1.1\r\nHost: [::1\r\n\r\n", 400),
    REFUSED("a scheme of somebody else", "GET ftp://b/ HTTP/1.1\r\nHost: a\r\n\r\n", 400),
    REFUSED("userinfo in absolute-form", "GET http://u@b/ HTTP/1.1\r\nHost: a\r\n\r\n", 400),
    REFUSED("no authority in absolute-form", "GET http:///p HTTP/1.1\r\nHost: a\r\n\r\n", 400),
    REFUSED("a fragment", "GET /#a HTTP/1.1\r\nHost: a\r\n\r\n", 400),
    REFUSED("a path without slash", "GET a HTTP/1.1\r\nHost: a\r\n\r\n", 400),
    REFUSED("an asterisk of GET", "GET * HTTP/1.1\r\nHost: a\r\n\r\n", 400),
    REFUSED("bytes beyond ASCII in the target", "GET /\xc3\xa4 HTTP/1.1\r\nHost: a\r\n\r\n", 400),
    REFUSED("two spaces", "GET  / HTTP/1.1\r\nHost: a\r\n\r\n", 400),
    REFUSED("a space behind the version", "GET / HTTP/1.1 \r\nHost: a\r\n\r\n", 400),
    REFUSED("a tab as separator", "GET\t/ HTTP/1.1\r\nHost: a\r\n\r\n", 400),
    REFUSED("a space in front", " GET / HTTP/1.1\r\nHost: a\r\n\r\n", 400),
    REFUSED("0.9", "GET /\r\n", 400),
    REFUSED("a version in small letters", "GET / http/1.1\r\nHost: a\r\n\r\n", 400),
    REFUSED("a version with two digits", "GET / HTTP/1.10\r\nHost: a\r\n\r\n", 400),
    REFUSED("HTTP/2 as text", "GET / HTTP/2.0\r\nHost: a\r\n\r\n", 505),
    REFUSED("HTTP/1.2", "GET / HTTP/1.2\r\nHost: a\r\n\r\n", 505),
    REFUSED("CONNECT", "CONNECT a:80 HTTP/1.1\r\nHost: a\r\n\r\n", 501),
    REFUSED("a method in small letters", "get / HTTP/1.1\r\nHost: a\r\n\r\n", 501),
    REFUSED("TRACE", "TRACE / HTTP/1.1\r\nHost: a\r\n\r\n", 501),
    REFUSED("a method that is no token", "G@T / HTTP/1.1\r\nHost: a\r\n\r\n", 400),
    REFUSED("a TLS client on a plain port", "\x16\x03\x01\x02\n", 400),
    REFUSED("an unknown expectation", GET11 "Expect: a miracle\r\n\r\n", 417),
    REFUSED("nine fields where eight are allowed", GET11 "A:\r\nB:\r\nC:\r\nD:\r\nE:\r\nF:\r\nG:\r\nH:\r\n\r\n", 431),
    REFUSED("empty lines without end", "\r\n\r\n\r\n\r\n\r\n\r\n\r\n\r\n\r\n", 400),
};

static void refuses_what_others_may_read_differently(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(REFUSALS) / sizeof(REFUSALS[0]); i++) {
        const struct refused_case *c = &REFUSALS[i];
        struct request_head h;
        for (int whole = 0; whole < 2; whole++) {
            enum request_state got = whole ? scan_whole(&h, c->bytes) : scan_byte_by_byte(&h, c->bytes);
            if (got != REQUEST_REFUSED || h.refused != c->status || h.reason == NULL || h.reason[0] == '\0')
                fail_msg("%s: state %d, %u instead of %u (%s)", c->why, got, h.refused, c->status, h.reason);
        }
    }
}

static void limits_the_head(void **state)
{
    char bytes[3000];
    struct request_head h;
    int len = snprintf(bytes, sizeof(bytes), GET11 "X: ");

    (void)state;
    memset(bytes + len, 'x', sizeof(bytes) - (size_t)len);
    assert_int_equal(scan_whole(&h, slice_from(bytes, LIMITS.head_max_bytes)), REQUEST_MORE);
    assert_int_equal(scan_whole(&h, slice_from(bytes, LIMITS.head_max_bytes + 1)), REQUEST_REFUSED);
    assert_int_equal(h.refused, 431);
    memset(bytes, 'x', sizeof(bytes));
    assert_int_equal(scan_whole(&h, slice_from(bytes, sizeof(bytes))), REQUEST_REFUSED);
    assert_int_equal(h.refused, 414);
    /* A head of exactly the limit, with a body behind it. */
    len = snprintf(bytes, sizeof(bytes), GET11 "X: ");
    memset(bytes + len, 'x', LIMITS.head_max_bytes - (size_t)len - 4);
    memcpy(bytes + LIMITS.head_max_bytes - 4, "\r\n\r\n", 4);
    assert_int_equal(scan_whole(&h, slice_from(bytes, sizeof(bytes))), REQUEST_READY);
    assert_int_equal(h.bytes, LIMITS.head_max_bytes);
}

static void leaves_what_is_behind(void **state)
{
    struct request_head h;
    struct slice two = SLICE(GET11 "\r\nGET /second HTTP/9.9\r\n");

    (void)state;
    assert_int_equal(scan_whole(&h, two), REQUEST_READY);
    assert_int_equal(h.bytes, strlen(GET11) + 2);
}

static void steps_through_fields(void **state)
{
    struct request_head h;

    (void)state;
    assert_int_equal(scan_whole(&h, SLICE(GET11 "Range:  bytes=1- \r\nX-Empty:\r\nrange: 2\r\n\r\n")), REQUEST_READY);
    is_text("the first one, trimmed, in any case", "range", request_head_field(&h, SLICE("RANGE")), "bytes=1-");
    assert_null(request_head_field(&h, SLICE("Rang")).ptr);
    assert_non_null(request_head_field(&h, SLICE("x-empty")).ptr);
    struct slice rest = h.fields, name, value;
    unsigned count = 0;
    while (request_head_next(&rest, &name, &value))
        count++;
    assert_int_equal(count, 4);
    assert_int_equal(h.field_count, 4);
}

static void moves_with_its_bytes(void **state)
{
    static const char BYTES[] = "GET http://host?q HTTP/1.1\r\nHost: x\r\nY: z\r\n\r\n";
    char copy[sizeof(BYTES)];
    struct request_head h;
    struct request_reader r = { 0 };

    (void)state;
    assert_int_equal(request_reader_scan(&r, &LIMITS, BYTES, sizeof(BYTES) - 1, &h), REQUEST_READY);
    memcpy(copy, BYTES, sizeof(BYTES));
    request_head_moved(&h, BYTES, copy);
    is_text("a constant stays", "path", h.path, "/");
    is_text("moved", "host", h.host, "host");
    is_text("moved", "query", h.query, "q");
    assert_true(h.host.ptr >= copy && h.host.ptr < copy + sizeof(copy));
    assert_true(h.fields.ptr >= copy && h.fields.ptr < copy + sizeof(copy));
    is_text("moved", "field", request_head_field(&h, SLICE("y")), "z");
}

static void knows_when_a_request_began(void **state)
{
    struct request_reader r = { 0 };
    struct request_head h;

    (void)state;
    assert_false(request_reader_started(&r));
    request_reader_scan(&r, &LIMITS, "\r\n", 2, &h);
    assert_false(request_reader_started(&r));
    request_reader_scan(&r, &LIMITS, "\r\nG", 3, &h);
    assert_true(request_reader_started(&r));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(accepts_what_is_right),
        cmocka_unit_test(refuses_what_others_may_read_differently),
        cmocka_unit_test(limits_the_head),
        cmocka_unit_test(leaves_what_is_behind),
        cmocka_unit_test(steps_through_fields),
        cmocka_unit_test(moves_with_its_bytes),
        cmocka_unit_test(knows_when_a_request_began),
    };
    edge = edge_new();
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    edge_free(&edge);
    return failed;
}
