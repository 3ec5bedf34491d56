/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "http/multipart.h"

#include "../base/edge.h"

#include <stdio.h>

static struct edge edge;

/* What was seen, as text: "name|filename|type=content;" for each part. */
struct seen {
    char text[4096];
    size_t len;
    unsigned parts, ends;
};

static void add(struct seen *s, struct slice bytes)
{
    size_t n = bytes.len < sizeof(s->text) - s->len - 1 ? bytes.len : sizeof(s->text) - s->len - 1;

    if (n > 0)
        memcpy(s->text + s->len, bytes.ptr, n);
    s->len += n;
    s->text[s->len] = '\0';
}

static void on_part(void *arg, struct slice name, struct slice filename, struct slice type)
{
    struct seen *s = arg;

    s->parts++;
    add(s, name);
    add(s, SLICE("|"));
    add(s, filename.ptr != NULL ? filename : SLICE("-"));
    add(s, SLICE("|"));
    add(s, type);
    add(s, SLICE("="));
}

static void on_content(void *arg, struct slice bytes)
{
    assert_true(bytes.len > 0);
    add(arg, bytes);
}

static void on_part_end(void *arg)
{
    struct seen *s = arg;

    s->ends++;
    add(s, SLICE(";"));
}

static const struct multipart_events EVENTS = { on_part, on_content, on_part_end };

static enum multipart_state run(struct seen *s, struct slice boundary, struct slice bytes, size_t cut, size_t step)
{
    struct multipart m;
    enum multipart_state state = MULTIPART_MORE;

    *s = (struct seen){ 0 };
    multipart_begin(&m, boundary, &EVENTS, s);
    for (size_t at = 0; at < bytes.len;) {
        size_t len = at == 0 && cut > 0 ? cut : step;
        struct slice piece = slice_take(slice_drop(bytes, at), len);
        state = multipart_feed(&m, edge_put(&edge, piece.ptr, piece.len));
        at += piece.len;
    }
    if (state == MULTIPART_BAD)
        assert_true(multipart_reason(&m)[0] != '\0');
    return state;
}

#define PART(name) "Content-Disposition: form-data; name=\"" name "\"\r\n\r\n"
#define CASE(why, bytes, state, seen)                     \
    {                                                     \
        why, { "" bytes, sizeof(bytes) - 1 }, state, seen \
    }

static const struct body_case {
    const char *why;
    struct slice bytes;
    enum multipart_state want;
    const char *seen;
} CASES[] = {
    CASE("one part", "--b\r\n" PART("a") "x\r\n--b--\r\n", MULTIPART_DONE, "a|-|=x;"),
    CASE("a file and a field",
         "--b\r\nContent-Disposition: form-data; name=\"f\"; filename=\"x y.dat\"\r\nContent-Type: "
         "text/plain\r\n\r\n1\r\n2\r\n--b\r\n" PART("a") "\r\n--b--",
         MULTIPART_DONE, "f|x y.dat|text/plain=1\r\n2;a|-|=;"),
    CASE("a preamble and an epilogue", "hello\r\n--b\r\n" PART("a") "x\r\n--b--\r\nbye --b", MULTIPART_DONE, "a|-|=x;"),
    CASE("content that looks like a boundary", "--b\r\n" PART("a") "--b\r\n--\r\n-\r\r\n--c\r\n\r\n--b--",
         MULTIPART_DONE, "a|-|=--b\r\n--\r\n-\r\r\n--c\r\n;"),
    CASE("a CR before the boundary", "--b\r\n" PART("a") "x\r\r\n--b--", MULTIPART_DONE, "a|-|=x\r;"),
    CASE("NUL and all bytes", "--b\r\n" PART("a") "\0\xff\r\n--b--", MULTIPART_DONE, "a|-|="),
    CASE("escapes in names",
         "--b\r\nContent-Disposition: form-data; name=\"a\\\"b\"; filename=\"C:\\dir\\f\"\r\n\r\n\r\n--b--",
         MULTIPART_DONE, "a\"b|C:\\dir\\f|=;"),
    CASE("names without quotes, in any case and order",
         "--b\r\ncontent-disposition:FORM-DATA;filename=f;x=y;name=a\r\n\r\n\r\n--b--", MULTIPART_DONE, "a|f|=;"),
    CASE("an empty file name", "--b\r\nContent-Disposition: form-data; name=\"a\"; filename=\"\"\r\n\r\n\r\n--b--",
         MULTIPART_DONE, "a||=;"),
    CASE("no end", "--b\r\n" PART("a") "x\r\n--", MULTIPART_MORE, "a|-|=x"),
    CASE("no part at all", "--b--", MULTIPART_DONE, ""),
    CASE("never begins", "nothing of the kind", MULTIPART_MORE, ""),
    CASE("a longer boundary", "--b\r\n" PART("a") "x\r\n--bb\r\n--b--", MULTIPART_BAD, "a|-|=x;"),
    CASE("no head", "--b\r\n\r\nx\r\n--b--", MULTIPART_BAD, ""),
    CASE("no name", "--b\r\nContent-Disposition: form-data\r\n\r\nx\r\n--b--", MULTIPART_BAD, ""),
    CASE("another disposition", "--b\r\nContent-Disposition: attachment; name=\"a\"\r\n\r\nx\r\n--b--", MULTIPART_BAD,
         ""),
    CASE("two dispositions", "--b\r\nContent-Disposition: form-data; name=\"a\"\r\n" PART("b") "x\r\n--b--",
         MULTIPART_BAD, ""),
    CASE("an open quote", "--b\r\nContent-Disposition: form-data; name=\"a\r\n\r\nx\r\n--b--", MULTIPART_BAD, ""),
    CASE("a line without colon", "--b\r\nX\r\n" PART("a") "x\r\n--b--", MULTIPART_BAD, ""),
    CASE("a folded line", "--b\r\nContent-Disposition: form-data;\r\n name=\"a\"\r\n\r\nx\r\n--b--", MULTIPART_BAD, ""),
    CASE("bare LF in a head", "--b\r\nX: y\n" PART("a") "x\r\n--b--", MULTIPART_BAD, ""),
    CASE("bare LF behind a boundary", "--b\n" PART("a") "x\r\n--b--", MULTIPART_BAD, ""),
    CASE("padding behind a boundary", "--b \r\n" PART("a") "x\r\n--b--", MULTIPART_BAD, ""),
};

static void reads_bodies_cut_anywhere(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(CASES) / sizeof(CASES[0]); i++) {
        const struct body_case *c = &CASES[i];
        struct seen s;
        for (size_t cut = 0; cut < c->bytes.len; cut++) {
            enum multipart_state got = run(&s, SLICE("b"), c->bytes, cut, cut == 1 ? 1 : c->bytes.len);
            if (got != c->want || strncmp(s.text, c->seen, strlen(c->seen)) != 0 ||
                (memchr(c->bytes.ptr, '\0', c->bytes.len) == NULL && strcmp(s.text, c->seen) != 0))
                fail_msg("%s (cut at %zu): state %d, \"%s\"", c->why, cut, got, s.text);
            if (c->want == MULTIPART_DONE)
                assert_int_equal(s.parts, s.ends);
        }
    }
}

static void limits_parts_and_heads(void **state)
{
    static char bytes[200000];
    struct seen s;
    size_t len = 0;

    (void)state;
    for (int i = 0; i < 1000; i++)
        len += (size_t)snprintf(bytes + len, sizeof(bytes) - len, "\r\n--b\r\n%s", PART("a"));
    snprintf(bytes + len, sizeof(bytes) - len, "\r\n--b--");
    assert_int_equal(run(&s, SLICE("b"), slice_str(bytes), 0, 1000), MULTIPART_DONE);
    assert_int_equal(s.parts, 1000);
    snprintf(bytes + len, sizeof(bytes) - len, "\r\n--b\r\n%s\r\n--b--", PART("a"));
    assert_int_equal(run(&s, SLICE("b"), slice_str(bytes), 0, 1000), MULTIPART_BAD);
    len = (size_t)snprintf(bytes, sizeof(bytes), "--b\r\nX: ");
    memset(bytes + len, 'x', 5000);
    assert_int_equal(run(&s, SLICE("b"), slice_from(bytes, len + 5000), 0, 1000), MULTIPART_BAD);
}

static const struct type_case {
    const char *why, *type, *boundary; /* NULL: refused */
} TYPES[] = {
    { "as curl writes it", "multipart/form-data; boundary=------------------------abc", "------------------------abc" },
    { "in quotes, among others", "Multipart/Form-Data;charset=utf-8; Boundary=\"a b\"; x=y", "a b" },
    { "seventy characters",
      "multipart/form-data; boundary=0123456789012345678901234567890123456789012345678901234567890123456789",
      "0123456789012345678901234567890123456789012345678901234567890123456789" },
    { "seventy-one",
      "multipart/form-data; boundary=01234567890123456789012345678901234567890123456789012345678901234567890", NULL },
    { "none", "multipart/form-data", NULL },
    { "an empty one", "multipart/form-data; boundary=", NULL },
    { "an empty one in quotes", "multipart/form-data; boundary=\"\"", NULL },
    { "a space at its end", "multipart/form-data; boundary=\"a \"", NULL },
    { "characters that are none of a boundary", "multipart/form-data; boundary=a<b", NULL },
    { "an open quote", "multipart/form-data; boundary=\"a", NULL },
    { "another type", "multipart/mixed; boundary=a", NULL },
    { "nothing", "", NULL },
};

static void finds_boundaries(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(TYPES) / sizeof(TYPES[0]); i++) {
        struct slice boundary = { 0 };
        bool found = multipart_boundary(slice_str(TYPES[i].type), &boundary);
        if (found != (TYPES[i].boundary != NULL) || (found && !slice_eq(boundary, slice_str(TYPES[i].boundary))))
            fail_msg("%s: %d \"%.*s\"", TYPES[i].why, found, SLICE_FMT(boundary));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_bodies_cut_anywhere),
        cmocka_unit_test(limits_parts_and_heads),
        cmocka_unit_test(finds_boundaries),
    };
    edge = edge_new();
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    edge_free(&edge);
    return failed;
}
