/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Bytes behind an HTTP/2 client's preface. Properties: every stream that began is closed at most once and only if it
 * began; heads keep the promises of the strict reader; output ends. */
#include "http/h2_server.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { STREAMS = 256 };

struct stream {
    struct peer *peer;
    int32_t id;
    uint32_t left;
    bool open, ended;
};

struct peer {
    struct h2_server *h2;
    struct stream streams[STREAMS];
    unsigned count;
};

static void promise(bool kept)
{
    if (!kept)
        abort();
}

static bool inside(struct slice part, struct slice whole)
{
    return part.len == 0 || (part.ptr >= whole.ptr && part.ptr + part.len <= whole.ptr + whole.len);
}

static void *on_request(void *connection, int32_t id, const struct request_head *head, struct slice bytes,
                        bool has_body)
{
    struct peer *p = connection;

    (void)has_body;
    promise(inside(head->fields, bytes) && inside(head->query, bytes) && inside(head->host, bytes) &&
            inside(head->line, bytes));
    promise(head->refused != 0 || ((head->asterisk || head->path.ptr[0] == '/') && head->host.len > 0));
    if (p->count == STREAMS)
        return NULL;
    struct stream *s = &p->streams[p->count++];
    *s = (struct stream){ .peer = p, .id = id, .left = 20000, .open = true };
    return s;
}

static void on_data(void *stream, struct slice bytes)
{
    struct stream *s = stream;

    promise(s->open && bytes.len > 0 && !s->ended);
}

static void on_data_end(void *stream)
{
    struct stream *s = stream;
    const struct h2_field field = { SLICE("X-Field"), SLICE("value") };

    promise(s->open && !s->ended);
    s->ended = true;
    if (s->id % 4 == 3)
        h2_server_reset(s->peer->h2, s->id);
    else
        h2_server_answer(s->peer->h2, s->id, 200, &field, 1, s->id % 4 == 1);
}

static long read_body(void *stream, char *out, size_t len, bool *end)
{
    struct stream *s = stream;
    size_t n = s->left < len ? s->left : len;

    promise(s->open);
    memset(out, 'x', n);
    s->left -= (uint32_t)n;
    *end = s->left == 0;
    return (long)n;
}

static void on_closed(void *stream, bool complete)
{
    struct stream *s = stream;

    (void)complete;
    promise(s->open);
    s->open = false;
}

static const struct h2_server_events EVENTS = { on_request, on_data, on_data_end, read_body, on_closed };

static bool drain(struct peer *p)
{
    struct slice out;

    for (int i = 0; i < 10000; i++) {
        if (!h2_server_output(p->h2, &out))
            return false;
        if (out.len == 0)
            return true;
    }
    abort(); /* more than windows and streams allow */
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct peer p;
    size_t at = 0;
    bool alive;

    memset(&p, 0, sizeof(p));
    if (h2_server_new(&p.h2, &EVENTS, &p, 4096, NULL) != 0)
        return 0;
    alive = h2_server_feed(p.h2, H2_PREFACE, H2_PREFACE_BYTES) && drain(&p);
    while (alive && at < size) {
        size_t n = size - at < 100 ? size - at : 100;
        alive = h2_server_feed(p.h2, (const char *)data + at, n) && drain(&p);
        at += n;
    }
    h2_server_free(p.h2);
    return 0;
}
