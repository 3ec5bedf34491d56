/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "http/reply.h"

#include "../base/edge.h"

#include <inttypes.h>
#include <stdio.h>

#define OK "HTTP/1.1 200 OK\r\n"
#define OK10 "HTTP/1.0 200 OK\r\n"
#define CHUNKED OK "Transfer-Encoding: chunked\r\n\r\n"
#define LEN3 "Content-Length: 3\r\n"

/* What came of a reply: the owner has moved the body, and the peer has closed where that ends the body. */
struct outcome {
    enum reply_state state;
    char content[64]; /* as on_body saw it */
    size_t content_len, consumed;
    struct reply reply;
};

static void on_body(void *arg, struct slice bytes)
{
    struct outcome *o = arg;

    if (o->content_len + bytes.len <= sizeof(o->content))
        memcpy(o->content + o->content_len, bytes.ptr, bytes.len);
    o->content_len += bytes.len;
}

static const struct reply_settings SETTINGS = { .head_max_bytes = 65536, .on_body = on_body };

/* One piece as an owner of a connection would take it; false when the reply is over. */
static bool take_piece(struct outcome *o, const char *bytes, size_t len)
{
    struct reply *r = &o->reply;
    size_t used = 0;

    o->state = reply_feed(r, bytes, len, &used);
    if (used > len)
        fail_msg("consumed %zu of %zu", used, len);
    o->consumed += used;
    if (o->state == REPLY_BODY && used < len) {
        const uint64_t rest = len - used;
        const uint64_t part = rest < r->body_left ? rest : r->body_left;
        o->consumed += part;
        o->state = reply_body_moved(r, part);
    }
    return o->state == REPLY_MORE || o->state == REPLY_BODY;
}

/* Cuts the bytes before `cut` (0: nowhere), or everywhere. */
enum { EVERYWHERE = -1 };
static struct edge edge; /* every piece ends at an unreadable page */

static void run(struct outcome *o, struct slice bytes, ptrdiff_t cut, bool head)
{
    memset(o, 0, sizeof(*o));
    reply_init(&o->reply, &SETTINGS, o);
    reply_begin(&o->reply, head);
    size_t at = 0;
    while (at < bytes.len) {
        const size_t len = cut == EVERYWHERE ? 1 : cut > 0 && at == 0 ? (size_t)cut : bytes.len - at;
        if (!take_piece(o, edge_put(&edge, bytes.ptr + at, len).ptr, len))
            return;
        at += len;
    }
    o->state = reply_end_of_stream(&o->reply);
}

static void same_outcome(const struct outcome *a, const struct outcome *b, const char *why, ptrdiff_t cut)
{
    const struct reply *x = &a->reply, *y = &b->reply;
    const bool same = a->state == b->state && a->consumed == b->consumed && a->content_len == b->content_len &&
                      memcmp(a->content, b->content, sizeof(a->content)) == 0 && x->status == y->status &&
                      x->version == y->version && x->keep_alive == y->keep_alive && x->until_close == y->until_close &&
                      x->chunked == y->chunked && x->interim == y->interim && x->head_bytes == y->head_bytes &&
                      x->body_bytes == y->body_bytes && x->body_left == y->body_left &&
                      x->head_complete == y->head_complete && strcmp(reply_reason(x), reply_reason(y)) == 0;

    if (!same)
        fail_msg("%s: another outcome when cut at %td: state %d/%d, consumed %zu/%zu, %s/%s", why, cut, (int)a->state,
                 (int)b->state, a->consumed, b->consumed, reply_reason(x), reply_reason(y));
}

/* Whole, cut at every offset, and byte by byte: one outcome. */
static void run_all_ways(struct outcome *o, const char *why, struct slice bytes, bool head)
{
    struct outcome other;

    run(o, bytes, 0, head);
    for (size_t cut = 1; cut < bytes.len; cut++) {
        run(&other, bytes, (ptrdiff_t)cut, head);
        same_outcome(o, &other, why, (ptrdiff_t)cut);
    }
    run(&other, bytes, EVERYWHERE, head);
    same_outcome(o, &other, why, EVERYWHERE);
}

enum { KEEP = 1, CLOSED = 2, CUT = 4, HEAD = 8 };

static const struct good_case {
    const char *why, *bytes;
    const char *content; /* chunked and close-delimited ones */
    unsigned status, interim, flags;
    uint64_t body;
    size_t beyond; /* bytes at the end that are not this reply's */
} GOOD[] = {
    { "plain", OK LEN3 "\r\nabc", "", 200, 0, KEEP, 3, 0 },
    { "nothing follows a length of 0", OK "Content-Length: 0\r\n\r\nHT", "", 200, 0, KEEP, 0, 2 },
    { "bytes behind the body are not its own", OK LEN3 "\r\nabcHTTP", "", 200, 0, KEEP, 3, 4 },
    { "no reason phrase, with its blank", "HTTP/1.1 200 \r\n" LEN3 "\r\nabc", "", 200, 0, KEEP, 3, 0 },
    { "no reason phrase, no blank", "HTTP/1.1 200\r\n" LEN3 "\r\nabc", "", 200, 0, KEEP, 3, 0 },
    { "a reason phrase in Latin-1", "HTTP/1.1 404 Niet\xe9\t!\r\n" LEN3 "\r\nabc", "", 404, 0, KEEP, 3, 0 },
    { "later minor versions are read as 1.1", "HTTP/1.7 200 OK\r\n" LEN3 "\r\nabc", "", 200, 0, KEEP, 3, 0 },
    { "status without a meaning", "HTTP/1.1 999 Bot\r\n" LEN3 "\r\nabc", "", 999, 0, KEEP, 3, 0 },
    { "bare LF everywhere in the head", "HTTP/1.1 200 OK\nA: b\nContent-Length: 3\n\nabc", "", 200, 0, KEEP, 3, 0 },
    { "blanks around a length", OK "Content-Length: \t 3 \t \r\n\r\nabc", "", 200, 0, KEEP, 3, 0 },
    { "no blank before it", OK "Content-Length:3\r\n\r\nabc", "", 200, 0, KEEP, 3, 0 },
    { "names have no case", OK "cONTENT-lENGTH: 3\r\n\r\nabc", "", 200, 0, KEEP, 3, 0 },
    { "leading zeros", OK "Content-Length: 000000000000000000000003\r\n\r\nabc", "", 200, 0, KEEP, 3, 0 },
    { "the same length twice", OK LEN3 LEN3 "\r\nabc", "", 200, 0, KEEP, 3, 0 },
    { "the same length as a list", OK "Content-Length: 3, 3\r\n\r\nabc", "", 200, 0, KEEP, 3, 0 },
    { "names that begin or end alike", OK "Content-Lengthy: 9\r\nX-Content-Length: 8\r\nConten: 7\r\n" LEN3 "\r\nabc",
      "", 200, 0, KEEP, 3, 0 },
    { "empty value", OK "A:\r\nB: \r\n" LEN3 "\r\nabc", "", 200, 0, KEEP, 3, 0 },
    { "a folded field", OK "A: b\r\n c\r\n\td\r\n" LEN3 "\r\nabc", "", 200, 0, KEEP, 3, 0 },
    { "a folded length", OK "Content-Length:\r\n 3\r\n \r\n\r\nabc", "", 200, 0, KEEP, 3, 0 },
    { "values of bytes above 127 and tabs", OK "A: \xff\t\x80\r\n" LEN3 "\r\nabc", "", 200, 0, KEEP, 3, 0 },
    /* C38 */
    { "103 first", "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n" OK LEN3 "\r\nabc", "", 200, 1, KEEP, 3, 0 },
    { "100 and two 103", "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 E\r\n\r\nHTTP/1.1 103 E\r\n\r\n" OK LEN3 "\r\nabc",
      "", 200, 3, KEEP, 3, 0 },
    { "an interim reply's length, coding and close are nothing to us",
      "HTTP/1.1 102 P\r\nContent-Length: 9\r\nConnection: close\r\n\r\nHTTP/1.1 100 C\r\nTransfer-Encoding: "
      "chunked\r\n\r\n" OK LEN3 "\r\nabc",
      "", 200, 2, KEEP, 3, 0 },
    { "an interim reply and no more", "HTTP/1.1 100 C\r\n\r\n", "", 0, 1, CUT, 0, 0 },
    /* C39 */
    { "no length: the close ends it", OK "Connection: close\r\n\r\nabc", "abc", 200, 0, CLOSED, 3, 0 },
    { "no length, no close said", OK "\r\nabc", "abc", 200, 0, CLOSED, 3, 0 },
    { "an empty one", OK "\r\n", "", 200, 0, CLOSED, 0, 0 },
    { "keep-alive can not be kept without a length", OK10 "Connection: keep-alive\r\n\r\nabc", "abc", 200, 0, CLOSED, 3,
      0 },
    { "205 is framed like any other", "HTTP/1.1 205 R\r\n\r\nabc", "abc", 205, 0, CLOSED, 3, 0 },
    /* C42 */
    { "HEAD with a length", OK "Content-Length: 12345\r\n\r\nHTTP", "", 200, 0, KEEP | HEAD, 0, 4 },
    { "HEAD with a coding", CHUNKED "HTTP", "", 200, 0, KEEP | HEAD, 0, 4 },
    { "HEAD without a length", OK "\r\nHTTP", "", 200, 0, KEEP | HEAD, 0, 4 },
    { "HEAD with both: no body, so no conflict", OK LEN3 "Transfer-Encoding: chunked\r\n\r\nHTTP", "", 200, 0,
      KEEP | HEAD, 0, 4 },
    { "HEAD behind an interim reply", "HTTP/1.1 100 C\r\n\r\n" OK LEN3 "\r\nHTTP", "", 200, 1, KEEP | HEAD, 0, 4 },
    { "HEAD and close", OK LEN3 "Connection: close\r\n\r\n", "", 200, 0, HEAD, 0, 0 },
    /* C43 */
    { "204 bare", "HTTP/1.1 204 N\r\n\r\nHTTP", "", 204, 0, KEEP, 0, 4 },
    { "204 with a length", "HTTP/1.1 204 N\r\nContent-Length: 5\r\n\r\nHTTP", "", 204, 0, KEEP, 0, 4 },
    { "204 with a coding", "HTTP/1.1 204 N\r\nTransfer-Encoding: chunked\r\n\r\nHTTP", "", 204, 0, KEEP, 0, 4 },
    { "304 with a length", "HTTP/1.1 304 N\r\nContent-Length: 500\r\n\r\nHTTP", "", 304, 0, KEEP, 0, 4 },
    { "304 of 1.0", "HTTP/1.0 304 N\r\n\r\n", "", 304, 0, 0, 0, 0 },
    /* C46 and chunked's grammar */
    { "chunks", CHUNKED "3\r\nabc\r\nA\r\n0123456789\r\n0\r\n\r\nHT", "abc0123456789", 200, 0, KEEP, 13, 2 },
    { "empty chunked body", CHUNKED "0\r\n\r\n", "", 200, 0, KEEP, 0, 0 },
    { "extensions with and without values", CHUNKED "3;a;b=c ; d=\"e; \\\" f\"\r\nabc\r\n0;z\r\n\r\n", "abc", 200, 0,
      KEEP, 3, 0 },
    { "trailers", CHUNKED "3\r\nabc\r\n0\r\nT: v\r\nU: w\r\n x\r\n\r\nHT", "abc", 200, 0, KEEP, 3, 2 },
    { "trailers change no framing",
      CHUNKED "3\r\nabc\r\n0\r\nContent-Length: x\r\nConnection: close\r\nTransfer-Encoding: \"\r\n\r\nHT", "abc", 200,
      0, KEEP, 3, 2 },
    { "sizes with zeros and blanks in front and behind", CHUNKED "0000000000000000000003  \r\nabc\r\n00\r\n\r\n", "abc",
      200, 0, KEEP, 3, 0 },
    { "small hex digits", CHUNKED "00c\r\n0123456789ab\r\n0\r\n\r\n", "0123456789ab", 200, 0, KEEP, 12, 0 },
    { "chunked last of two codings", OK "Transfer-Encoding: gzip, chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n", "abc", 200, 0,
      KEEP, 3, 0 },
    { "codings on two lines", OK "Transfer-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", "", 200, 0,
      KEEP, 0, 0 },
    { "tabs around it, any case, empty elements", OK "Transfer-Encoding:\t, CHUNKED\t,\r\n\r\n0\r\n\r\n", "", 200, 0,
      KEEP, 0, 0 },
    { "a folded coding", OK "Transfer-Encoding: gzip,\r\n chunked\r\n\r\n0\r\n\r\n", "", 200, 0, KEEP, 0, 0 },
    { "chunked inside a quoted parameter is none", OK "Transfer-Encoding: x;y=\"a, chunked\"\r\n\r\nabc", "abc", 200, 0,
      CLOSED, 3, 0 },
    { "chunked not last: the close ends it", OK "Transfer-Encoding: chunked, gzip\r\n\r\nabc", "abc", 200, 0, CLOSED, 3,
      0 },
    { "the same over a fold", OK "Transfer-Encoding: chunked\r\n , gzip\r\n\r\nabc", "abc", 200, 0, CLOSED, 3, 0 },
    { "words that only look like it", OK "Transfer-Encoding: chunkedx, xchunked, chun ked\r\n\r\nabc", "abc", 200, 0,
      CLOSED, 3, 0 },
    { "1.0 with a coding is not to be trusted again",
      OK10 "Connection: keep-alive\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n", "abc", 200, 0, 0, 3,
      0 },
    /* C51 */
    { "a body cut short", OK LEN3 "\r\nab", "", 200, 0, KEEP | CUT, 2, 0 },
    { "no last chunk", CHUNKED "3\r\nabc\r\n", "abc", 200, 0, KEEP | CUT, 3, 0 },
    { "no end behind the last chunk", CHUNKED "0\r\n", "", 200, 0, KEEP | CUT, 0, 0 },
    { "trailers cut short", CHUNKED "0\r\nA: b\r\n", "", 200, 0, KEEP | CUT, 0, 0 },
    { "a chunk cut short", CHUNKED "5\r\nab", "ab", 200, 0, KEEP | CUT, 2, 0 },
    { "a head cut short", OK LEN3, "", 0, 0, CUT, 0, 0 },
    { "a status line cut short", "HTTP/1.", "", 0, 0, CUT, 0, 0 },
};

static void complete_and_cut_replies(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(GOOD) / sizeof(GOOD[0]); i++) {
        const struct good_case *c = &GOOD[i];
        const struct slice bytes = slice_str(c->bytes);
        struct outcome o;
        run_all_ways(&o, c->why, bytes, c->flags & HEAD);
        const struct reply *r = &o.reply;
        if (o.state != ((c->flags & CUT) ? REPLY_MORE : REPLY_DONE))
            fail_msg("%s: state %d, %s", c->why, (int)o.state, reply_reason(r));
        if (o.content_len != strlen(c->content) || memcmp(o.content, c->content, o.content_len) != 0)
            fail_msg("%s: content '%.*s'", c->why, (int)o.content_len, o.content);
        if (r->status != c->status || r->interim != c->interim || r->body_bytes != c->body || !r->started)
            fail_msg("%s: status %u, interim %u, body %" PRIu64, c->why, r->status, r->interim, r->body_bytes);
        if (o.consumed != bytes.len - c->beyond)
            fail_msg("%s: consumed %zu of %zu", c->why, o.consumed, bytes.len);
        if (r->keep_alive != ((c->flags & KEEP) != 0) || r->until_close != ((c->flags & CLOSED) != 0))
            fail_msg("%s: keep_alive %d, until_close %d", c->why, r->keep_alive, r->until_close);
    }
}

static const struct bad_case {
    const char *why, *bytes, *reason;
    size_t consumed; /* up to the byte at fault */
} BAD[] = {
    { "garbage first", "garbage" OK "\r\n", "Expected HTTP/", 0 },
    { "an empty line first", "\r\n" OK "\r\n", "Expected HTTP/", 0 },
    { "the letters have a case", "http/1.1 200 OK\r\n\r\n", "Expected HTTP/", 0 },
    { "another protocol", "ICY 200 OK\r\n\r\n", "Expected HTTP/", 0 },
    { "a request", "HEAD / HTTP/1.1\r\n\r\n", "Expected HTTP/", 1 },
    { "HTTP/2 in the clear", "HTTP/2.0 200 OK\r\n\r\n", "Unsupported HTTP version", 5 },
    { "HTTP/0.9", "HTTP/0.9 200 OK\r\n\r\n", "Unsupported HTTP version", 5 },
    { "no dot", "HTTP/11 200 OK\r\n\r\n", "Unsupported HTTP version", 6 },
    { "no digit", "HTTP/1.x 200 OK\r\n\r\n", "Invalid HTTP version", 7 },
    { "two digits", "HTTP/1.10 200 OK\r\n\r\n", "Expected space after version", 8 },
    { "no status", "HTTP/1.1\r\n\r\n", "Expected space after version", 8 },
    { "two blanks before the status", "HTTP/1.1  200 OK\r\n\r\n", "Invalid status code", 9 },
    { "two digits of status", "HTTP/1.1 20 OK\r\n\r\n", "Invalid status code", 11 },
    { "four", "HTTP/1.1 2000 OK\r\n\r\n", "Invalid status code", 12 },
    { "below 100", "HTTP/1.1 099 OK\r\n\r\n", "Invalid status code", 9 },
    { "glued to the phrase", "HTTP/1.1 200OK\r\n\r\n", "Invalid status code", 12 },
    { "a control in the phrase", "HTTP/1.1 200 O\x01\r\n\r\n", "Invalid character in the reason phrase", 14 },
    { "bare CR in the phrase", "HTTP/1.1 200 O\rK\r\n\r\n", "Expected LF after CR", 15 },
    { "bare CR in a value", OK "A: b\rc\r\n\r\n", "Expected LF after CR", 22 },
    { "bare CR as the empty line", OK "A: b\r\n\rX", "Expected LF after CR", 24 },
    { "a control in a value", OK "A: b\x07\r\n\r\n", "Invalid character in a field value", 21 },
    { "a control in one of ours", OK "Connection: b\x07\r\n\r\n", "Invalid character in a field value", 30 },
    { "no colon", OK "A\r\n\r\n", "Invalid header token", 18 },
    { "no name", OK ": a\r\n\r\n", "Invalid header token", 17 },
    { "a blank before the colon", OK "Content-Length : 3\r\n\r\nabc", "Invalid header token", 31 },
    { "a blank in the name", OK "A B: 3\r\n\r\nabc", "Invalid header token", 18 },
    { "a fold of the status line", OK " A: b\r\n\r\n", "Unexpected space after start line", 17 },
    { "no digits", OK "Content-Length:\r\n\r\n", "Empty Content-Length", 34 },
    { "negative", OK "Content-Length: -3\r\n\r\n", "Invalid character in Content-Length", 33 },
    { "signed", OK "Content-Length: +3\r\n\r\n", "Invalid character in Content-Length", 33 },
    { "hex", OK "Content-Length: 0x3\r\n\r\n", "Invalid character in Content-Length", 34 },
    { "two numbers", OK "Content-Length: 3 4\r\n\r\n", "Invalid character in Content-Length", 35 },
    { "a fold inside a length", OK "Content-Length: 3\r\n 4\r\n\r\n", "Invalid character in Content-Length", 37 },
    { "2^63", OK "Content-Length: 9223372036854775808\r\n\r\n", "Content-Length overflow", 51 },
    { "2^64 + 3", OK "Content-Length: 18446744073709551619\r\n\r\n", "Content-Length overflow", 52 },
    { "lengths that differ", OK LEN3 "Content-Length: 4\r\n\r\nabc", "Content-Length says two lengths", 55 },
    { "a list that differs", OK "Content-Length: 3, 4\r\n\r\nabc", "Content-Length says two lengths", 39 },
    { "an empty element", OK "Content-Length: 3,\r\n\r\nabc", "Empty Content-Length", 37 },
    { "length, then coding", OK LEN3 "Transfer-Encoding: chunked\r\n\r\n",
      "Content-Length together with Transfer-Encoding", 66 },
    { "coding, then length", OK "Transfer-Encoding: gzip\r\n" LEN3 "\r\n",
      "Content-Length together with Transfer-Encoding", 63 },
    { "chunked twice", OK "Transfer-Encoding: chunked, chunked\r\n\r\n", "Transfer-Encoding is chunked twice", 54 },
    { "chunked with a parameter", OK "Transfer-Encoding: chunked;a=b\r\n\r\n", "Invalid Transfer-Encoding", 43 },
    { "a quote without end", OK "Transfer-Encoding: a;b=\"c\r\n\r\n", "Invalid Transfer-Encoding", 44 },
    { "101", "HTTP/1.1 101 S\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n", "unexpected upgrade", 51 },
    { "no chunk size", CHUNKED "\r\n", "Invalid character in chunk size", 47 },
    { "negative chunk size", CHUNKED "-3\r\n", "Invalid character in chunk size", 47 },
    { "0x", CHUNKED "0x3\r\n", "Invalid character in chunk size", 48 },
    { "a size in two pieces", CHUNKED "3 3\r\n", "Invalid character in chunk size", 49 },
    { "2^63 and more", CHUNKED "8000000000000000\r\n", "Chunk size overflow", 62 },
    { "bare LF behind a size", CHUNKED "3\nabc", "Invalid character in chunk size", 48 },
    { "bare CR behind a size", CHUNKED "3\rabc", "Expected LF after chunk size", 49 },
    { "bare LF in an extension", CHUNKED "3;a\nabc", "Invalid character in chunk extensions", 50 },
    { "any two bytes behind the data", CHUNKED "3\r\nabcXX0\r\n\r\n", "Expected CRLF after chunk", 53 },
    { "bare LF behind the data", CHUNKED "3\r\nabc\n0\r\n\r\n", "Expected CRLF after chunk", 53 },
    { "more data than said", CHUNKED "3\r\nabcd\r\n", "Expected CRLF after chunk", 53 },
    { "a trailer that is no field", CHUNKED "0\r\nabc\r\n\r\n", "Invalid header token", 53 },
};

static void malformed_replies(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(BAD) / sizeof(BAD[0]); i++) {
        const struct bad_case *c = &BAD[i];
        struct outcome o;
        run_all_ways(&o, c->why, slice_str(c->bytes), false);
        if (o.state != REPLY_BAD || strcmp(reply_reason(&o.reply), c->reason) != 0)
            fail_msg("%s: state %d, '%s'", c->why, (int)o.state, reply_reason(&o.reply));
        if (o.consumed != c->consumed || o.reply.keep_alive)
            fail_msg("%s: consumed %zu, keep_alive %d", c->why, o.consumed, o.reply.keep_alive);
    }
}

/* RFC 9112 9.3, every combination. */
static void reuse_by_version_and_connection(void **state)
{
    static const struct {
        const char *why, *field;
        bool http11, http10;
    } CASES[] = {
        { "nothing said", "", true, false },
        { "close", "Connection: close\r\n", false, false },
        { "keep-alive", "Connection: keep-alive\r\n", true, true },
        { "any case", "CONNECTION: Keep-ALIVE\r\n", true, true },
        { "close, any case, no blank", "connection:CLOSE\r\n", false, false },
        { "close behind keep-alive", "Connection: keep-alive, close\r\n", false, false },
        { "close before keep-alive", "Connection: close, keep-alive\r\n", false, false },
        { "close on a line of its own", "Connection: keep-alive\r\nConnection: close\r\n", false, false },
        { "close in the middle, odd blanks", "Connection: a ,\tclose\t, b\r\n", false, false },
        { "close behind empty elements", "Connection: ,, ,close,\r\n", false, false },
        { "close on a folded line", "Connection: keep-alive,\r\n close\r\n", false, false },
        { "a comma on the folded line", "Connection: keep-alive\r\n , close\r\n", false, false },
        { "other words", "Connection: closed, xclose, clo se, close;x, \"close\"\r\n", true, false },
        { "a prefix of a word", "Connection: keep-aliv, clos\r\n", true, false },
        { "an upgrade offered", "Connection: upgrade\r\nUpgrade: h2c\r\n", true, false },
        { "a proxy's field is not ours", "Proxy-Connection: close\r\n", true, false },
        { "names that begin alike", "Connections: close\r\nConnectio: close\r\n", true, false },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(CASES) / sizeof(CASES[0]); i++) {
        for (int minor = 0; minor <= 1; minor++) {
            char text[256];
            struct outcome o;
            snprintf(text, sizeof(text), "HTTP/1.%d 200 OK\r\n%sContent-Length: 3\r\n\r\nabc", minor, CASES[i].field);
            run_all_ways(&o, CASES[i].why, slice_str(text), false);
            assert_int_equal(o.state, REPLY_DONE);
            assert_int_equal(o.reply.version, 10 + minor);
            if (o.reply.keep_alive != (minor == 1 ? CASES[i].http11 : CASES[i].http10))
                fail_msg("HTTP/1.%d, %s: keep_alive is %d", minor, CASES[i].why, o.reply.keep_alive);
        }
    }
}

static enum reply_state feed_head_of(struct reply *r, uint32_t max, size_t head_len, size_t step)
{
    static const char START[] = OK "A: ";
    struct reply_settings settings = { .head_max_bytes = max };
    char *const bytes = malloc(head_len + 3);
    size_t used = 0, at = 0;
    enum reply_state state = REPLY_MORE;

    memset(bytes, 'x', head_len);
    memcpy(bytes, START, sizeof(START) - 1);
    memcpy(bytes + head_len - 4, "\r\n\r\nabc", 7);
    reply_init(r, &settings, NULL);
    reply_begin(r, true);
    for (; at < head_len && state == REPLY_MORE; at += used) {
        const size_t rest = head_len + 3 - at;
        state = reply_feed(r, bytes + at, step < rest ? step : rest, &used);
        if (used == 0)
            break;
    }
    free(bytes);
    r->_settings = NULL;
    return state;
}

/* C48 */
static void heads_up_to_the_limit(void **state)
{
    static const struct {
        const char *why;
        uint32_t max;
        size_t head;
        enum reply_state want;
    } CASES[] = {
        { "16 KiB", 65536, 16384, REPLY_DONE },
        { "60 KiB", 65536, 61440, REPLY_DONE },
        { "to the byte", 65536, 65536, REPLY_DONE },
        { "one more", 65536, 65537, REPLY_HEAD_TOO_LARGE },
        { "10 MiB", 65536, 10485760, REPLY_HEAD_TOO_LARGE },
        { "a small limit to the byte", 100, 100, REPLY_DONE },
        { "a small limit and one", 100, 101, REPLY_HEAD_TOO_LARGE },
    };
    static const size_t STEPS[] = { SIZE_MAX, 1, 7, 99, 100, 101, 65536 };

    (void)state;
    for (size_t i = 0; i < sizeof(CASES) / sizeof(CASES[0]); i++) {
        for (size_t k = 0; k < sizeof(STEPS) / sizeof(STEPS[0]); k++) {
            struct reply r;
            const enum reply_state got = feed_head_of(&r, CASES[i].max, CASES[i].head, STEPS[k]);
            if (got != CASES[i].want)
                fail_msg("%s in steps of %zu: %d", CASES[i].why, STEPS[k], (int)got);
            assert_int_equal(r.head_bytes, got == REPLY_DONE ? CASES[i].head : CASES[i].max);
        }
    }
}

/* Each interim head has the whole limit for itself. */
static void interim_heads_are_limited_each(void **state)
{
    static const char INTERIM[] = "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n";
    struct reply_settings settings = { .head_max_bytes = sizeof(INTERIM) - 1 };
    struct reply r;
    size_t used;

    (void)state;
    reply_init(&r, &settings, NULL);
    reply_begin(&r, false);
    for (unsigned i = 1; i <= 70000; i++) {
        assert_int_equal(reply_feed(&r, INTERIM, sizeof(INTERIM) - 1, &used), REPLY_MORE);
        assert_int_equal(used, sizeof(INTERIM) - 1);
        assert_int_equal(r.interim, i);
    }
}

static void chunk_lines_and_trailers_are_limited(void **state)
{
    static const struct {
        const char *why, *start, *repeat, *reason;
    } CASES[] = {
        { "an endless extension", CHUNKED "3;", "x", "Chunk extensions are too long" },
        { "endless zeros", CHUNKED, "0", "Chunk extensions are too long" },
        { "endless trailers", CHUNKED "0\r\n", "A: b\r\n", "Trailers are too large" },
    };
    struct reply_settings settings = { .head_max_bytes = 4096 };

    (void)state;
    for (size_t i = 0; i < sizeof(CASES) / sizeof(CASES[0]); i++) {
        struct reply r;
        size_t used, total = 0;
        reply_init(&r, &settings, NULL);
        reply_begin(&r, false);
        enum reply_state got = reply_feed(&r, CASES[i].start, strlen(CASES[i].start), &used);
        while (got == REPLY_MORE && total < 5000) {
            got = reply_feed(&r, CASES[i].repeat, strlen(CASES[i].repeat), &used);
            total += used;
        }
        if (got != REPLY_BAD || strcmp(reply_reason(&r), CASES[i].reason) != 0)
            fail_msg("%s: %d after %zu bytes, '%s'", CASES[i].why, (int)got, total, reply_reason(&r));
    }
}

static void many_small_chunks_are_one_body(void **state)
{
    struct reply r;
    struct reply_settings settings = { .head_max_bytes = 100 };
    size_t used;

    (void)state;
    reply_init(&r, &settings, NULL);
    reply_begin(&r, false);
    assert_int_equal(reply_feed(&r, CHUNKED, sizeof(CHUNKED) - 1, &used), REPLY_MORE);
    for (unsigned i = 0; i < 1000; i++)
        assert_int_equal(reply_feed(&r, "2;x\r\nab\r\n", 9, &used), REPLY_MORE);
    assert_int_equal(reply_feed(&r, "0\r\n\r\n", 5, &used), REPLY_DONE);
    assert_int_equal(r.body_bytes, 2000);
}

/* Beyond 4 GiB, as C45 has them. */
static void known_lengths_are_moved_by_the_owner(void **state)
{
    static const char HEAD_TEXT[] = OK "Content-Length: 5368709120\r\n\r\n";
    struct reply r;
    size_t used;

    (void)state;
    reply_init(&r, &SETTINGS, NULL);
    reply_begin(&r, false);
    assert_int_equal(reply_feed(&r, HEAD_TEXT, sizeof(HEAD_TEXT) - 1, &used), REPLY_BODY);
    assert_int_equal(used, sizeof(HEAD_TEXT) - 1);
    assert_int_equal(r.body_left, UINT64_C(5368709120));
    assert_int_equal(reply_feed(&r, "abc", 3, &used), REPLY_BODY);
    assert_int_equal(used, 0);
    assert_int_equal(reply_body_moved(&r, UINT64_C(5368709119)), REPLY_BODY);
    assert_int_equal(reply_end_of_stream(&r), REPLY_MORE);
    assert_int_equal(reply_body_moved(&r, 1), REPLY_DONE);
    assert_int_equal(r.body_bytes, UINT64_C(5368709120));
    assert_int_equal(reply_feed(&r, "abc", 3, &used), REPLY_DONE);
    assert_int_equal(used, 0);
}

/* A connection carries reply after reply; nothing of one is left in the next. */
static void one_after_the_other(void **state)
{
    static const char *const FIRST[] = {
        OK LEN3 "Connection: close\r\n\r\nabc",          CHUNKED "3\r\nabc\r\n0\r\nA: b\r\n\r\n",
        "HTTP/1.1 204 N\r\nContent-Length: 9\r\n\r\n",   OK "A\r\n",
        "HTTP/1.1 100 C\r\n\r\n" OK "Content-Length: 2", "HTTP/1.1 2"
    };
    struct outcome o = { 0 };

    (void)state;
    reply_init(&o.reply, &SETTINGS, &o);
    for (size_t i = 0; i < sizeof(FIRST) / sizeof(FIRST[0]); i++) {
        reply_begin(&o.reply, false);
        take_piece(&o, FIRST[i], strlen(FIRST[i]));
        reply_begin(&o.reply, false);
        assert_false(o.reply.started);
        assert_int_equal(reply_end_of_stream(&o.reply), REPLY_MORE);
        assert_false(take_piece(&o, OK10 LEN3 "\r\nxyz", sizeof(OK10 LEN3 "\r\nxyz") - 1));
        assert_int_equal(o.state, REPLY_DONE);
        assert_int_equal(o.reply.version, 10);
        assert_int_equal(o.reply.interim, 0);
        assert_int_equal(o.reply.body_bytes, 3);
        assert_false(o.reply.keep_alive);
        assert_string_equal(reply_reason(&o.reply), "");
    }
}

static void no_bytes_change_nothing(void **state)
{
    struct outcome o = { 0 };
    size_t used = 1;

    (void)state;
    reply_init(&o.reply, &SETTINGS, &o);
    assert_int_equal(reply_feed(&o.reply, NULL, 0, &used), REPLY_MORE);
    assert_int_equal(used, 0);
    assert_false(o.reply.started);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(complete_and_cut_replies),
        cmocka_unit_test(malformed_replies),
        cmocka_unit_test(reuse_by_version_and_connection),
        cmocka_unit_test(heads_up_to_the_limit),
        cmocka_unit_test(interim_heads_are_limited_each),
        cmocka_unit_test(chunk_lines_and_trailers_are_limited),
        cmocka_unit_test(many_small_chunks_are_one_body),
        cmocka_unit_test(known_lengths_are_moved_by_the_owner),
        cmocka_unit_test(one_after_the_other),
        cmocka_unit_test(no_bytes_change_nothing),
    };

    edge = edge_new();
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    edge_free(&edge);
    return failed;
}
