/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What all workers of a server share. Made before they start; afterwards only what says so changes. */
#ifndef PLIMSOLL_SERVE_SITE_H
#define PLIMSOLL_SERVE_SITE_H

#include "base/random.h"
#include "serve/blobstore.h"
#include "serve/flows.h"
#include "serve/origins.h"
#include "serve/serve.h"
#include "serve/shared_tls.h"
#include "serve/turns.h"

/* What lies below the data root, as far as it is known. */
struct usage {
    pthread_mutex_t lock;
    uint64_t used, reserved;
    bool known;
};

struct asset_jobs;
struct worker;

struct site {
    const struct serve_config *config;
    struct shared_tls tls; /* has a lock of its own */
    struct origins origins;
    struct usage usage;        /* has a lock of its own */
    struct flows flows;        /* has a lock of its own */
    struct asset_jobs *assets; /* has a lock of its own */
    struct turns turns;        /* has a lock of its own */
    struct blobstore blobstore;
    char cluster_id[256];
    char self_url[ADDR_TEXT_MAX + 16]; /* a base that reaches this server from this machine */
    int access_log;                    /* a file; -1: none */
    struct worker *workers;            /* all of them, for those who add up their counters */
    unsigned worker_count;
    int data; /* --data-root as a descriptor, else of the current folder; -1: there is none */
    int root; /* --root as a descriptor; -1: none */
};

MUST_CHECK int site_init(struct site *s, const struct serve_config *config, struct err *err);
void site_release(struct site *s); /* zero is fine */

#endif
