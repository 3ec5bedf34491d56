/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What requests are made of and held against: templates, feeds, cookies, bodies, checks. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "load/body.h"
#include "load/check.h"
#include "load/cookies.h"
#include "load/template.h"

static void write_file(char path[32], const char *text, size_t len)
{
    int fd;

    snprintf(path, 32, "/tmp/plimsoll-unit-XXXXXX");
    fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, len), len);
    close(fd);
}

static const struct feed_case {
    const char *why, *text;
    size_t rows;
    const char *last; /* of the last row's last column */
    const char *error;
} FEEDS[] = {
    { "plain", "a,b\n1,2\n3,4\n", 2, "4", NULL },
    { "the last line without its end", "a,b\n1,2", 1, "2", NULL },
    { "line ends of others", "a,b\r\n1,2\r\n", 1, "2", NULL },
    { "quotes", "a,b\n1,\"x\"\"y,\nz\"\n", 1, "x\"y,\nz", NULL },
    { "empty values", "a,b\n,\n", 1, "", NULL },
    { "empty quotes", "a,b\n\"\",\"\"", 1, "", NULL },
    { "blank lines between", "a,b\n\n1,2\n\n", 1, "2", NULL },
    { "a byte order mark",
      "\xef\xbb\xbf"
      "a,b\n1,2\n",
      1, "2", NULL },
    { "too few values", "a,b\n1,2\n3\n", 0, NULL, ":3: 1 values" },
    { "too many values", "a,b\n1,2,3\n", 0, NULL, ":2: 3 values" },
    { "an open quote", "a,b\n1,\"2\n", 0, NULL, "not closed" },
    { "text after a quote", "a,b\n\"1\"x,2\n", 0, NULL, "after its quotes" },
    { "no rows", "a,b\n", 0, NULL, "no rows" },
    { "nothing", "", 0, NULL, "is empty" },
};

static void feeds(void **state)
{
    for (size_t i = 0; i < sizeof(FEEDS) / sizeof(FEEDS[0]); i++) {
        const struct feed_case *t = &FEEDS[i];
        struct err err = { 0 };
        struct feed f;
        char path[32];

        write_file(path, t->text, strlen(t->text));
        if (feed_read(&f, path, &err) != 0) {
            if (t->error == NULL || strstr(err.what, t->error) == NULL)
                fail_msg("%s: %s", t->why, err.what);
        } else {
            if (t->error != NULL || f.rows != t->rows || f.columns != 2 ||
                !slice_eq(feed_value(&f, f.rows - 1, 1), slice_str(t->last)))
                fail_msg("%s: %zu rows", t->why, f.rows);
            assert_int_equal(feed_column(&f, SLICE("b")), 1);
            assert_int_equal(feed_column(&f, SLICE("B")), -1);
        }
        feed_release(&f);
        unlink(path);
    }
    (void)state;
}

static const struct template_case {
    const char *why, *head, *body, *cookies, *want;
} TEMPLATES[] = {
    { "numbers count from 1", "GET /{seq} HTTP/1.1\r\nX: {connection}\r\n\r\n", NULL, "",
      "GET /8 HTTP/1.1\r\nX: 3\r\n\r\n" },
    { "a column is encoded in the target alone", "GET /{v} HTTP/1.1\r\nX: {v}\r\n\r\n", NULL, "",
      "GET /a%20%26/%25 HTTP/1.1\r\nX: a &/%\r\n\r\n" },
    { "or taken as it is", "GET /{+w} HTTP/1.1\r\n\r\n", NULL, "", "GET /p?q=1 HTTP/1.1\r\n\r\n" },
    { "the length is that of the body", "POST / HTTP/1.1\r\nContent-Length: 0\r\nX: y\r\n\r\n", "<{v}>{seq}", "",
      "POST / HTTP/1.1\r\nContent-Length: 8\r\nX: y\r\n\r\n<a &/%>8" },
    { "a length of two digits", "POST / HTTP/1.1\r\nContent-Length: 0\r\n\r\n", "0123456789{seq}", "",
      "POST / HTTP/1.1\r\nContent-Length: 11\r\n\r\n01234567898" },
    { "cookies before the empty line", "GET / HTTP/1.1\r\nX: y\r\n\r\n", NULL, "a=1; b=2",
      "GET / HTTP/1.1\r\nX: y\r\nCookie: a=1; b=2\r\n\r\n" },
    { "no cookies, no field", "GET /{seq} HTTP/1.1\r\n\r\n", NULL, "", "GET /8 HTTP/1.1\r\n\r\n" },
    { "JSON is text", "POST / HTTP/1.1\r\nContent-Length: 0\r\n\r\n", "{\"a\": {\"b\": \"{w}\"}}", "",
      "POST / HTTP/1.1\r\nContent-Length: 21\r\n\r\n{\"a\": {\"b\": \"p?q=1\"}}" },
};

static void templates(void **state)
{
    struct feed f;
    char path[32];

    write_file(path, "v,w\na &/%,p?q=1\n", 16);
    assert_int_equal(feed_read(&f, path, NULL), 0);
    for (size_t i = 0; i < sizeof(TEMPLATES) / sizeof(TEMPLATES[0]); i++) {
        const struct template_case *c = &TEMPLATES[i];
        const struct template_source from = { .head = slice_str(c->head),
                                              .has_body = c->body != NULL,
                                              .body = slice_str(c->body),
                                              .cookies = true,
                                              .feed = &f,
                                              .feed_path = path };
        const struct template_values values = {
            .seed = 1, .seq = 7, .connection = 2, .feed = &f, .cookies = slice_str(c->cookies)
        };
        struct err err = { 0 };
        struct template t;
        size_t head_len, len;
        char *out;

        if (template_make(&t, &from, &err) != 0)
            fail_msg("%s: %s", c->why, err.what);
        out = malloc(t.max_bytes);
        len = template_render(&t, &values, out, &head_len);
        if (!slice_eq(slice_from(out, len), slice_str(c->want)))
            fail_msg("%s: %.*s", c->why, (int)len, out);
        assert_int_equal(len - head_len, c->body != NULL ? strlen(strstr(c->want, "\r\n\r\n") + 4) : 0);
        free(out);
        template_release(&t);
    }
    feed_release(&f);
    unlink(path);
    (void)state;
}

static const struct cookie_case {
    const char *why, *set[4], *want;
} COOKIES[] = {
    { "one", { "a=1" }, "a=1" },
    { "two in their order", { "a=1", "b=2" }, "a=1; b=2" },
    { "the first again", { "a=1", "b=2", "a=3" }, "b=2; a=3" },
    { "the last again", { "a=1", "b=2", "b=3" }, "a=1; b=3" },
    { "a name is not the beginning of another", { "ab=1", "a=2" }, "ab=1; a=2" },
    { "taken back from the middle", { "a=1", "b=2", "c=3", "b=; Max-Age=0" }, "a=1; c=3" },
    { "taken back at the beginning", { "a=1", "b=2", "a=; max-age=-5" }, "b=2" },
    { "taken back at the end", { "a=1", "b=2", "b=; Expires=Thu, 01-Jan-1970 00:00:00 GMT" }, "a=1" },
    { "the only one taken back", { "a=1", "a=; Expires=Thu, 01 Jan 1970 00:00:00 GMT" }, "" },
    { "a later end is not watched", { "a=1; Expires=Wed, 09 Jun 2100 10:18:14 GMT" }, "a=1" },
    { "a value with =", { "a=b=c; Path=/" }, "a=b=c" },
    { "of a host above", { "a=1; Domain=.example.test", "b=2; domain=example.test" }, "a=1; b=2" },
    { "of a host that only ends alike", { "a=1; Domain=ample.test" }, "" },
    { "of a path above", { "a=1; Path=/x", "b=2; Path=/x/y" }, "a=1; b=2" },
    { "of a path that only begins alike", { "a=1; Path=/x/ya", "b=2; Path=/x/y/" }, "" },
    { "secure, over plain HTTP", { "a=1; Secure" }, "" },
    { "no name", { "=1", "x", "" }, "" },
    { "a control character", { "a=\x01" }, "" },
};

static void cookies(void **state)
{
    struct url url;

    assert_int_equal(url_parse(&url, SLICE("http://www.example.test/x/y"), NULL), 0);
    for (size_t i = 0; i < sizeof(COOKIES) / sizeof(COOKIES[0]); i++) {
        struct cookies c = { 0 };

        for (size_t k = 0; k < 4 && COOKIES[i].set[k] != NULL; k++)
            cookies_take(&c, &url, slice_str(COOKIES[i].set[k]));
        if (!slice_eq(cookies_text(&c), slice_str(COOKIES[i].want)))
            fail_msg("%s: %.*s", COOKIES[i].why, (int)c.len, c.text);
    }
    (void)state;
}

/* Whatever the size of the reads, a body reads the same; chunks frame it to the letter. */
static void bodies(void **state)
{
    static const char WANT[] = "--plimsoll";
    const struct load_part parts[] = { { .name = "a\"b", .value = SLICE("1") },
                                       { .name = "f", .path = "/proc/self/none" } };
    struct load_body spec = { .present = true, .parts = parts, .part_count = 1 };
    char whole[4096], again[4096], path[32];
    struct err err = { 0 };
    struct body b;
    long len;

    assert_int_equal(body_prepare(&b, &spec, (struct slice){ 0 }, false, 1, &err), 0);
    len = body_read(&b, 0, &(size_t){ 0 }, whole, sizeof(whole));
    assert_int_equal(len, b.bytes);
    assert_memory_equal(whole, WANT, strlen(WANT));
    assert_non_null(memmem(whole, (size_t)len, "name=\"a%22b\"\r\n\r\n1\r\n--", 19));
    for (size_t step = 1; step < 40; step += 7) {
        size_t piece = 0;

        for (uint64_t at = 0; at < b.bytes;)
            at += (uint64_t)body_read(&b, at, &piece, again + at, step);
        assert_memory_equal(whole, again, (size_t)len);
    }
    body_release(&b);
    spec.part_count = 2;
    assert_int_equal(body_prepare(&b, &spec, (struct slice){ 0 }, false, 1, &err), -1);
    assert_int_equal(err.kind, ERR_CONFIG);
    body_release(&b);
    write_file(path, "hello", 5);
    spec = (struct load_body){ .present = true, .from_file = true, .path = path };
    assert_int_equal(body_prepare(&b, &spec, (struct slice){ 0 }, true, 1, &err), 0);
    len = body_read(&b, 0, &(size_t){ 0 }, whole, sizeof(whole));
    assert_memory_equal(whole, "5\r\nhello\r\n0\r\n\r\n", 15);
    assert_int_equal(len, 15);
    assert_int_equal(b.content_bytes, 5);
    assert_int_equal(truncate(path, 3), 0);
    assert_int_equal(body_read(&b, 0, &(size_t){ 0 }, whole, sizeof(whole)), -1);
    body_release(&b);
    unlink(path);
    (void)state;
}

static void checks(void **state)
{
    static uint8_t statuses[STATUS_MAX];
    struct strlist fields = STRLIST_INIT;
    struct load_expect spec = { .body_regex = "b+c", .fields = &fields, .has_body_bytes = true, .body_bytes = 5 };
    struct pattern_matcher *matcher = NULL;
    struct check_state *s = NULL;
    struct failure why;
    struct check c;

    statuses[200] = 1;
    assert_true(strlist_add(&fields, SLICE("X-A: one")));
    assert_int_equal(check_prepare(&c, &spec, statuses, NULL), 0);
    assert_int_equal(check_states_new(&s, 1, false, true, NULL), 0);
    assert_int_equal(pattern_matcher_new(&matcher, NULL), 0);
    check_begin(&c, s);
    check_take_head(&c, s, SLICE("HTTP/1.1 103 E\r\nX-A: two\r\n\r\nHTTP/1.1 200 OK\r\nx-a:  one \r\n\r\nX-A: three"));
    check_take_body(&c, s, SLICE("ab"));
    check_take_body(&c, s, SLICE("bcd"));
    assert_true(check_is_ok(&c, s, matcher, 200, 5, &why));
    assert_false(check_is_ok(&c, s, matcher, 404, 5, &why));
    assert_int_equal(why.kind, FAIL_STATUS);
    assert_false(check_is_ok(&c, s, matcher, 200, 6, &why));
    assert_int_equal(why.kind, FAIL_BODY);
    check_begin(&c, s); /* nothing is left of the last one */
    assert_false(check_is_ok(&c, s, matcher, 200, 5, &why));
    assert_int_equal(why.kind, FAIL_HEADER);
    pattern_matcher_free(matcher);
    check_states_free(s, 1);
    check_release(&c);
    strlist_release(&fields);
    (void)state;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(feeds),  cmocka_unit_test(templates), cmocka_unit_test(cookies),
        cmocka_unit_test(bodies), cmocka_unit_test(checks),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
