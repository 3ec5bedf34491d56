/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where the frames of HTTP/2 begin and end in bytes that come in any pieces (RFC 9113 4.1). Looks at frame heads alone
 * and judges nothing. All bits zero is the state at the beginning of a connection, the preface not counted. */
#ifndef PLIMSOLL_HTTP_H2_FRAMES_H
#define PLIMSOLL_HTTP_H2_FRAMES_H

#include "base/slice.h"

#define H2_FRAME_HEAD_BYTES 9u

struct h2_frames {
    uint8_t head[H2_FRAME_HEAD_BYTES]; /* of the frame that is cut */
    uint8_t head_len;
    uint32_t left; /* of its payload, once its head is complete */
};

enum h2_frame_part {
    H2_FRAME_NONE,  /* there are no more bytes */
    H2_FRAME_WHOLE, /* bytes: head and payload */
    H2_FRAME_STUB,  /* of a head that is not complete yet: kept in struct h2_frames, and no bytes here */
    H2_FRAME_BEGUN, /* the head is in struct h2_frames; bytes: what there is of the payload, maybe nothing */
    H2_FRAME_PIECE, /* bytes: more of the payload of the frame that has begun */
};

struct h2_frame {
    uint8_t type, flags; /* of whole frames and of those that begin */
    struct slice bytes;  /* inside what was given */
};

/* Takes the next frame, or as much of it as there is, off *rest. */
enum h2_frame_part h2_frames_next(struct h2_frames *f, struct slice *rest, struct h2_frame *out);

#endif
