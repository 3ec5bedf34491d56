/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Builds the bytes of an HTTP/1 request once, before the run: the measured path only sends them.
 *
 * Order on the wire: request line, Host, User-Agent, Accept, the user's fields as given (a user's field of the same
 * name replaces ours: Host, User-Agent, Accept, Content-Type, Connection, Authorization), Content-Length or
 * Transfer-Encoding, Connection. "Name;" is a field without value and "Name:" removes ours, as curl has it. */
#ifndef PLIMSOLL_HTTP_REQUEST_H
#define PLIMSOLL_HTTP_REQUEST_H

#include "base/buf.h"
#include "base/err.h"
#include "base/strlist.h"

#include <stdint.h>

enum http_version { HTTP_1_0 = 10, HTTP_1_1 = 11, HTTP_2 = 20 /* built as 1.1, then made HTTP/2's (h2_client.h) */ };

struct request_spec {
    struct slice method;    /* a token (RFC 9110 5.6.2) */
    struct slice target;    /* origin-form */
    struct slice authority; /* for Host */
    enum http_version version;
    const struct strlist *fields; /* "Name: value" each; NULL is fine */
    struct slice authorization;   /* whole value, or empty */
    struct slice user_agent;      /* empty: plimsoll/VERSION */
    struct slice content_type;    /* empty: none */
    bool has_body;
    uint64_t body_bytes;
    bool chunked;         /* Transfer-Encoding instead of the length */
    bool expect_continue; /* Expect: 100-continue */
    bool close;           /* Connection: close */
    bool keep_alive;      /* Connection: keep-alive said although HTTP/1.0 */
};

/* ERR_USAGE for a bad method, a field with a line break, NUL, or without colon: the field is quoted, its secret is not.
 */
MUST_CHECK int request_build(struct buf *out, const struct request_spec *spec, struct err *err);
/* Checks one "Name: value" as a user gave it. */
MUST_CHECK int request_check_field(struct slice field, struct err *err);
/* RFC 9110 9.2.2. */
bool request_method_is_idempotent(struct slice method);
/* "Basic " + base64 of USER:PASS. */
void request_basic_authorization(struct buf *out, struct slice user_pass);

#endif
