/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "http/reply.h"

#include <assert.h>
#include <string.h>

void reply_init(struct reply *r, const struct reply_settings *settings, void *arg)
{
    memset(r, 0, sizeof(*r));
    r->_settings = settings;
    r->_arg = arg;
    reply_begin(r, false);
}

void reply_begin(struct reply *r, bool head_request)
{
    reply_head_begin(&r->_head);
    r->_reason = NULL;
    r->head_bytes = 0;
    r->interim = 0;
    r->status = 0;
    r->version = 0;
    r->head_complete = false;
    r->keep_alive = false;
    r->until_close = false;
    r->chunked = false;
    r->started = false;
    r->_head_request = head_request;
    r->_state = REPLY_MORE;
    r->body_left = 0;
    r->body_bytes = 0;
}

static enum reply_state become(struct reply *r, enum reply_state state)
{
    r->_state = (uint8_t)state;
    return state;
}

static enum reply_state refuse(struct reply *r, const char *reason)
{
    r->_reason = reason;
    r->keep_alive = false;
    return become(r, REPLY_BAD);
}

/* RFC 9112 9.3: close wins wherever it stands, 1.1 persists, 1.0 only when it says so. 6.1: a 1.0 reply with a transfer
 * coding is not to be trusted with another request. */
static bool allows_reuse(const struct reply *r)
{
    const uint8_t flags = r->_head.flags;

    if ((flags & REPLY_HEAD_CLOSE) || r->until_close)
        return false;
    return r->version == 11 || ((flags & REPLY_HEAD_KEEP_ALIVE) && !(flags & REPLY_HEAD_CODING));
}

/* RFC 9112 6.3, in its order. */
static enum reply_state take_head(struct reply *r)
{
    const struct reply_head *h = &r->_head;

    r->version = h->version;
    r->status = h->status;
    r->head_complete = true;
    if (r->_head_request || h->status == 204 || h->status == 304) {
        r->keep_alive = allows_reuse(r);
        return become(r, REPLY_DONE);
    }
    if ((h->flags & REPLY_HEAD_CODING) && (h->flags & REPLY_HEAD_LENGTH))
        return refuse(r, "Content-Length together with Transfer-Encoding");
    r->chunked = h->flags & REPLY_HEAD_CHUNKED;
    r->until_close = !r->chunked && !(h->flags & REPLY_HEAD_LENGTH);
    r->keep_alive = allows_reuse(r);
    if (r->chunked)
        reply_chunks_begin(&r->_chunks, r->_settings->head_max_bytes);
    if (r->chunked || r->until_close)
        return REPLY_MORE;
    r->body_left = h->length;
    return become(r, r->body_left > 0 ? REPLY_BODY : REPLY_DONE);
}

static enum reply_state end_head(struct reply *r)
{
    if (r->_head.status >= 200)
        return take_head(r);
    if (r->_head.status == 101)
        return refuse(r, "unexpected upgrade");
    r->interim++;
    r->head_bytes = 0;
    reply_head_begin(&r->_head);
    return REPLY_MORE;
}

/* Feeds the head of the reply, or of one interim reply, and nothing behind it. */
static enum reply_state feed_head(struct reply *r, const char *bytes, size_t len, size_t *consumed)
{
    const size_t room = r->_settings->head_max_bytes - r->head_bytes;

    if (room == 0)
        return become(r, REPLY_HEAD_TOO_LARGE);
    const enum reply_head_state state = reply_head_feed(&r->_head, bytes, len < room ? len : room, consumed);
    r->head_bytes += (uint32_t)*consumed;
    if (state == REPLY_HEAD_END)
        return end_head(r);
    if (state == REPLY_HEAD_BAD)
        return refuse(r, r->_head.reason);
    return REPLY_MORE;
}

static void take_content(struct reply *r, struct slice content)
{
    r->body_bytes += content.len;
    if (content.len > 0 && r->_settings->on_body != NULL)
        r->_settings->on_body(r->_arg, content);
}

/* Feeds a chunked or close-delimited body. */
static enum reply_state feed_body(struct reply *r, const char *bytes, size_t len, size_t *consumed)
{
    struct slice content = slice_from(bytes, len);

    if (r->until_close) {
        *consumed = len;
        take_content(r, content);
        return REPLY_MORE;
    }
    const enum reply_chunks_state state = reply_chunks_feed(&r->_chunks, content, consumed, &content);
    take_content(r, content);
    if (state == REPLY_CHUNKS_BAD)
        return refuse(r, r->_chunks.reason);
    return state == REPLY_CHUNKS_END ? become(r, REPLY_DONE) : REPLY_MORE;
}

enum reply_state reply_feed(struct reply *r, const char *bytes, size_t len, size_t *consumed)
{
    size_t used = 0;

    if (len > 0)
        r->started = true;
    /* Each turn consumes at least one byte or ends. */
    while (r->_state == REPLY_MORE && used < len) {
        size_t part = 0;
        if (r->head_complete)
            feed_body(r, bytes + used, len - used, &part);
        else
            feed_head(r, bytes + used, len - used, &part);
        used += part;
    }
    *consumed = used;
    return (enum reply_state)r->_state;
}

enum reply_state reply_body_moved(struct reply *r, uint64_t n)
{
    assert(r->_state == REPLY_BODY && n <= r->body_left);
    r->body_left -= n;
    r->body_bytes += n;
    return r->body_left > 0 ? REPLY_BODY : become(r, REPLY_DONE);
}

enum reply_state reply_end_of_stream(struct reply *r)
{
    if (r->_state == REPLY_MORE && r->head_complete && r->until_close)
        return become(r, REPLY_DONE);
    return r->_state == REPLY_BODY ? REPLY_MORE : (enum reply_state)r->_state;
}

const char *reply_reason(const struct reply *r)
{
    return r->_reason != NULL ? r->_reason : "";
}

bool reply_length(const struct reply *r, uint64_t *out)
{
    if (!r->head_complete || (r->_head.flags & REPLY_HEAD_LENGTH) == 0) {
        return false;
    }
    *out = r->_head.length;
    return true;
}
