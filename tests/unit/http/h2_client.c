/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Header blocks that repeat must tell what they tell when each is decoded. Fed byte by byte nothing is taken from
 * memory, so the events of the same bytes in larger pieces are held against those. */
#include "http/h2_client.h"

#include "base/random.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { STREAMS = 400, BLOCKS = 5, BLOCK_BYTES = 120 };

/* --- a client whose events are written down ----------------------------------------------------------------------- */

struct peer {
    struct h2_client *h2;
    struct peer_stream {
        struct peer *peer;
        unsigned number;
        uint64_t length;
    } streams[STREAMS];
    size_t len;
    char log[1 << 18];
};

__attribute__((format(printf, 2, 3))) static void note(struct peer *p, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    p->len += (size_t)vsnprintf(p->log + p->len, sizeof(p->log) - p->len, fmt, args);
    va_end(args);
    assert_true(p->len < sizeof(p->log));
}

static bool on_head(void *stream, uint16_t status)
{
    struct peer_stream *s = stream;

    note(s->peer, "%u head %u\n", s->number, status);
    return s->number % 2 == 0;
}

static void on_field(void *stream, struct slice name, struct slice value)
{
    struct peer_stream *s = stream;

    note(s->peer, "%u %.*s=%.*s\n", s->number, SLICE_FMT(name), SLICE_FMT(value));
}

static void on_length(void *stream, uint64_t length)
{
    struct peer_stream *s = stream;

    s->length = length; /* the last one counts: its place among the fields is not promised */
}

static void on_bytes(void *stream, size_t n)
{
    struct peer_stream *s = stream;

    note(s->peer, "%u bytes %zu\n", s->number, n);
}

static void on_data(void *stream, struct slice bytes)
{
    (void)stream;
    (void)bytes;
}

static void on_stream(void *stream)
{
    (void)stream;
}

static void on_end(void *stream, bool complete, uint32_t code)
{
    struct peer_stream *s = stream;

    note(s->peer, "%u end %d %u, length %u\n", s->number, complete, code, (unsigned)s->length);
}

static void on_refused(void *connection, int32_t id)
{
    (void)id;
    note(connection, "refused\n");
}

static void on_number(void *connection, uint32_t n)
{
    note(connection, "number %u\n", n);
}

static const struct h2_client_events EVENTS = { .on_head = on_head,
                                                .on_field = on_field,
                                                .on_length = on_length,
                                                .on_bytes = on_bytes,
                                                .on_data = on_data,
                                                .on_begun = on_stream,
                                                .on_sent = on_stream,
                                                .on_end = on_end,
                                                .on_refused = on_refused,
                                                .on_goaway = on_number,
                                                .on_limit = on_number };

static struct h2_pool *pool;
static struct h2_request *request;

static void drain(struct peer *p)
{
    struct slice out;

    do
        assert_true(h2_client_output(p->h2, &out));
    while (out.len > 0);
}

static void open_peer(struct peer *p)
{
    static const char settings[9] = { 0, 0, 0, 4 }; /* no limit of streams */

    p->len = 0;
    assert_int_equal(h2_client_new(&p->h2, pool, &EVENTS, p, NULL), 0);
    assert_true(h2_client_feed(p->h2, settings, sizeof(settings)));
    for (unsigned i = 0; i < STREAMS; i++) {
        p->streams[i] = (struct peer_stream){ p, i, 0 };
        assert_int_equal(h2_client_submit(p->h2, request, &p->streams[i]), 2 * i + 1);
    }
    drain(p);
    for (unsigned i = 6; i < STREAMS; i += 7) /* replies to these are still to be decoded */
        h2_client_cancel(p->h2, (int32_t)(2 * i + 1));
    drain(p);
}

/* In pieces of so many bytes; 0: of random sizes. */
static void feed(struct peer *p, const char *bytes, size_t len, size_t piece, struct rng *rng)
{
    for (size_t at = 0; at < len;) {
        size_t n = piece > 0 ? piece : 1 + (size_t)rng_below(rng, 3000);

        n = n < len - at ? n : len - at;
        if (!h2_client_feed(p->h2, bytes + at, n))
            note(p, "failed: %s\n", h2_client_reason(p->h2));
        at += n;
    }
    drain(p);
    note(p, "%s alive, reason \"%s\"\n", h2_client_is_alive(p->h2) ? "" : "not", h2_client_reason(p->h2));
    h2_client_free(p->h2, pool);
}

/* --- a server that makes replies ---------------------------------------------------------------------------------- */

struct server {
    struct rng rng;
    unsigned added; /* fields in the decoder's table, at least */
    size_t len;
    char bytes[STREAMS * 320];
    struct block {
        size_t len;
        bool sizes;
        unsigned adds, needs; /* needs: so many fields in the table, at least */
        char bytes[BLOCK_BYTES];
    } blocks[BLOCKS];
};

static unsigned pick(struct server *s, unsigned n)
{
    return (unsigned)(rng_below(&s->rng, n));
}

static void put(struct block *b, const void *bytes, size_t len)
{
    assert_true(b->len + len <= sizeof(b->bytes));
    memcpy(b->bytes + b->len, bytes, len);
    b->len += len;
}

static void make_field(struct server *s, struct block *b)
{
    const char value = (char)('0' + pick(s, 10));
    const char added[] = { 0x5c, 2, value, (char)('0' + pick(s, 10)) };         /* content-length, added */
    const char named[] = { 0x40, 2, 'x', value, 1, (char)('a' + pick(s, 26)) }; /* x…, added */
    const char alone[] = { 0x0f, 0x0d, 1, value };                              /* content-length, not added */
    const unsigned depth = pick(s, pick(s, 2) == 0 ? 10 : 64);                  /* 80 fields of ours fit the table */
    const char indexed = (char)(0x80 + 62 + depth);
    const char old_name[] = { 0x0f, (char)(62 - 15 + depth), 1, value };

    switch (pick(s, 5)) {
    case 0:
        put(b, added, sizeof(added));
        b->adds++;
        break;
    case 1:
        put(b, named, sizeof(named));
        b->adds++;
        break;
    case 2:
        put(b, alone, sizeof(alone));
        break;
    case 3:
        put(b, &indexed, 1);
        b->needs = b->needs > depth ? b->needs : depth + 1;
        break;
    default:
        put(b, old_name, sizeof(old_name));
        b->needs = b->needs > depth ? b->needs : depth + 1;
    }
}

static void make_block(struct server *s, struct block *b)
{
    const unsigned fields = pick(s, 5);

    *b = (struct block){ 0 };
    if (pick(s, 12) == 0) { /* the table is emptied, and made as large as it was */
        put(b, "\x20\x3f\xe1\x1f", 4);
        b->sizes = true;
    }
    put(b, pick(s, 4) == 0 ? "\x8d" : "\x88", 1); /* 404, 200 */
    for (unsigned i = 0; i < fields; i++)
        make_field(s, b);
}

static void put_frame(struct server *s, unsigned type, unsigned flags, unsigned stream, const char *payload, size_t len)
{
    const uint32_t id = 2 * stream + 1;
    const char head[] = { 0, (char)(len >> 8), (char)len, (char)type, (char)flags, 0, 0, (char)(id >> 8), (char)id };

    assert_true(s->len + sizeof(head) + len <= sizeof(s->bytes));
    memcpy(s->bytes + s->len, head, sizeof(head));
    memcpy(s->bytes + s->len + sizeof(head), payload, len);
    s->len += sizeof(head) + len;
}

/* HEADERS in all the ways there are: plain (most), padded, with a priority, followed by CONTINUATION or DATA. */
static void put_reply(struct server *s, unsigned stream, const struct block *b)
{
    char other[BLOCK_BYTES + 16] = { 0 };
    const unsigned way = pick(s, 40);

    if (way == 0) {
        other[0] = 3; /* of padding */
        memcpy(other + 1, b->bytes, b->len);
        put_frame(s, 1, 0x04 | 0x01 | 0x08, stream, other, 1 + b->len + 3);
    } else if (way == 1) {
        memcpy(other + 5, b->bytes, b->len);
        put_frame(s, 1, 0x04 | 0x01 | 0x20, stream, other, 5 + b->len);
    } else if (way == 2) {
        put_frame(s, 1, 0x01, stream, b->bytes, b->len / 2);
        put_frame(s, 9, 0x04, stream, b->bytes + b->len / 2, b->len - b->len / 2);
    } else if (way < 10) {
        put_frame(s, 1, 0x04, stream, b->bytes, b->len);
        put_frame(s, 0, 0x01, stream, other, pick(s, BLOCK_BYTES));
    } else {
        put_frame(s, 1, 0x04 | 0x01, stream, b->bytes, b->len);
    }
}

static void make_replies(struct server *s, uint64_t seed)
{
    unsigned run = 0, block = 0;

    rng_init(&s->rng, seed);
    s->added = 0;
    s->len = 0;
    for (unsigned i = 0; i < BLOCKS; i++)
        make_block(s, &s->blocks[i]);
    for (unsigned i = 0; i < STREAMS; i++) {
        struct block *b = &s->blocks[block];

        if (run == 0) {
            b = &s->blocks[block = pick(s, BLOCKS)];
            if (pick(s, 8) == 0)
                make_block(s, b);
            run = pick(s, 20) == 0 ? 200 : pick(s, 6);
        } else {
            run--;
        }
        while (s->added < b->needs || (b->sizes && (b->needs > 0 || run > 0)))
            make_block(s, b);
        s->added = b->sizes ? b->adds : s->added + b->adds;
        put_reply(s, i, b);
    }
}

static void repeated_blocks_tell_the_same(void **state)
{
    static struct server s;
    static struct peer bytewise, other;
    struct rng rng;

    (void)state;
    rng_init(&rng, 1);
    for (uint64_t seed = 0; seed < 150; seed++) {
        make_replies(&s, seed);
        open_peer(&bytewise);
        feed(&bytewise, s.bytes, s.len, 1, &rng);
        for (unsigned way = 0; way < 3; way++) {
            open_peer(&other);
            feed(&other, s.bytes, s.len, way == 0 ? s.len : way == 1 ? 1000 : 0, &rng);
            if (other.len != bytewise.len || memcmp(other.log, bytewise.log, other.len) != 0)
                fail_msg("seed %d, way %u: %zu bytes of events, byte by byte %zu", (int)seed, way, other.len,
                         bytewise.len);
        }
        if (strstr(bytewise.log, "failed") != NULL || strstr(bytewise.log, "reason \"\"") == NULL)
            fail_msg("seed %d: the test's server is wrong: %.300s", (int)seed, bytewise.log + bytewise.len - 200);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(repeated_blocks_tell_the_same) };
    const struct slice head = SLICE("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
    int failed;

    if (h2_pool_new(&pool, (size_t)64 << 20, NULL) != 0 || h2_request_new(&request, head, false, false, NULL) != 0)
        return 1;
    failed = cmocka_run_group_tests(tests, NULL, NULL);
    h2_request_free(request);
    h2_pool_free(pool);
    return failed;
}
