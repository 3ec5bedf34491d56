/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Bytes on their way from a server into a client's session: header blocks that are known (h2_repeat.h) go in as a
 * stand-in, everything else as it came. Private to http/; all bits zero is the state at the beginning. */
#ifndef PLIMSOLL_HTTP_H2_INBOUND_H
#define PLIMSOLL_HTTP_H2_INBOUND_H

#include "http/h2_frames.h"
#include "http/h2_repeat.h"

#include <nghttp2/nghttp2.h>

struct h2_inbound {
    struct h2_frames frames;
    struct h2_repeat repeat; /* its fields and their end come from the session's callbacks */
    int32_t over;            /* a stream that has ended on both sides, from a callback too; 0: none has yet */
    /* During the callbacks of a stand-in: what it stands for, and the length of that with the frame's head. */
    const struct h2_repeat_block *known;
    size_t known_frame_bytes;
};

/* 0, or an error of nghttp2's that ends the connection. */
int h2_inbound_feed(struct h2_inbound *in, nghttp2_session *session, struct slice bytes);

#endif
