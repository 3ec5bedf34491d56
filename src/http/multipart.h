/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads a multipart/form-data body (RFC 7578, RFC 2046 5.1) from bytes in any pieces. Pure: no I/O, no allocation;
 * content is handed on as it comes and never gathered. Strict: line breaks are CR LF, no padding behind a boundary. */
#ifndef PLIMSOLL_HTTP_MULTIPART_H
#define PLIMSOLL_HTTP_MULTIPART_H

#include "base/slice.h"

enum { MULTIPART_BOUNDARY_MAX = 70, MULTIPART_HEAD_MAX = 4096, MULTIPART_PARTS_MAX = 1000 };

enum multipart_state {
    MULTIPART_MORE, /* goes on */
    MULTIPART_DONE, /* the last boundary was seen; what follows is dropped */
    MULTIPART_BAD,  /* not multipart: multipart_reason() */
};

struct multipart_events {
    /* Valid during the call. filename has ptr NULL when there is none; both as sent, with quotes and escapes removed.
     */
    void (*on_part)(void *arg, struct slice name, struct slice filename, struct slice type);
    void (*on_content)(void *arg, struct slice bytes);
    void (*on_part_end)(void *arg);
};

struct multipart {
    const struct multipart_events *_events;
    void *_arg;
    const char *_reason;
    char _delimiter[MULTIPART_BOUNDARY_MAX + 4]; /* CR LF -- boundary */
    char _head[MULTIPART_HEAD_MAX];
    uint32_t _head_len, _parts;
    uint8_t _delimiter_len, _matched, _step;
};

/* The boundary of a Content-Type field; false when it is not multipart/form-data with a good one. */
bool multipart_boundary(struct slice content_type, struct slice *boundary);
void multipart_begin(struct multipart *m, struct slice boundary, const struct multipart_events *events, void *arg);
enum multipart_state multipart_feed(struct multipart *m, struct slice bytes);
const char *multipart_reason(const struct multipart *m);

#endif
