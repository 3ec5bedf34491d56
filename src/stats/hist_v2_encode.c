/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/hist_codec.h"

#include "stats/hist_v2.h"
#include "stats/slots.h"

#include <errno.h>
#include <stdlib.h>
#include <zlib.h>

/* Short ones hardly become shorter, but take ten times as long to read: a run has hundreds of them, a merge a hundred
 * thousand. */
#define STORED_MAX 4096u

static void put_be32(uint8_t *out, uint32_t v)
{
    for (unsigned i = 0; i < 4; i++)
        out[i] = (uint8_t)(v >> (24u - 8u * i));
}

static void put_be64(uint8_t *out, uint64_t v)
{
    put_be32(out, (uint32_t)(v >> 32));
    put_be32(out + 4, (uint32_t)v);
}

/* Returns how many bytes the plain encoding takes; out has room for it. */
static size_t put_plain(uint8_t *out, const struct hist *h)
{
    uint8_t *end = out + V2_INNER_BYTES;

    if (h->_count > 0)
        end = slots_put_all(end, h, 0);
    put_be32(out, V2_INNER_COOKIE | V2_WORD_SIZE);
    put_be32(out + 4, (uint32_t)(end - out) - V2_INNER_BYTES);
    put_be32(out + 8, 0);
    put_be32(out + 12, V2_DIGITS);
    put_be64(out + 16, 1);
    put_be64(out + 24, HIST_MAX_NS);
    put_be64(out + 32, V2_RATIO_ONE);
    return (size_t)(end - out);
}

static void add_base64(struct buf *out, const uint8_t *bytes, size_t len)
{
    static const char LETTERS[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

    for (size_t i = 0; i < len; i += 3) {
        const size_t n = len - i < 3 ? len - i : 3;
        const uint32_t word = (uint32_t)bytes[i] << 16 | (n > 1 ? (uint32_t)bytes[i + 1] << 8 : 0u) |
                              (n > 2 ? (uint32_t)bytes[i + 2] : 0u);
        const char quad[4] = { LETTERS[word >> 18], LETTERS[word >> 12 & 63u], n > 1 ? LETTERS[word >> 6 & 63u] : '=',
                               n > 2 ? LETTERS[word & 63u] : '=' };
        buf_append(out, quad, sizeof(quad));
    }
}

/* Compresses plain into packed, behind the outer header. 0 when zlib fails. */
static size_t compress_behind_header(uint8_t *packed, size_t room, const uint8_t *plain, size_t len)
{
    uLongf size = (uLongf)(room - V2_OUTER_BYTES);
    const int level = len <= STORED_MAX ? Z_NO_COMPRESSION : Z_DEFAULT_COMPRESSION;

    if (compress2(packed + V2_OUTER_BYTES, &size, plain, (uLong)len, level) != Z_OK)
        return 0;
    put_be32(packed, V2_OUTER_COOKIE | V2_WORD_SIZE);
    put_be32(packed + 4, (uint32_t)size);
    return (size_t)size + V2_OUTER_BYTES;
}

int hist_encode_v2(const struct hist *h, struct buf *out, struct err *err)
{
    const size_t plain_max = V2_INNER_BYTES + (size_t)HIST_SLOTS * VARINT_MAX;
    const size_t packed_max = V2_OUTER_BYTES + compressBound((uLong)plain_max);
    uint8_t *plain = malloc(plain_max);
    uint8_t *packed = malloc(packed_max);
    size_t size = 0;
    int rc = 0;

    if (plain != NULL && packed != NULL)
        size = compress_behind_header(packed, packed_max, plain, put_plain(plain, h));
    if (size > 0)
        add_base64(out, packed, size);
    if (size == 0)
        rc = err_set(err, ERR_SYSTEM, ENOMEM, "cannot encode a histogram");
    else if (!buf_ok(out))
        rc = err_set(err, ERR_SYSTEM, 0, "no room for an encoded histogram");
    free(packed);
    free(plain);
    return rc;
}
