/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Presigned URLs of S3: AWS Signature Version 4 in the query ("Authenticating Requests: Using Query Parameters" of
 * Amazon's S3 API reference), which libcurl can not make. Pure: the time is given.
 *
 *   canonical request = METHOD \n path \n query without signature \n host:HOST \n \n host \n UNSIGNED-PAYLOAD
 *   string to sign    = AWS4-HMAC-SHA256 \n time \n scope \n hex(SHA-256(canonical request))
 *   signing key       = HMAC(HMAC(HMAC(HMAC("AWS4" + secret, date), region), "s3"), "aws4_request")
 *   signature         = hex(HMAC(signing key, string to sign)) */
#ifndef PLIMSOLL_SERVE_S3_SIGN_H
#define PLIMSOLL_SERVE_S3_SIGN_H

#include "base/buf.h"
#include "base/err.h"

#include <time.h>

struct s3_keys {
    const char *key_id, *secret, *region;
    const char *session_token; /* NULL: none */
};

/* What the URL points to. */
struct s3_place {
    struct slice scheme; /* "https" */
    struct slice host;   /* with a port that is not the scheme's own */
    struct slice path;   /* percent-encoded, with its slash */
};

enum { S3_EXPIRES_MAX_S = 7 * 24 * 3600 };

/* Appends the URL, good for that method from now on for expires_s (at most S3_EXPIRES_MAX_S). False: out of memory, or
 * out is full. */
MUST_CHECK bool s3_sign_url(struct buf *out, const struct s3_keys *keys, const char *method,
                            const struct s3_place *place, unsigned expires_s, time_t now);

#endif
