/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Request heads and their bodies as a server reads them. Properties: the verdict does not depend on how the bytes were
 * cut; an accepted head keeps the promises of the strict reader; the body's framing never gives more than it was given.
 */
#include "http/request_body.h"
#include "http/request_reader.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct request_limits LIMITS = { .head_max_bytes = 4096, .fields_max = 32 };

static void promise(bool kept)
{
    if (!kept)
        abort();
}

static bool inside(struct slice part, struct slice whole)
{
    return part.len == 0 || (part.ptr >= whole.ptr && part.ptr + part.len <= whole.ptr + whole.len);
}

static void check_head(const struct request_head *h, struct slice bytes)
{
    struct slice head = slice_take(bytes, h->bytes), rest = h->fields, name, value;
    uint32_t fields = 0;

    promise(h->bytes <= bytes.len && slice_ends(head, SLICE("\r\n\r\n")));
    promise(memchr(head.ptr, '\0', head.len) == NULL);
    promise(inside(h->line, head) && inside(h->fields, head) && inside(h->query, head) && inside(h->host, head));
    promise(!(h->chunked && h->has_length) && (h->version == 10 || h->version == 11) &&
            !(h->chunked && h->version == 10));
    promise(h->asterisk || (h->path.len > 0 && h->path.ptr[0] == '/'));
    promise(h->version == 10 || h->host.len > 0);
    while (request_head_next(&rest, &name, &value)) {
        promise(name.len > 0 && memchr(name.ptr, ' ', name.len) == NULL);
        promise(memchr(value.ptr != NULL ? value.ptr : "", '\r', value.len) == NULL);
        fields++;
    }
    promise(fields == h->field_count && fields <= LIMITS.fields_max);
}

static void read_body(const struct request_head *h, struct slice bytes, size_t step, uint64_t *content_bytes,
                      enum request_body_state *state)
{
    struct request_body b;
    struct slice content;
    size_t used, given = 0;

    request_body_begin(&b, h->chunked, h->content_length, 1000);
    *state = REQUEST_BODY_MORE;
    while (given < bytes.len && (*state == REQUEST_BODY_MORE || *state == REQUEST_BODY_CONTENT)) {
        struct slice piece = slice_take(slice_drop(bytes, given), step);
        *state = request_body_feed(&b, piece, &used, &content);
        promise(used <= piece.len && inside(content, piece) && (used > 0 || *state != REQUEST_BODY_MORE));
        given += used;
    }
    promise(b.content_bytes <= given && b.content_bytes <= 1000);
    *content_bytes = b.content_bytes;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct slice bytes = { (const char *)data, size };
    struct request_reader whole = { 0 }, cut = { 0 };
    struct request_head a, b = { 0 };
    enum request_state first = request_reader_scan(&whole, &LIMITS, bytes.ptr, bytes.len, &a), second = REQUEST_MORE;

    for (size_t len = 1; len <= bytes.len && second == REQUEST_MORE; len++)
        second = request_reader_scan(&cut, &LIMITS, bytes.ptr, len, &b);
    promise(bytes.len == 0 || first == second);
    if (first == REQUEST_REFUSED)
        promise(a.refused >= 400 && a.refused == b.refused && a.reason != NULL);
    if (first != REQUEST_READY)
        return 0;
    check_head(&a, bytes);
    uint64_t content[2];
    enum request_body_state state[2];
    read_body(&a, slice_drop(bytes, a.bytes), SIZE_MAX, &content[0], &state[0]);
    read_body(&a, slice_drop(bytes, a.bytes), 1, &content[1], &state[1]);
    promise(content[0] == content[1]);
    promise((state[0] == REQUEST_BODY_BAD) == (state[1] == REQUEST_BODY_BAD));
    return 0;
}
