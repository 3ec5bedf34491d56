/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads one HTTP/1 reply after another from bytes in any pieces (RFC 9112).
 *
 * Pure: no I/O, no allocation, no copy. The reader never keeps pointers into the bytes given. A plain struct so that a
 * connection embeds it; fields marked _ are private to http/.
 *
 * Bodies whose length is known are not pushed through the parser: after the head reply_feed() returns REPLY_BODY and
 * the owner moves `body_left` bytes itself (from the rest of the bytes in hand, then from the socket, where the kernel
 * may discard them) and tells reply_body_moved(). Chunked and close-delimited bodies go through reply_feed(); their
 * content is handed to on_body when set.
 *
 * 1xx replies are skipped and counted in interim (101 ends the exchange as REPLY_BAD: "unexpected upgrade"). HEAD, 204
 * and 304 have no body whatever their fields say.
 *
 * Where RFC 9112 leaves a choice:
 *   - Transfer-Encoding together with Content-Length is refused: 6.3 says such a reply "ought to be handled as an
 * error", since that is how replies are split. Content-Lengths that differ are refused, the same one said twice is
 * taken (6.3);
 *   - Transfer-Encoding in an HTTP/1.0 reply is obeyed but ends the connection (6.1: the framing is not to be trusted);
 *   - a bare LF ends a line of the head (2.2) but none of the chunk framing; a bare CR, a control character, a blank
 * before a colon are refused;
 *   - a folded field is one value (5.2 wants that of user agents);
 *   - nothing may stand before the status line, not even an empty line (the leave for those is for requests);
 *   - a length above 2^63 - 1 is refused as overflow. */
#ifndef PLIMSOLL_HTTP_REPLY_H
#define PLIMSOLL_HTTP_REPLY_H

#include "base/slice.h"
#include "http/reply_chunks.h"
#include "http/reply_head.h"

#include <stdint.h>

enum reply_state {
    REPLY_MORE, /* everything was consumed, the message goes on: feed more */
    REPLY_BODY, /* the head is complete and body_left bytes follow, to be moved by the owner */
    REPLY_DONE, /* the message is complete; bytes beyond `consumed` are not part of it */
    REPLY_BAD,  /* malformed: reply_reason() says how; the connection is unusable */
    REPLY_HEAD_TOO_LARGE,
};

struct reply_settings {
    uint32_t head_max_bytes; /* per head, interim ones each; also per line of chunk framing, and for the trailers */
    /* Content of the body, chunk framing removed; NULL: not wanted. Not called for what the owner moves itself. */
    void (*on_body)(void *arg, struct slice bytes);
};

struct reply {
    struct reply_head _head;
    struct reply_chunks _chunks;
    const struct reply_settings *_settings;
    void *_arg;
    uint32_t head_bytes; /* of the current head so far, all lines and the empty one */
    uint32_t interim;    /* 1xx seen before this reply */
    uint16_t status;     /* 0 until the head is complete */
    uint8_t version;     /* 10 or 11, of the reply */
    bool head_complete;
    bool keep_alive;  /* valid once done: the connection may carry another request */
    bool until_close; /* the body ends with the connection */
    bool chunked;
    bool started; /* at least one byte of this reply (or of an interim one) was fed */
    bool _head_request;
    uint8_t _state;      /* the last enum reply_state; sticky from REPLY_BODY on */
    const char *_reason; /* of REPLY_BAD */
    uint64_t body_left;  /* known length: what is still to come */
    uint64_t body_bytes; /* content received so far, framing excluded */
};

/* Once per connection object. settings and arg must outlive it. */
void reply_init(struct reply *r, const struct reply_settings *settings, void *arg);
/* Before each reply. head_request: the request was HEAD. */
void reply_begin(struct reply *r, bool head_request);
/* Feeds bytes; *consumed says how many belong to this reply. len 0 is a no-op that returns the current state. */
enum reply_state reply_feed(struct reply *r, const char *bytes, size_t len, size_t *consumed);
/* n bytes of a known-length body were taken from the connection; n <= body_left. REPLY_BODY, or REPLY_DONE when none is
 * left. */
enum reply_state reply_body_moved(struct reply *r, uint64_t n);
/* The peer ended the connection. REPLY_DONE for a body delimited by the close, else REPLY_MORE (the reply was cut short
 * or never began). */
enum reply_state reply_end_of_stream(struct reply *r);
/* What Content-Length said, of a reply to HEAD too. False: nothing. */
bool reply_length(const struct reply *r, uint64_t *out);
/* A constant text for REPLY_BAD ("Invalid character in chunk size"). */
const char *reply_reason(const struct reply *r);

#endif
