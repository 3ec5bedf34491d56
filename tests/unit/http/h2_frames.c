/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "http/h2_frames.h"

#include "../base/edge.h"

#include <string.h>

static struct edge edge;

/* A frame of type 'A' + i with i bytes of payload each. */
static size_t make_frames(char *out, unsigned count)
{
    size_t len = 0;

    for (unsigned i = 0; i < count; i++) {
        const char head[H2_FRAME_HEAD_BYTES] = { 0, 0, (char)i, (char)('A' + i), (char)i, 0, 0, 0, 1 };

        memcpy(out + len, head, sizeof(head));
        memset(out + len + sizeof(head), (char)('a' + i), i);
        len += sizeof(head) + i;
    }
    return len;
}

/* Heads and payloads of all frames, as they were found. */
struct found {
    unsigned whole, begun;
    size_t len;
    char bytes[512], types[16];
};

static void keep(struct found *f, const void *bytes, size_t len)
{
    assert_true(len <= sizeof(f->bytes) - f->len);
    if (len > 0)
        memcpy(f->bytes + f->len, bytes, len);
    f->len += len;
}

static void take(struct h2_frames *frames, struct slice piece, struct found *f)
{
    struct h2_frame frame;
    enum h2_frame_part part;

    while ((part = h2_frames_next(frames, &piece, &frame)) != H2_FRAME_NONE) {
        if (part == H2_FRAME_BEGUN)
            keep(f, frames->head, H2_FRAME_HEAD_BYTES);
        if (part == H2_FRAME_WHOLE || part == H2_FRAME_BEGUN) {
            assert_int_equal(frame.flags, frame.type - 'A');
            f->types[f->whole + f->begun] = (char)frame.type;
        }
        f->whole += part == H2_FRAME_WHOLE;
        f->begun += part == H2_FRAME_BEGUN;
        if (part != H2_FRAME_STUB)
            keep(f, frame.bytes.ptr, frame.bytes.len);
    }
    assert_int_equal(piece.len, 0);
}

static void frames_are_found_however_they_are_cut(void **state)
{
    char bytes[512];
    const size_t len = make_frames(bytes, 8);

    (void)state;
    for (size_t piece = 1; piece <= len; piece++) {
        struct h2_frames frames = { 0 };
        struct found f = { 0 };

        for (size_t at = 0; at < len; at += piece)
            take(&frames, edge_put(&edge, bytes + at, piece < len - at ? piece : len - at), &f);
        assert_int_equal(f.len, len);
        assert_memory_equal(f.bytes, bytes, len);
        assert_string_equal(f.types, "ABCDEFGH");
        assert_int_equal(f.whole, piece == len ? 8 : f.whole);
        assert_int_equal(f.whole + f.begun, 8);
    }
}

static void a_length_of_three_bytes_is_read(void **state)
{
    const char head[H2_FRAME_HEAD_BYTES] = { 1, 2, 3, 0, 0, 0, 0, 0, 1 };
    struct slice rest = slice_from(head, sizeof(head));
    struct h2_frames frames = { 0 };
    struct h2_frame frame;

    (void)state;
    assert_int_equal(h2_frames_next(&frames, &rest, &frame), H2_FRAME_BEGUN);
    assert_int_equal(frames.left, 0x010203);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(frames_are_found_however_they_are_cut),
                                        cmocka_unit_test(a_length_of_three_bytes_is_read) };

    edge = edge_new();
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    edge_free(&edge);
    return failed;
}
