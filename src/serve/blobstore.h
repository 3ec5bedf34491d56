/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where /droplets keeps its files: any WebDAV store, or this server's own /blobs. The only server that a droplet can
 * make this one call: nothing of a request chooses it. */
#ifndef PLIMSOLL_SERVE_BLOBSTORE_H
#define PLIMSOLL_SERVE_BLOBSTORE_H

#include "base/err.h"
#include "http/url.h"
#include "serve/serve.h"

struct blobstore {
    struct url base;
    bool insecure;        /* our own: its certificate needs no check */
    struct buf authority; /* for messages: without credentials */
    struct buf fields;    /* Authorization as a line of a head; empty when none is needed */
    struct buf _self;
};

/* --blobstore. ERR_CONFIG or ERR_USAGE for a URL that is none; without one the store comes with blobstore_use_self().
 */
MUST_CHECK int blobstore_init(struct blobstore *b, const struct serve_config *config, struct err *err);
/* The server listens: self_url reaches it. */
MUST_CHECK int blobstore_use_self(struct blobstore *b, const struct serve_config *config, const char *self_url,
                                  struct err *err);
void blobstore_release(struct blobstore *b);

#endif
