/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A target made ready: its request as bytes, its addresses, its body.
 *
 * Made before the run by one thread; while measuring, workers only read it. The one thing that may change is the set of
 * addresses
 * (--re-resolve): a whole new set is published by pointer, old ones live until target_release(), so that no reader
 * needs a lock. */
#ifndef PLIMSOLL_LOAD_TARGET_H
#define PLIMSOLL_LOAD_TARGET_H

#include "base/buf.h"
#include "http/h2_client.h"
#include "http/url.h"
#include "load/body.h"
#include "load/check.h"
#include "load/load.h"
#include "load/template.h"

#include <stdatomic.h>

#define ADDRESS_SLOTS 4096 /* distinct addresses a run can count apart */

/* Every address the run has seen, with the place its counters have in each worker. Only the publisher adds. */
struct address_table {
    struct addr items[ADDRESS_SLOTS];
    _Atomic uint32_t count;
};
/* The address's slot, added when new. The last slot takes whatever comes after the table is full. */
uint16_t address_table_slot(struct address_table *t, const struct addr *a);

struct address_set {
    struct address_set *older; /* kept until the end */
    size_t count;
    size_t preferred; /* the first so many are of the family that is used unless all of them are dead */
    struct {
        struct addr addr;
        uint16_t slot;
    } items[];
};

struct target {
    struct url url; /* slices into spec->url */
    const struct load_target *spec;
    struct load_manner manner;
    char *host;            /* NUL-terminated: for lookups, SNI, verification */
    uint16_t connect_port; /* may differ from the URL's with connect_to */
    char *connect_host;
    const char *sni;                        /* NULL: none */
    const char *verify_name;                /* the name or literal the certificate must be valid for */
    struct buf keep_request, close_request; /* heads, short bodies included */
    struct buf connect_request;             /* to the proxy, before TLS; empty: no tunnel */
    struct h2_request *h2_request;          /* the same for HTTP/2; NULL: HTTP/1 */
    struct body body;                       /* what follows the buffers above */
    struct strlist secrets;                 /* of the requests (http/secrets.h): masked in what is shown of replies */
    struct check check;
    struct template keep_template, close_template; /* of a target whose requests differ */
    bool is_rendered;
    bool renders_body;
    bool is_head, is_idempotent, https;
    uint32_t tls_config;            /* of the run's */
    uint32_t tls_peer;              /* the same for targets of one host and port: they share kept sessions; from 1 */
    const char *override_addresses; /* --resolve; NULL: look the name up */
    uint64_t lookup_ns;
    _Atomic(struct address_set *) addresses;
};

/* What the targets of a run have in common. */
struct target_shared {
    const uint8_t *statuses; /* STATUS_MAX flags, for targets that expect none of their own */
    struct slice noise;      /* see body.h */
    const struct feed *feed; /* NULL: none */
};

/* Everything but the addresses. ERR_USAGE/ERR_CONFIG with the offending value. */
MUST_CHECK int target_prepare(struct target *t, const struct load_target *spec, const struct load_plan *plan,
                              const struct target_shared *shared, struct err *err);
/* Looks the name up (or takes the override) and publishes the set when it differs from the current one. */
MUST_CHECK int target_resolve(struct target *t, const struct load_plan *plan, struct address_table *table,
                              struct err *err);
/* Targets of one host and port share the answer of one lookup. */
MUST_CHECK int target_share_addresses(struct target *t, const struct target *from, struct err *err);
void target_release(struct target *t);

#endif
