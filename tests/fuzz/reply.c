/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Replies: one outcome however the bytes are cut, never more consumed than given, content = body bytes.
 * Input: a byte of options, a byte of piece length, then the connection's bytes. */
#include "http/reply.h"

#include <stdlib.h>
#include <string.h>

struct outcome {
    struct reply reply;
    enum reply_state state;
    uint64_t consumed, content, hash;
};

static void on_body(void *arg, struct slice bytes)
{
    struct outcome *o = arg;

    if (bytes.len == 0)
        abort();
    o->content += bytes.len;
    for (size_t i = 0; i < bytes.len; i++)
        o->hash = (o->hash ^ (unsigned char)bytes.ptr[i]) * UINT64_C(1099511628211);
}

/* Every piece is a copy of its own, so that reading past its end is seen. */
static enum reply_state feed_piece(struct outcome *o, const uint8_t *data, size_t len)
{
    char *const copy = malloc(len);
    size_t used = 0;

    if (copy == NULL)
        abort();
    memcpy(copy, data, len);
    enum reply_state state = reply_feed(&o->reply, copy, len, &used);
    free(copy);
    if (used > len || (state == REPLY_MORE && used != len))
        abort();
    o->consumed += used;
    if (state == REPLY_BODY) {
        const uint64_t rest = len - used, left = o->reply.body_left;
        if (left == 0)
            abort();
        o->consumed += rest < left ? rest : left;
        state = reply_body_moved(&o->reply, rest < left ? rest : left);
    }
    return state;
}

static void run(struct outcome *o, const struct reply_settings *settings, bool head, const uint8_t *data, size_t len,
                size_t step)
{
    size_t at = 0;

    memset(o, 0, sizeof(*o));
    reply_init(&o->reply, settings, o);
    reply_begin(&o->reply, head);
    o->state = REPLY_MORE;
    while (at < len && (o->state == REPLY_MORE || o->state == REPLY_BODY)) {
        const size_t part = step < len - at ? step : len - at;
        o->state = feed_piece(o, data + at, part);
        at += part;
    }
    if (o->state == REPLY_MORE || o->state == REPLY_BODY)
        o->state = reply_end_of_stream(&o->reply);
}

static bool same(const struct outcome *a, const struct outcome *b)
{
    const struct reply *x = &a->reply, *y = &b->reply;

    return a->state == b->state && a->consumed == b->consumed && a->content == b->content && a->hash == b->hash &&
           x->status == y->status && x->version == y->version && x->interim == y->interim &&
           x->head_bytes == y->head_bytes && x->keep_alive == y->keep_alive && x->chunked == y->chunked &&
           x->until_close == y->until_close && x->body_left == y->body_left && x->body_bytes == y->body_bytes &&
           strcmp(reply_reason(x), reply_reason(y)) == 0;
}

static void check(const struct outcome *o, bool head)
{
    const struct reply *r = &o->reply;

    if ((r->chunked || r->until_close) && o->content != r->body_bytes)
        abort();
    if (o->state == REPLY_DONE && (r->status < 200 || r->body_left != 0 || !r->head_complete))
        abort();
    if (o->state == REPLY_DONE && (head || r->status == 204 || r->status == 304) && r->body_bytes != 0)
        abort();
    if (r->keep_alive && (r->until_close || o->state == REPLY_BAD))
        abort();
    if (o->state == REPLY_BAD && reply_reason(r)[0] == '\0')
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 2)
        return 0;
    const bool head = data[0] & 1;
    const struct reply_settings settings = { .head_max_bytes = (data[0] & 2) ? 64 : 65536, .on_body = on_body };
    struct outcome whole, cut, bytes;
    run(&whole, &settings, head, data + 2, size - 2, size);
    run(&cut, &settings, head, data + 2, size - 2, (size_t)data[1] + 1);
    run(&bytes, &settings, head, data + 2, size - 2, 1);
    check(&whole, head);
    if (!same(&whole, &cut) || !same(&whole, &bytes))
        abort();
    return 0;
}
