/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "load/pipeline_write.h"

#include <string.h>

static struct slice head_of(const struct exchange *x)
{
    const struct target *t = x->client->target;

    if (t->is_rendered)
        return slice_from(x->rendered, x->rendered_len);
    return buf_slice(x->closes ? &t->close_request : &t->keep_request);
}

static uint64_t bytes_of(const struct exchange *x)
{
    return head_of(x).len + x->client->target->body.bytes;
}

bool pipeline_is_all_sent(const struct exchange *x)
{
    return x->body_sent == bytes_of(x);
}

/* As many requests as there are, up to a scratch's worth and to the first whose body comes from elsewhere: one write.
 */
static struct slice gather(const struct client *c)
{
    const struct exchange *x = c->writing;
    struct slice bytes = slice_drop(head_of(x), (size_t)x->body_sent);
    size_t len = 0;

    if (x->next_queued == NULL || c->target->body.bytes > 0)
        return bytes;
    for (; x != NULL && len < SCRATCH_BYTES; x = x->next_queued) {
        size_t n;

        bytes = slice_drop(head_of(x), (size_t)x->body_sent);
        n = bytes.len < SCRATCH_BYTES - len ? bytes.len : SCRATCH_BYTES - len;
        memcpy(c->loader->scratch + len, bytes.ptr, n);
        len += n;
    }
    return slice_from(c->loader->scratch, len);
}

enum io pipeline_write_some(struct client *c, size_t *moved)
{
    struct exchange *x = c->writing;
    const size_t head = head_of(x).len;
    struct slice bytes;

    if (x->body_sent >= head)
        return body_write(&c->target->body, x->body_sent - head, &x->body_piece, &c->stream, &c->loader->body_way,
                          moved);
    bytes = gather(c);
    return stream_write(&c->stream, bytes.ptr, bytes.len, moved);
}

void pipeline_note_written(struct client *c, size_t moved, uint64_t before, uint64_t after)
{
    while (moved > 0) {
        struct exchange *x = c->writing;
        const uint64_t left = bytes_of(x) - x->body_sent;
        const uint64_t n = moved < left ? moved : left;

        if (x->body_sent == 0)
            exchange_note_sent(x, before);
        x->body_sent += n;
        if (!x->warm)
            c->tally->bytes_sent += n;
        if (pipeline_is_all_sent(x)) {
            x->sent_last_ns = after;
            c->writing = x->next_queued;
        }
        moved -= (size_t)n;
    }
}
