/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The definitions of the gateway's flows, and their cache: PUT, GET, DELETE /flows/{name}; GET, PUT /cache. */
#include "serve/handlers.h"

#include <errno.h>

#include <jansson.h>

#include "serve/collect.h"
#include "serve/flows.h"
#include "serve/site.h"
#include "serve/worker.h"

static bool name_is_good(struct exchange *x)
{
    if (!flow_name_is_good(x->arg)) {
        exchange_fail(x, 400,
                      "A flow's name is 1 to %d letters, digits, '-', '_' and '.', does not begin with '.', and is not "
                      "\"backend\".",
                      FLOW_NAME_MAX);
        return false;
    }
    return true;
}

static void answer_flow(struct exchange *x, uint16_t status, const struct flow *flow)
{
    struct buf out;

    buf_init(&out, FLOW_JSON_MAX);
    flow_write(&out, flow);
    exchange_reply_buf(x, status, TYPE_JSON, &out);
}

static void put_flow(struct exchange *x, struct slice body)
{
    struct err err = { 0 };
    struct flow flow;
    bool created;

    if (flow_parse(&flow, x->arg, body, &err) != 0) {
        exchange_fail(x, 400, "The flow is not good: %s.", err.what);
    } else if (flows_put(&x->worker->site->flows, &flow, &created, &err) != 0) {
        exchange_fail(x, err.sys == ENOSPC ? 507 : 500, "The flow can not be stored: %s.", err.what);
    } else {
        answer_flow(x, created ? 201 : 200, &flow);
    }
}

void handle_put_flow(struct exchange *x)
{
    if (name_is_good(x)) {
        collect_body(x, FLOW_JSON_MAX, put_flow);
    }
}

void handle_get_flow(struct exchange *x)
{
    struct err err = { 0 };
    struct flow flow;

    if (!name_is_good(x)) {
        return;
    }
    switch (flows_get(&x->worker->site->flows, x->arg, &flow, &err)) {
    case FLOW_FOUND:
        answer_flow(x, 200, &flow);
        return;
    case FLOW_ABSENT:
        exchange_fail(x, 404, "There is no flow %.*s.", SLICE_FMT(x->arg));
        return;
    case FLOW_BROKEN:
        break;
    }
    exchange_fail(x, 500, "The flow can not be read: %s.", err.what);
}

void handle_delete_flow(struct exchange *x)
{
    struct err err = { 0 };
    bool kept;

    if (!name_is_good(x)) {
        return;
    }
    switch (flows_delete(&x->worker->site->flows, x->arg, &kept, &err)) {
    case FLOW_FOUND:
        if (kept) {
            exchange_fail(x, 409, "The flow %.*s comes with the server; PUT another definition to replace it.",
                          SLICE_FMT(x->arg));
        } else {
            exchange_answer(x, &(struct answer){ .status = 204 });
        }
        return;
    case FLOW_ABSENT:
        exchange_fail(x, 404, "There is no flow %.*s.", SLICE_FMT(x->arg));
        return;
    case FLOW_BROKEN:
        break;
    }
    exchange_fail(x, 500, "The flow can not be removed: %s.", err.what);
}

/* ---- The cache ---- */

void handle_get_cache(struct exchange *x)
{
    struct flow_counts c = flows_counts(&x->worker->site->flows);
    struct buf out;

    buf_init(&out, 1024);
    buf_printf(&out, "{\"enabled\":%s,\"hits\":%llu,\"misses\":%llu,\"storeReads\":%llu}\n",
               c.enabled ? "true" : "false", (unsigned long long)c.hits, (unsigned long long)c.misses,
               (unsigned long long)c.store_reads);
    exchange_reply_buf(x, 200, TYPE_JSON, &out);
}

static void put_cache(struct exchange *x, struct slice body)
{
    json_t *document = json_loadb(body.ptr != NULL ? body.ptr : "", body.len, 0, NULL);
    const json_t *enabled = json_object_get(document, "enabled");
    bool good = json_is_boolean(enabled), on = json_is_true(enabled);

    json_decref(document);
    if (!good) {
        exchange_fail(x, 400, "The body must be {\"enabled\": true} or {\"enabled\": false}.");
        return;
    }
    flows_enable_cache(&x->worker->site->flows, on);
    handle_get_cache(x);
}

void handle_put_cache(struct exchange *x)
{
    collect_body(x, FLOW_JSON_MAX, put_cache);
}
