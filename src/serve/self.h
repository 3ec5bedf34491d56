/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Is a base URL this server? The list of origins knows, or the base itself proves it: its /healthz must answer with our
 * cluster id. What came of a proof is remembered for a while by each worker, so that strangers are not asked again and
 * again. */
#ifndef PLIMSOLL_SERVE_SELF_H
#define PLIMSOLL_SERVE_SELF_H

#include "serve/upstream.h"

enum self_verdict { SELF_ALLOWED, SELF_UNKNOWN };

struct self_check {
    void (*done)(struct self_check *c, enum self_verdict verdict); /* may come from within self_check() */
    void *arg;
    char why[160]; /* of SELF_UNKNOWN: "answered 404" */
    struct upstream_call _call;
    bool _asking;
};

/* done and arg are set before. base and what it points into must live until then. */
void self_check(struct self_check *c, struct worker *w, const struct url *base);
void self_cancel(struct self_check *c); /* nothing asked is fine */

enum { SELF_REMEMBERED = 32 };

struct self_memory {
    struct {
        char origin[UPSTREAM_ORIGIN_MAX];
        uint64_t until_ns;
        enum self_verdict verdict;
    } items[SELF_REMEMBERED];
    size_t next;
};

#endif
