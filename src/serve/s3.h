/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The bucket that clean assets are copied to. Calls block: from threads that may wait, never from a loop. Any number of
 * threads at once; connections are kept between calls.
 *
 * Objects are addressed by path (ENDPOINT/BUCKET/KEY), which every S3 server knows. Keys hold unreserved characters
 * only. Neither secret nor signature ever appears in an error. */
#ifndef PLIMSOLL_SERVE_S3_H
#define PLIMSOLL_SERVE_S3_H

#include "base/buf.h"
#include "base/err.h"

#include <time.h>

struct fetch;
struct s3;
struct serve_config;

/* ERR_CONFIG for an endpoint, a bucket or credentials that can not be used. *out NULL, and 0, without --s3-bucket. */
MUST_CHECK int s3_new(struct s3 **out, const struct serve_config *config, struct err *err);
void s3_free(struct s3 *s); /* NULL is fine */

/* What became of a call. */
struct s3_outcome {
    uint16_t status; /* 0: done; 502 or 504 is what a gateway answers */
    bool stopped;    /* by the caller */
    char why[400];
};

/* Ends a call early. */
struct s3_stop {
    bool (*is_stopped)(void *arg);
    void *arg;
};

bool s3_put(struct s3 *s, const char *key, int file, uint64_t size, struct slice type, const struct s3_stop *stop,
            struct s3_outcome *outcome);
bool s3_delete(struct s3 *s, const char *key, const struct s3_stop *stop, struct s3_outcome *outcome);

struct s3_get {
    bool head;
    const char *const *fields; /* "Range: bytes=0-1" */
    size_t field_count;
    /* 200, 206, 304 or 416; fetch_header() has the fields. Other statuses are failures and never come here. False:
     * stop. */
    bool (*on_head)(void *arg, uint16_t status, struct fetch *f);
    bool (*on_bytes)(void *arg, struct slice bytes); /* may block; false: stop */
    bool (*is_stopped)(void *arg);
    void *arg;
};
bool s3_get(struct s3 *s, const char *key, const struct s3_get *get, struct s3_outcome *outcome);

/* Appends a URL that lets anybody do that with the object for a minute. False: out of memory. */
MUST_CHECK bool s3_presign(const struct s3 *s, struct buf *out, const char *method, const char *key, time_t now);

#endif
