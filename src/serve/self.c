/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "serve/self.h"

#include <stdio.h>
#include <string.h>

#include <jansson.h>

#include "serve/origins.h"
#include "serve/site.h"
#include "serve/worker.h"

#define PROOF_NS (3ull * 1000000000u)
#define GOOD_FOR_NS (60ull * 1000000000u)
#define BAD_FOR_NS (5ull * 1000000000u)

static void remember(struct worker *w, const char *origin, enum self_verdict verdict)
{
    struct self_memory *m = w->self_memory;
    size_t i = m->next++ % SELF_REMEMBERED;

    snprintf(m->items[i].origin, sizeof(m->items[i].origin), "%s", origin);
    m->items[i].verdict = verdict;
    m->items[i].until_ns = w->now_ns + (verdict == SELF_ALLOWED ? GOOD_FOR_NS : BAD_FOR_NS);
}

static bool recall(const struct worker *w, const char *origin, enum self_verdict *verdict)
{
    const struct self_memory *m = w->self_memory;

    for (size_t i = 0; i < SELF_REMEMBERED; i++) {
        if (m->items[i].until_ns > w->now_ns && strcmp(m->items[i].origin, origin) == 0) {
            *verdict = m->items[i].verdict;
            return true;
        }
    }
    return false;
}

static bool has_our_id(const struct upstream_call *call, const char *id)
{
    json_t *document = json_loadb(call->body.data != NULL ? call->body.data : "", call->body.len, 0, NULL);
    const char *theirs = json_string_value(json_object_get(document, "clusterId"));
    bool same = theirs != NULL && strcmp(theirs, id) == 0;

    json_decref(document);
    return same;
}

static void proof_done(struct upstream_call *call)
{
    struct self_check *c = call->arg;
    struct worker *w = call->_worker;
    enum self_verdict verdict = SELF_UNKNOWN;

    c->_asking = false;
    if (call->fail != UPSTREAM_OK) {
        snprintf(c->why, sizeof(c->why), "does not answer: %.120s", call->why);
    } else if (has_our_id(call, w->site->cluster_id)) {
        verdict = SELF_ALLOWED;
    } else {
        snprintf(c->why, sizeof(c->why), "answers %u without this server's id", call->status);
    }
    remember(w, call->_origin, verdict);
    upstream_call_release(call);
    c->done(c, verdict);
}

void self_check(struct self_check *c, struct worker *w, const struct url *base)
{
    char origin[UPSTREAM_ORIGIN_MAX];
    enum self_verdict verdict;

    c->_asking = false;
    if (origins_find(&w->site->origins, base) != NULL) {
        c->done(c, SELF_ALLOWED);
        return;
    }
    snprintf(origin, sizeof(origin), "%s://%s%.*s%s:%u", base->https ? "https" : "http", base->host_is_ipv6 ? "[" : "",
             SLICE_FMT(base->host), base->host_is_ipv6 ? "]" : "", base->port);
    snprintf(c->why, sizeof(c->why), "did not say so a moment ago");
    if (recall(w, origin, &verdict)) {
        c->done(c, verdict);
        return;
    }
    c->_call.done = proof_done;
    c->_call.arg = c;
    c->_asking = upstream_get(&c->_call, w, base, SLICE("/healthz"), false, PROOF_NS) == 0;
    if (!c->_asking) {
        snprintf(c->why, sizeof(c->why), "can not be asked");
        c->done(c, SELF_UNKNOWN);
    }
}

void self_cancel(struct self_check *c)
{
    if (c->_asking) {
        c->_asking = false;
        upstream_cancel(&c->_call);
        upstream_call_release(&c->_call);
    }
}
