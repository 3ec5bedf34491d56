/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads the head of an HTTP/1 reply, or the trailers of a chunked one, from bytes in any pieces (RFC 9112 2 to 6.3).
 *
 * Only what frames the message is kept: version, status, Content-Length, Transfer-Encoding, Connection; every other
 * value is skipped eight bytes at a time. That, and not the parser's generality, is what a load generator pays for: a
 * reply of nginx costs about a third of llhttp's instructions (docs/decisions says more).
 *
 * Plain data, no pointers into the bytes given; the outcome and the consumed count never depend on how they were cut.
 */
#ifndef PLIMSOLL_HTTP_REPLY_HEAD_H
#define PLIMSOLL_HTTP_REPLY_HEAD_H

#include <stddef.h>
#include <stdint.h>

enum reply_head_flags {
    REPLY_HEAD_CLOSE = 1,      /* Connection: close, anywhere in a list */
    REPLY_HEAD_KEEP_ALIVE = 2, /* Connection: keep-alive */
    REPLY_HEAD_LENGTH = 4,     /* Content-Length */
    REPLY_HEAD_CODING = 8,     /* any Transfer-Encoding */
    REPLY_HEAD_CHUNKED = 16,   /* and chunked is the final one */
    REPLY_HEAD_TRAILERS = 32,  /* these are trailers */
};

struct reply_head {
    uint64_t length;    /* of Content-Length, at most 2^63 - 1 */
    uint64_t _number;   /* the one being read */
    const char *reason; /* of REPLY_HEAD_BAD: a constant */
    uint16_t status;    /* 100 … 999 */
    uint8_t version;    /* 10 or 11; later minor versions count as 11 (RFC 9110 2.5) */
    uint8_t flags;
    uint8_t _step;
    uint8_t _field;
    uint8_t _at; /* position in the status line, the name or the list's word; stays below 255 */
    uint8_t _word;
};

enum reply_head_state { REPLY_HEAD_MORE, REPLY_HEAD_END, REPLY_HEAD_BAD };

void reply_head_begin(struct reply_head *h);
/* Trailers: fields alone, and none of them changes the framing (RFC 9110 6.5.1). */
void reply_head_begin_trailers(struct reply_head *h);
/* Consumes up to the end of the empty line, or up to the byte that is refused. Not to be called again once it has
 * ended. */
enum reply_head_state reply_head_feed(struct reply_head *h, const char *bytes, size_t len, size_t *consumed);

#endif
