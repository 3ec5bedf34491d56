/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads requests byte by byte, keeping only what the rules and counts need: method, path, where the body ends.
 * Not a judge of requests: what it does not understand it lets pass, and a recording shows it. */
#ifndef TARGET_ASKED_H
#define TARGET_ASKED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum asked_state {
    ASKED_NOTHING,
    ASKED_HEAD,
    ASKED_BODY,
    ASKED_CHUNK_SIZE,
    ASKED_CHUNK_DATA,
    ASKED_CHUNK_END,
    ASKED_TRAILER
};

enum asked_event {
    ASKED_MORE,     /* all bytes were used */
    ASKED_BEGUN,    /* the first byte of a request */
    ASKED_HEAD_END, /* method and path are known; a body may follow */
    ASKED_COMPLETE, /* the request is whole */
};

struct asked {
    enum asked_state state;
    char line[256]; /* longer lines are cut: only their beginning matters */
    size_t line_len;
    char method[32];
    char path[128];
    bool has_request_line, chunked, head_reported;
    uint64_t left;       /* of the body or chunk */
    uint64_t body_bytes; /* of this request so far */
};

void asked_init(struct asked *a);
/* Uses bytes up to the next event; *used says how many. Call again with the rest until ASKED_MORE. */
enum asked_event asked_feed(struct asked *a, const char *bytes, size_t len, size_t *used);

#endif
