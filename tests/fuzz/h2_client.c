/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a server sends to an HTTP/2 client. Properties: streams end at most once; and the events are those of the same
 * bytes one by one, when no header block is taken from memory. */
#include "http/h2_client.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { STREAMS = 40 };

struct stream {
    uint64_t events, length, data, bytes; /* of all events in order: a hash (FNV-1a); the others in sum */
    bool ended, wants_fields;
};

struct peer {
    struct stream streams[STREAMS];
    uint64_t limits;
};

static void promise(bool kept)
{
    if (!kept)
        abort();
}

static void mix(uint64_t *hash, const void *bytes, size_t len)
{
    const uint8_t *at = bytes;

    for (size_t i = 0; i < len; i++)
        *hash = (*hash ^ at[i]) * 0x100000001b3u;
    *hash = (*hash ^ len) * 0x100000001b3u;
}

static bool on_head(void *stream, uint16_t status)
{
    struct stream *s = stream;

    promise(!s->ended);
    mix(&s->events, &status, sizeof(status));
    return s->wants_fields;
}

static void on_field(void *stream, struct slice name, struct slice value)
{
    struct stream *s = stream;

    promise(!s->ended && s->wants_fields);
    mix(&s->events, name.ptr, name.len);
    mix(&s->events, value.ptr, value.len);
}

static void on_length(void *stream, uint64_t length)
{
    struct stream *s = stream;

    s->length = length;
}

static void on_bytes(void *stream, size_t n)
{
    struct stream *s = stream;

    s->bytes += n;
}

static void on_data(void *stream, struct slice bytes)
{
    struct stream *s = stream;

    promise(!s->ended);
    s->data += bytes.len;
}

static void on_stream(void *stream)
{
    (void)stream;
}

static void on_end(void *stream, bool complete, uint32_t code)
{
    struct stream *s = stream;

    promise(!s->ended);
    s->ended = true;
    mix(&s->events, &complete, sizeof(complete));
    mix(&s->events, &code, sizeof(code));
}

static void on_refused(void *connection, int32_t id)
{
    struct peer *p = connection;

    mix(&p->limits, &id, sizeof(id));
}

static void on_number(void *connection, uint32_t n)
{
    struct peer *p = connection;

    mix(&p->limits, &n, sizeof(n));
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

static bool drain(struct h2_client *h2)
{
    struct slice out;

    do {
        if (!h2_client_output(h2, &out))
            return false;
    } while (out.len > 0);
    return true;
}

static void converse(struct peer *p, struct h2_pool *pool, const struct h2_request *request, const uint8_t *data,
                     size_t size, size_t piece)
{
    struct h2_client *h2;
    bool ok = true;

    memset(p, 0, sizeof(*p));
    promise(h2_client_new(&h2, pool, &EVENTS, p, NULL) == 0);
    for (size_t i = 0; i < STREAMS; i++) {
        p->streams[i].wants_fields = i % 2 == 0;
        promise(h2_client_submit(h2, request, &p->streams[i]) > 0);
    }
    promise(drain(h2));
    h2_client_cancel(h2, 5);
    for (size_t at = 0; ok && at < size; at += piece)
        ok = h2_client_feed(h2, (const char *)data + at, piece < size - at ? piece : size - at);
    (void)drain(h2);
    h2_client_free(h2, pool);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct peer bytewise, whole;
    static struct h2_pool *pool;
    static struct h2_request *request;

    if (pool == NULL) {
        promise(h2_pool_new(&pool, (size_t)64 << 20, NULL) == 0);
        promise(h2_request_new(&request, SLICE("GET / HTTP/1.1\r\nHost: a\r\n\r\n"), false, false, NULL) == 0);
    }
    converse(&bytewise, pool, request, data, size, 1);
    converse(&whole, pool, request, data, size, size > 0 ? size : 1);
    promise(memcmp(&bytewise, &whole, sizeof(whole)) == 0);
    return 0;
}
