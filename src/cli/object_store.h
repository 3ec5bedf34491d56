/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A store of objects, where processes of several machines leave files for each other: S3 (s3://BUCKET/PREFIX), or any
 * server that takes PUT and gives with GET (http://, https://). Credentials come from the environment alone:
 * AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN, AWS_REGION (us-east-1), AWS_ENDPOINT_URL (Amazon's); of
 * http and https PLIMSOLL_STORE_TOKEN, sent as a Bearer token. Blocks. */
#ifndef PLIMSOLL_CLI_OBJECT_STORE_H
#define PLIMSOLL_CLI_OBJECT_STORE_H

#include "base/buf.h"
#include "base/err.h"

/* The variables; ends with NULL. */
extern const char *const OBJECT_STORE_VARIABLES[];

/* Whether the text is meant as one: it has "://". */
bool object_store_is(const char *text);
/* ERR_USAGE: another scheme, no bucket, a query, credentials in it. */
MUST_CHECK int object_store_check(const char *url, struct err *err);
/* The variables that this one can not do without: of OBJECT_STORE_VARIABLES the first so many. */
unsigned object_store_needs(const char *url);

struct object_store;
/* ERR_USAGE as above; ERR_CONFIG: no credentials. */
MUST_CHECK int object_store_open(struct object_store **out, const char *url, struct err *err);
void object_store_close(struct object_store *s); /* NULL is fine */
/* name: letters, digits, '.', '-', '_'. Tried three times, a second apart, where the server or the network failed.
 * ERR_SYSTEM, ERR_PEER; ERR_CONFIG: refused. */
MUST_CHECK int object_store_put(struct object_store *s, const char *name, struct slice bytes, struct err *err);
/* *found false: there is none of that name (404). */
MUST_CHECK int object_store_get(struct object_store *s, const char *name, struct buf *out, bool *found,
                                struct err *err);

#endif
