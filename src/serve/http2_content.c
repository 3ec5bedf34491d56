/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "serve/http2_internal.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "serve/pattern.h"

uint64_t http2_content_length(const struct answer *a)
{
    return a->body == BODY_BYTES ? a->bytes.len : a->length;
}

bool http2_content_begin(struct stream2 *s, const struct answer *a)
{
    s->source = (struct http1_source){ .kind = a->body,
                                       .left = http2_content_length(a),
                                       .offset = a->file_offset,
                                       .bytes = a->bytes.ptr,
                                       .file = a->file,
                                       .fill = a->fill };
    if (a->body == BODY_BYTES && a->bytes.len > 0 &&
        a->bytes.len <= EXCHANGE_SMALL_BYTES) { /* the handler keeps only what is larger */
        s->filled = malloc(a->bytes.len);
        if (s->filled == NULL) {
            return false;
        }
        memcpy(s->filled, a->bytes.ptr, a->bytes.len);
        s->source.bytes = s->filled;
    } else if (a->body == BODY_FILL) {
        s->filled = malloc(EXCHANGE_FILL_ROOM);
        return s->filled != NULL;
    }
    return true;
}

static long read_file(struct stream2 *s, char *out, size_t len)
{
    ssize_t n = pread(s->source.file, out, len, (off_t)s->source.offset);

    return n > 0 ? (long)n : H2_READ_ABORT; /* shorter than it was */
}

static long read_filled(struct stream2 *s, char *out, size_t len, bool *end)
{
    if (s->filled_at == s->filled_len && !s->filled_end) {
        s->source.starved = true;
        s->filled_at = 0;
        s->filled_len = s->source.fill(
            &s->x, s->filled, s->source.left < EXCHANGE_FILL_ROOM ? (size_t)s->source.left : EXCHANGE_FILL_ROOM,
            &s->filled_end);
        if (s->filled_len == 0 && !s->filled_end) {
            return s->source.starved ? H2_READ_WAIT : H2_READ_MORE;
        }
        s->source.left -= s->source.left != LENGTH_UNKNOWN ? s->filled_len : 0;
        s->content_bytes += s->source.left == LENGTH_UNKNOWN ? s->filled_len : 0;
    }
    size_t n = s->filled_len - s->filled_at < len ? s->filled_len - s->filled_at : len;
    memcpy(out, s->filled + s->filled_at, n);
    s->filled_at += n;
    *end = s->filled_end && s->filled_at == s->filled_len;
    return *end && s->source.left != LENGTH_UNKNOWN && s->source.left > 0 ? H2_READ_ABORT : (long)n;
}

long http2_content_read(void *stream, char *out, size_t len, bool *end)
{
    struct stream2 *s = stream;
    struct http1_source *source = &s->source;
    size_t n = source->left < len ? (size_t)source->left : len;
    long got = (long)n;

    switch (source->kind) {
    case BODY_FILL:
        got = read_filled(s, out, len, end);
        s->conn->moved_content |= got > 0;
        return got;
    case BODY_BYTES:
        memcpy(out, source->bytes + source->offset, n);
        break;
    case BODY_PATTERN:
        pattern_copy(out, source->offset, n);
        break;
    case BODY_FILE:
        got = read_file(s, out, n);
        break;
    case BODY_NONE:
        break;
    }
    if (got > 0) {
        s->conn->moved_content = true;
        source->left -= (uint64_t)got;
        source->offset += (uint64_t)got;
        *end = source->left == 0;
    }
    return got;
}

bool http2_content_is_left(const struct stream2 *s)
{
    return s->source.kind == BODY_FILL ? !(s->filled_end && s->filled_at == s->filled_len)
                                       : s->source.kind != BODY_NONE && s->source.left > 0;
}
