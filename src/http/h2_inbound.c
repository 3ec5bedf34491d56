/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "http/h2_inbound.h"

#include <string.h>

static int feed(nghttp2_session *session, struct slice bytes)
{
    const ssize_t n = bytes.len > 0 ? nghttp2_session_mem_recv(session, (const uint8_t *)bytes.ptr, bytes.len) : 0;

    return n < 0 ? (int)n : 0;
}

/* A frame that is one header block and nothing else. */
static bool is_plain_block(const struct h2_frame *f)
{
    return f->type == NGHTTP2_HEADERS && (f->flags & ~NGHTTP2_FLAG_END_STREAM) == NGHTTP2_FLAG_END_HEADERS;
}

static bool has_block(const struct h2_frame *f)
{
    return f->type == NGHTTP2_HEADERS || f->type == NGHTTP2_CONTINUATION || f->type == NGHTTP2_PUSH_PROMISE;
}

/* The session sees a frame of the same stream with the shortest of all blocks, ":status: 200" (RFC 7541 appendix A):
 * for its state of the stream one is as good as the other. */
static int feed_stand_in(struct h2_inbound *in, nghttp2_session *session, const struct h2_frame *frame,
                         const struct h2_repeat_block *known)
{
    char stand_in[H2_FRAME_HEAD_BYTES + 1] = { 0, 0, 1, NGHTTP2_HEADERS, (char)frame->flags };
    int rc;

    memcpy(stand_in + 5, frame->bytes.ptr + 5, 4);
    stand_in[H2_FRAME_HEAD_BYTES] = (char)0x88;
    h2_repeat_skip(&in->repeat, known);
    in->known = known;
    in->known_frame_bytes = frame->bytes.len;
    rc = feed(session, slice_from(stand_in, sizeof(stand_in)));
    in->known = NULL;
    return rc;
}

/* What the session's decoder has missed, as frames of a stream that is over: such are decoded, for the table's sake,
 * and nothing else comes of them (RFC 9113 4.3 and 5.1, "closed"). */
static int pay_blocks(struct h2_inbound *in, nghttp2_session *session)
{
    const struct h2_repeat_block *owed[H2_REPEAT_OWED_MAX];
    const unsigned count = h2_repeat_owed(&in->repeat, owed);
    const uint32_t id = (uint32_t)in->over;
    int rc = 0;

    for (unsigned i = 0; i < count && rc == 0; i++) {
        const char head[] = { 0,
                              (char)(owed[i]->len >> 8),
                              (char)owed[i]->len,
                              NGHTTP2_HEADERS,
                              NGHTTP2_FLAG_END_HEADERS,
                              (char)(id >> 24),
                              (char)(id >> 16),
                              (char)(id >> 8),
                              (char)id };

        rc = feed(session, slice_from(head, sizeof(head)));
        if (rc == 0)
            rc = feed(session, slice_from(owed[i]->bytes, owed[i]->len));
    }
    h2_repeat_paid(&in->repeat);
    return rc;
}

static int feed_block(struct h2_inbound *in, nghttp2_session *session, const struct h2_frame *frame)
{
    const struct slice block = slice_drop(frame->bytes, H2_FRAME_HEAD_BYTES);
    const struct h2_repeat_block *known = h2_repeat_find(&in->repeat, block);
    int rc;

    if (known != NULL && (known->use.additions == 0 || in->over != 0))
        return feed_stand_in(in, session, frame, known);
    rc = pay_blocks(in, session);
    if (rc != 0)
        return rc;
    h2_repeat_learn(&in->repeat, block);
    return feed(session, frame->bytes);
}

/* The session gets no part of a head before all of it is known: a debt is paid between frames. */
static int feed_part(struct h2_inbound *in, nghttp2_session *session, enum h2_frame_part part,
                     const struct h2_frame *frame)
{
    int rc = 0;

    if (part == H2_FRAME_WHOLE && is_plain_block(frame))
        return feed_block(in, session, frame);
    if (part != H2_FRAME_PIECE && has_block(frame)) {
        rc = pay_blocks(in, session);
        h2_repeat_pass(&in->repeat);
    }
    if (rc == 0 && part == H2_FRAME_BEGUN)
        rc = feed(session, slice_from((const char *)in->frames.head, H2_FRAME_HEAD_BYTES));
    return rc != 0 ? rc : feed(session, frame->bytes);
}

int h2_inbound_feed(struct h2_inbound *in, nghttp2_session *session, struct slice bytes)
{
    struct slice rest = bytes, run = slice_take(bytes, 0); /* the run goes to the session as it is */
    struct h2_frame frame;
    enum h2_frame_part part;
    int rc;

    while ((part = h2_frames_next(&in->frames, &rest, &frame)) != H2_FRAME_NONE && part != H2_FRAME_STUB) {
        if (part == H2_FRAME_WHOLE && !has_block(&frame)) {
            run.len += frame.bytes.len;
            continue;
        }
        rc = feed(session, run);
        if (rc == 0)
            rc = feed_part(in, session, part, &frame);
        if (rc != 0)
            return rc;
        run = slice_take(rest, 0);
    }
    return feed(session, run);
}
