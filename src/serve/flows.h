/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The gateway's flows: small definitions in a file store (a JSON file each), and a cache of definitions, never of
 * replies. With the cache off every request reads its definition from the store: the counters prove what a run did. Two
 * flows come with the server. Shared by all workers (one lock; it is held for a copy). */
#ifndef PLIMSOLL_SERVE_FLOWS_H
#define PLIMSOLL_SERVE_FLOWS_H

#include "base/buf.h"
#include "base/err.h"

#include <pthread.h>

enum flow_kind {
    FLOW_ECHO, /* answers with the body it got */
    FLOW_REST, /* calls a URL */
};

enum { FLOW_NAME_MAX = 100, FLOW_URL_MAX = 2048, FLOWS_CACHED = 256, FLOW_JSON_MAX = 64 * 1024 };

struct flow {
    char name[FLOW_NAME_MAX + 1];
    enum flow_kind kind;
    char url[FLOW_URL_MAX + 1]; /* of rest; "": /performance/backend of this server */
    bool built_in;
};

enum flow_found { FLOW_FOUND, FLOW_ABSENT, FLOW_BROKEN };

struct flow_counts {
    bool enabled;
    uint64_t hits, misses, store_reads;
};

struct flows {
    pthread_mutex_t _lock;
    const char *_root; /* data root */
    struct flow *_cache;
    size_t _cached, _next;
    struct flow_counts _counts;
};

MUST_CHECK int flows_init(struct flows *f, const char *data_root, struct err *err);
void flows_release(struct flows *f); /* zero is fine */

/* Letters, digits, '-', '_' and '.', not at the beginning; "backend" is taken. */
bool flow_name_is_good(struct slice name);
/* The definition, from the cache or the store. FLOW_BROKEN: err says what is wrong with the store. */
enum flow_found flows_get(struct flows *f, struct slice name, struct flow *out, struct err *err);
/* From a definition's JSON; ERR_USAGE says what is wrong with it. */
MUST_CHECK int flow_parse(struct flow *out, struct slice name, struct slice json, struct err *err);
void flow_write(struct buf *out, const struct flow *flow);
/* Stores it; *created tells whether it is new. */
MUST_CHECK int flows_put(struct flows *f, const struct flow *flow, bool *created, struct err *err);
/* FLOW_ABSENT: there is none; a built-in definition that was not replaced stays, which is FLOW_FOUND with *kept. */
enum flow_found flows_delete(struct flows *f, struct slice name, bool *kept, struct err *err);
struct flow_counts flows_counts(struct flows *f);
void flows_enable_cache(struct flows *f, bool enabled); /* off empties it; the counts go on */

#endif
