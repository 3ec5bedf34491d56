/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "http/request_body.h"

#include "../base/edge.h"

#include <stdio.h>

enum { ROOM = 64, MAX = 20 };

static struct edge edge;

struct outcome {
    enum request_body_state state;
    char content[ROOM];
    size_t len, consumed;
};

static void feed_piece(struct request_body *b, struct outcome *o, struct slice piece)
{
    do {
        struct slice content;
        size_t used;
        o->state = request_body_feed(b, piece, &used, &content);
        assert_true(used <= piece.len && o->len + content.len <= ROOM);
        if (content.len > 0)
            memcpy(o->content + o->len, content.ptr, content.len);
        o->len += content.len;
        o->consumed += used;
        piece = slice_drop(piece, used);
    } while (o->state == REQUEST_BODY_CONTENT);
}

static struct outcome run(bool chunked, uint64_t length, struct slice bytes, size_t step)
{
    struct outcome o = { .state = REQUEST_BODY_MORE };
    struct request_body b;

    request_body_begin(&b, chunked, length, MAX);
    if (request_body_is_done(&b))
        o.state = REQUEST_BODY_DONE;
    for (size_t at = 0; at < bytes.len && o.state == REQUEST_BODY_MORE; at += step) {
        struct slice piece = slice_take(slice_drop(bytes, at), step);
        feed_piece(&b, &o, edge_put(&edge, piece.ptr, piece.len));
    }
    if (b.content_bytes != o.len || (o.state == REQUEST_BODY_DONE) != request_body_is_done(&b))
        fail_msg("counted %llu of %zu", (unsigned long long)b.content_bytes, o.len);
    return o;
}

#define CASE(why, bytes, state, content)                     \
    {                                                        \
        why, { "" bytes, sizeof(bytes) - 1 }, state, content \
    }

static const struct chunked_case {
    const char *why;
    struct slice bytes;
    enum request_body_state want;
    const char *content; /* of DONE, or what came before a fault */
} CHUNKED[] = {
    CASE("nothing", "0\r\n\r\n", REQUEST_BODY_DONE, ""),
    CASE("two chunks", "3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n", REQUEST_BODY_DONE, "abcde"),
    CASE("hex in both cases, leading zeros", "00A\r\n0123456789\r\na\r\n0123456789\r\n0\r\n\r\n", REQUEST_BODY_DONE,
         "01234567890123456789"),
    CASE("extensions", "3;a=b;c=\"d e\"\r\nabc\r\n0;x\r\n\r\n", REQUEST_BODY_DONE, "abc"),
    CASE("trailers", "0\r\nX: y\r\nZ: \t1\r\n\r\n", REQUEST_BODY_DONE, ""),
    CASE("content that looks like framing", "5\r\n0\r\n\r\n\r\n0\r\n\r\n", REQUEST_BODY_DONE, "0\r\n\r\n"),
    CASE("no size", "\r\nabc", REQUEST_BODY_BAD, ""),
    CASE("an extension without size", ";a\r\n", REQUEST_BODY_BAD, ""),
    CASE("a sign", "+3\r\nabc\r\n", REQUEST_BODY_BAD, ""),
    CASE("a negative size", "-1\r\n", REQUEST_BODY_BAD, ""),
    CASE("0x", "0x3\r\nabc\r\n", REQUEST_BODY_BAD, ""),
    CASE("a space before the size", " 3\r\nabc\r\n", REQUEST_BODY_BAD, ""),
    CASE("a space behind the size", "3 \r\nabc\r\n", REQUEST_BODY_BAD, ""),
    CASE("an underscore", "1_0\r\n", REQUEST_BODY_BAD, ""),
    CASE("bare LF behind the size", "3\nabc\r\n0\r\n\r\n", REQUEST_BODY_BAD, ""),
    CASE("bare CR behind the size", "3\rabc\r\n0\r\n\r\n", REQUEST_BODY_BAD, ""),
    CASE("bare LF in an extension", "3;a\nabc\r\n", REQUEST_BODY_BAD, ""),
    CASE("NUL in an extension", "3;\0\r\nabc\r\n", REQUEST_BODY_BAD, ""),
    CASE("a chunk longer than said", "3\r\nabcd\r\n0\r\n\r\n", REQUEST_BODY_BAD, "abc"),
    CASE("a chunk without line break", "3\r\nabc0\r\n\r\n", REQUEST_BODY_BAD, "abc"),
    CASE("bare LF behind a chunk", "3\r\nabc\n0\r\n\r\n", REQUEST_BODY_BAD, "abc"),
    CASE("any two bytes behind a chunk", "3\r\nabcXX0\r\n\r\n", REQUEST_BODY_BAD, "abc"),
    CASE("bare LF at the end", "0\r\n\n", REQUEST_BODY_BAD, ""),
    CASE("bare CR at the end", "0\r\n\rX", REQUEST_BODY_BAD, ""),
    CASE("a folded trailer", "0\r\nX: y\r\n z\r\n\r\n", REQUEST_BODY_BAD, ""),
    CASE("a trailer without name", "0\r\n: y\r\n\r\n", REQUEST_BODY_BAD, ""),
    CASE("bare LF in a trailer", "0\r\nX: y\n\r\n", REQUEST_BODY_BAD, ""),
    CASE("sixteen digits", "0000000000000003\r\nabc", REQUEST_BODY_BAD, ""),
    CASE("above the maximum at once", "15\r\n", REQUEST_BODY_TOO_LARGE, ""),
    CASE("above the maximum together", "a\r\n0123456789\r\nb\r\n", REQUEST_BODY_TOO_LARGE, "0123456789"),
    CASE("a size that would overflow", "fffffffffffffff\r\n", REQUEST_BODY_TOO_LARGE, ""),
    CASE("not over yet", "3\r\nabc\r\n", REQUEST_BODY_MORE, "abc"),
};

static void reads_chunks_to_the_letter(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(CHUNKED) / sizeof(CHUNKED[0]); i++) {
        const struct chunked_case *c = &CHUNKED[i];
        for (size_t step = 1; step <= c->bytes.len; step++) {
            struct outcome o = run(true, 0, c->bytes, step);
            if (o.state != c->want || !slice_eq(slice_from(o.content, o.len), slice_str(c->content)))
                fail_msg("%s (in pieces of %zu): state %d, content \"%.*s\"", c->why, step, o.state, (int)o.len,
                         o.content);
            if (o.state == REQUEST_BODY_DONE && o.consumed != c->bytes.len)
                fail_msg("%s: consumed %zu of %zu", c->why, o.consumed, c->bytes.len);
        }
    }
}

static void leaves_the_next_request(void **state)
{
    (void)state;
    assert_int_equal(run(true, 0, SLICE("1\r\na\r\n0\r\n\r\nGET"), 64).consumed, 11);
    struct outcome o = run(false, 3, SLICE("abcGET"), 64);
    assert_int_equal(o.state, REQUEST_BODY_DONE);
    assert_int_equal(o.consumed, 3);
}

static void counts_a_known_length(void **state)
{
    (void)state;
    assert_int_equal(run(false, 0, SLICE(""), 1).state, REQUEST_BODY_DONE);
    assert_int_equal(run(false, 5, SLICE("abcd"), 1).state, REQUEST_BODY_MORE);
    assert_int_equal(run(false, MAX, SLICE("01234567890123456789"), 7).state, REQUEST_BODY_DONE);
    assert_int_equal(run(false, MAX + 1, SLICE("x"), 1).state, REQUEST_BODY_TOO_LARGE);
}

/* Nobody may keep a server busy with bytes that are not content. */
static void limits_extensions(void **state)
{
    struct request_body b;
    struct outcome o = { 0 };

    (void)state;
    request_body_begin(&b, true, 0, MAX);
    feed_piece(&b, &o, SLICE("1;"));
    for (int i = 0; i < 16 * 1024; i++) {
        feed_piece(&b, &o, SLICE("x"));
        assert_int_equal(o.state, REQUEST_BODY_MORE);
    }
    feed_piece(&b, &o, SLICE("x"));
    assert_int_equal(o.state, REQUEST_BODY_BAD);
    feed_piece(&b, &o, SLICE("\r\na\r\n0\r\n\r\n"));
    assert_int_equal(o.state, REQUEST_BODY_BAD);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_chunks_to_the_letter),
        cmocka_unit_test(leaves_the_next_request),
        cmocka_unit_test(counts_a_known_length),
        cmocka_unit_test(limits_extensions),
    };
    edge = edge_new();
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    edge_free(&edge);
    return failed;
}
