/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Removes the framing of one request's body: a known length, or chunks (RFC 9112 7.1), read to the letter. Our own and
 * not llhttp's because a library built without its strict mode lets chunk sizes and line breaks through that another
 * server would read otherwise.
 *
 * Refused: anything but 1 to 15 hex digits as size, white space or signs around it, bare LF or CR, line breaks missing
 * after a chunk, control characters in extensions, more than 16 KiB of extensions and trailers together. Trailers are
 * checked and dropped. Pure: no I/O, no allocation, no copy. */
#ifndef PLIMSOLL_HTTP_REQUEST_BODY_H
#define PLIMSOLL_HTTP_REQUEST_BODY_H

#include "base/slice.h"

#include <stdint.h>

enum request_body_state {
    REQUEST_BODY_MORE,      /* everything was consumed, feed more */
    REQUEST_BODY_CONTENT,   /* *content has bytes; call again with what was not consumed */
    REQUEST_BODY_DONE,      /* complete; bytes beyond `consumed` belong to the next request */
    REQUEST_BODY_BAD,       /* malformed (400) */
    REQUEST_BODY_TOO_LARGE, /* above the maximum (413) */
};

struct request_body {
    uint64_t content_bytes; /* handed out so far */
    uint64_t _left;         /* of the length or of the current chunk */
    uint64_t _max;
    uint32_t _overhead; /* bytes of extensions and trailers */
    uint8_t _step;
    uint8_t _digits;
};

/* max_bytes: of the content. */
void request_body_begin(struct request_body *b, bool chunked, uint64_t length, uint64_t max_bytes);
/* Consumes bytes and returns at the first piece of content, the end, or a fault. */
enum request_body_state request_body_feed(struct request_body *b, struct slice bytes, size_t *consumed,
                                          struct slice *content);
bool request_body_is_done(const struct request_body *b);

#endif
