/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Takes the chunked coding off a body (RFC 9112 7.1), from bytes in any pieces.
 *
 * Extensions and trailers are read over, each bounded by the size given. Plain data; the content is handed out as
 * slices into the bytes given. */
#ifndef PLIMSOLL_HTTP_REPLY_CHUNKS_H
#define PLIMSOLL_HTTP_REPLY_CHUNKS_H

#include "base/slice.h"
#include "http/reply_head.h"

struct reply_chunks {
    uint64_t _left;     /* of the chunk's data */
    const char *reason; /* of REPLY_CHUNKS_BAD: a constant */
    uint32_t _max;
    uint32_t _line; /* bytes of the framing line, or of the trailers, so far */
    uint8_t _step;
    struct reply_head _trailers;
};

enum reply_chunks_state { REPLY_CHUNKS_MORE, REPLY_CHUNKS_END, REPLY_CHUNKS_BAD };

/* max_bytes: of a line of framing, and of all trailers. */
void reply_chunks_begin(struct reply_chunks *c, uint32_t max_bytes);
/* Stops behind each piece of content, which *content then holds (empty: none), else at the end of the bytes or of the
 * body, or at the byte that is refused. */
enum reply_chunks_state reply_chunks_feed(struct reply_chunks *c, struct slice bytes, size_t *consumed,
                                          struct slice *content);

#endif
