/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "http/reply.h"

#include <assert.h>
#include <stdalign.h>
#include <string.h>

#include <llhttp/llhttp.h>

static_assert(sizeof(llhttp_t) <= sizeof(((struct reply *)0)->_parser), "reply.h has too little room for llhttp_t");
static_assert(alignof(llhttp_t) <= alignof(uint64_t), "reply.h aligns llhttp_t too loosely");

/* off_t's range: nobody sends more, and sums of a few such lengths still fit. */
#define LENGTH_MAX ((uint64_t)INT64_MAX)

static llhttp_t *parser_of(const struct reply *r)
{
    return (llhttp_t *)(uintptr_t)r->_parser;
}

static bool has_no_body(const struct reply *r, const llhttp_t *p)
{
    return r->_head_request || p->status_code / 100 == 1 || p->status_code == 204 || p->status_code == 304;
}

/* 1: llhttp is not to expect a body (it would after a 204 or 304 with a length); the message ends here for it, and a
 * known length is moved by the owner. HPE_PAUSED: stop once so that reply_feed() learns where the head ended, then go
 * on with the body. */
static int on_headers_complete(llhttp_t *p)
{
    const struct reply *r = p->data;

    return has_no_body(r, p) || ((p->flags & F_CONTENT_LENGTH) && !(p->flags & F_TRANSFER_ENCODING)) ? 1 : HPE_PAUSED;
}

static int on_body(llhttp_t *p, const char *at, size_t len)
{
    struct reply *r = p->data;

    r->body_bytes += len;
    if (r->_settings->on_body != NULL)
        r->_settings->on_body(r->_arg, slice_from(at, len));
    return 0;
}

/* llhttp would go on with the next message, with its own idea of what may follow `Connection: close`. */
static int on_message_complete(llhttp_t *p)
{
    (void)p;
    return HPE_PAUSED;
}

/* No callbacks for names and values of fields: llhttp finds lengths, codings and connection options by itself. */
static const llhttp_settings_t PARSER_SETTINGS = {
    .on_headers_complete = on_headers_complete,
    .on_body = on_body,
    .on_message_complete = on_message_complete,
};

void reply_init(struct reply *r, const struct reply_settings *settings, void *arg)
{
    memset(r, 0, sizeof(*r));
    r->_settings = settings;
    r->_arg = arg;
    llhttp_init(parser_of(r), HTTP_RESPONSE, &PARSER_SETTINGS);
    parser_of(r)->data = r;
}

void reply_begin(struct reply *r, bool head_request)
{
    llhttp_reset(parser_of(r));
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

/* RFC 9112 9.3: close wins wherever it stands (llhttp lets keep-alive win in HTTP/1.0), 1.1 persists, 1.0 only when it
 * says so. 6.1: a 1.0 reply with a transfer coding is not to be trusted with another request. */
static bool allows_reuse(const struct reply *r, const llhttp_t *p)
{
    if ((p->flags & F_CONNECTION_CLOSE) || r->until_close)
        return false;
    if (r->version == 11)
        return true;
    return (p->flags & F_CONNECTION_KEEP_ALIVE) && !(p->flags & F_TRANSFER_ENCODING);
}

static enum reply_state take_head(struct reply *r, const llhttp_t *p)
{
    if (p->http_major != 1)
        return refuse(r, "Unsupported HTTP version");
    if (p->status_code < 100)
        return refuse(r, "Invalid status code");
    if (p->status_code == 101)
        return refuse(r, "unexpected upgrade");
    r->version = (uint8_t)(10 + p->http_minor);
    r->status = p->status_code;
    r->head_complete = true;
    if (has_no_body(r, p)) {
        r->keep_alive = allows_reuse(r, p);
        return become(r, REPLY_DONE);
    }
    r->chunked = p->flags & F_CHUNKED;
    r->until_close = !r->chunked && ((p->flags & F_TRANSFER_ENCODING) || !(p->flags & F_CONTENT_LENGTH));
    r->keep_alive = allows_reuse(r, p);
    if (r->chunked || r->until_close)
        return REPLY_MORE;
    if (p->content_length > LENGTH_MAX)
        return refuse(r, "Content-Length overflow");
    r->body_left = p->content_length;
    return become(r, r->body_left > 0 ? REPLY_BODY : REPLY_DONE);
}

static void skip_interim(struct reply *r, llhttp_t *p)
{
    llhttp_reset(p);
    if (r->interim < UINT16_MAX)
        r->interim++;
    r->head_bytes = 0;
}

/* Feeds the head of the reply, or of one interim reply, and nothing behind it. */
static enum reply_state feed_head(struct reply *r, const char *bytes, size_t len, size_t *consumed)
{
    llhttp_t *p = parser_of(r);
    const size_t room = r->_settings->head_max_bytes - r->head_bytes;
    const size_t part = len < room ? len : room;

    *consumed = 0;
    if (part == 0)
        return become(r, REPLY_HEAD_TOO_LARGE);
    /* llhttp skips line breaks before a status line; behind a reply whose length was wrong they are garbage like any
     * other. */
    if (r->head_bytes == 0 && bytes[0] != 'H')
        return refuse(r, "Expected HTTP/");
    const llhttp_errno_t e = llhttp_execute(p, bytes, part);
    if (e == HPE_OK) {
        *consumed = part;
        r->head_bytes += (uint32_t)part;
        return part < len ? become(r, REPLY_HEAD_TOO_LARGE) : REPLY_MORE;
    }
    if (e != HPE_PAUSED && e != HPE_PAUSED_UPGRADE)
        return refuse(r, NULL);
    *consumed = (size_t)(p->error_pos - bytes);
    r->head_bytes += (uint32_t)*consumed;
    if (p->status_code >= 100 && p->status_code < 200 && p->status_code != 101 && p->http_major == 1) {
        skip_interim(r, p);
        return REPLY_MORE;
    }
    const enum reply_state state = take_head(r, p);
    if (state == REPLY_MORE)
        llhttp_resume(p);
    return state;
}

/* Feeds a chunked or close-delimited body. */
static enum reply_state feed_body(struct reply *r, const char *bytes, size_t len, size_t *consumed)
{
    llhttp_t *p = parser_of(r);
    const llhttp_errno_t e = llhttp_execute(p, bytes, len);

    if (e == HPE_OK) {
        *consumed = len;
        return REPLY_MORE;
    }
    *consumed = (size_t)(p->error_pos - bytes);
    if (e != HPE_PAUSED)
        return refuse(r, NULL);
    return become(r, REPLY_DONE);
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
    if (r->_reason != NULL)
        return r->_reason;
    const char *reason = r->_state == REPLY_BAD ? llhttp_get_error_reason(parser_of(r)) : NULL;
    return reason != NULL ? reason : "";
}
