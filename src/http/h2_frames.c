/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "http/h2_frames.h"

#include <string.h>

static uint32_t payload_of(const uint8_t *head)
{
    return (uint32_t)head[0] << 16 | (uint32_t)head[1] << 8 | head[2];
}

static struct slice take(struct slice *rest, size_t n)
{
    const struct slice taken = slice_from(rest->ptr, n);

    rest->ptr += n;
    rest->len -= n;
    return taken;
}

static struct slice take_payload(struct h2_frames *f, struct slice *rest)
{
    const struct slice payload = take(rest, f->left < rest->len ? f->left : rest->len);

    f->left -= (uint32_t)payload.len;
    if (f->left == 0)
        f->head_len = 0;
    return payload;
}

static enum h2_frame_part begin(struct h2_frames *f, struct slice *rest, struct h2_frame *out)
{
    const size_t missing = H2_FRAME_HEAD_BYTES - f->head_len;
    const struct slice now = take(rest, missing < rest->len ? missing : rest->len);

    memcpy(f->head + f->head_len, now.ptr, now.len);
    f->head_len = (uint8_t)(f->head_len + now.len);
    *out = (struct h2_frame){ 0 };
    if (f->head_len < H2_FRAME_HEAD_BYTES)
        return H2_FRAME_STUB;
    f->left = payload_of(f->head);
    *out = (struct h2_frame){ f->head[3], f->head[4], take_payload(f, rest) };
    return H2_FRAME_BEGUN;
}

enum h2_frame_part h2_frames_next(struct h2_frames *f, struct slice *rest, struct h2_frame *out)
{
    const uint8_t *head = (const uint8_t *)rest->ptr;
    size_t len;

    if (rest->len == 0)
        return H2_FRAME_NONE;
    if (f->left > 0) {
        *out = (struct h2_frame){ .bytes = take_payload(f, rest) };
        return H2_FRAME_PIECE;
    }
    if (f->head_len > 0 || rest->len < H2_FRAME_HEAD_BYTES)
        return begin(f, rest, out);
    len = H2_FRAME_HEAD_BYTES + payload_of(head);
    if (len > rest->len)
        return begin(f, rest, out);
    *out = (struct h2_frame){ head[3], head[4], take(rest, len) };
    return H2_FRAME_WHOLE;
}
