/* SPDX-License-Identifier: GPL-3.0-or-later */
/* GET /recursive/{n}: the n-th Fibonacci number with every addition made of two calls over HTTP, one after the other,
 * back to this server: what it takes is the latency of the platform between a request and its answer. Asynchronous all
 * the way: a thousand of them wait without a thread. */
#include "serve/handlers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "base/clock.h"
#include "serve/encode.h"
#include "serve/origins.h"
#include "serve/query.h"
#include "serve/self.h"
#include "serve/site.h"
#include "serve/upstream.h"
#include "serve/worker.h"

enum { BASE_MAX_BYTES = 2048, REST_MAX_BYTES = 8 * 1024 };

#define CALL_NS (300ull * 1000000000u)

struct recursion {
    struct exchange *x;
    struct self_check check; /* before the first call */
    struct upstream_call call;
    bool calling;
    uint64_t n, next; /* the number asked for, and the one the current call asks for */
    uint64_t fibonacci, calls, begin_ns;
    struct buf base_text;
    struct url base;
};

static void release(struct recursion *r)
{
    upstream_call_release(&r->call);
    buf_release(&r->base_text);
    free(r);
}

static void exchange_ended(struct exchange *x)
{
    struct recursion *r = x->state;

    self_cancel(&r->check);
    if (r->calling) {
        upstream_cancel(&r->call);
    }
    release(r);
}

static void answer(struct exchange *x, uint64_t n, uint64_t fibonacci, uint64_t calls, uint64_t ns)
{
    char text[256];
    int len = snprintf(text, sizeof(text),
                       "{\"n\":\"%llu\",\"fibonacci\":%llu,\"msTime\":%llu,\"seconds\":%.6f,\"calls\":%llu,"
                       "\"meanCallSeconds\":%.9f}\n",
                       (unsigned long long)n, (unsigned long long)fibonacci,
                       (unsigned long long)((ns + 500000) / 1000000), (double)ns / 1e9, (unsigned long long)calls,
                       (double)ns / 1e9 / (double)calls);

    exchange_reply(x, 200, TYPE_JSON, slice_from(text, (size_t)len));
}

/* What was called: for messages. */
static void fail_call(struct recursion *r, uint16_t status, const char *why)
{
    exchange_fail(r->x, status, "%.*s/recursive/%llu: %s.", SLICE_FMT(buf_slice(&r->base_text)),
                  (unsigned long long)r->next, why);
}

static void call_done(struct upstream_call *call);

static void call_next(struct recursion *r)
{
    const struct origin *origin = origins_find(&r->x->worker->site->origins, &r->base);
    struct buf rest;

    buf_init(&rest, REST_MAX_BYTES);
    buf_printf(&rest, "/recursive/%llu?url=", (unsigned long long)r->next);
    encode_component(&rest, buf_slice(&r->base_text));
    r->call.done = call_done;
    r->call.arg = r;
    r->calling = buf_ok(&rest) && upstream_get(&r->call, r->x->worker, &r->base, buf_slice(&rest),
                                               origin != NULL && origin->ours, CALL_NS) == 0;
    buf_release(&rest);
    if (!r->calling) {
        fail_call(r, 500, "it can not be called");
    }
}

/* Takes the figures out of a reply; false when it has none. */
static bool take_reply(struct recursion *r)
{
    json_t *document = json_loadb(r->call.body.data != NULL ? r->call.body.data : "", r->call.body.len, 0, NULL);
    const json_t *fibonacci = json_object_get(document, "fibonacci"), *calls = json_object_get(document, "calls");
    bool ok = json_is_integer(fibonacci) && json_integer_value(fibonacci) >= 0;

    if (ok) {
        r->fibonacci += (uint64_t)json_integer_value(fibonacci);
        r->calls += json_is_integer(calls) && json_integer_value(calls) > 0 ? (uint64_t)json_integer_value(calls) : 1;
    }
    json_decref(document);
    return ok;
}

static void call_done(struct upstream_call *call)
{
    struct recursion *r = call->arg;
    char why[64];

    r->calling = false;
    if (call->fail != UPSTREAM_OK) {
        fail_call(r, call->fail == UPSTREAM_TIMEOUT ? 504 : 502, call->why);
    } else if (call->status != 200 || !take_reply(r)) {
        snprintf(why, sizeof(why), "it answered %u without a Fibonacci number", call->status);
        fail_call(r, 502, why);
    } else if (r->next == r->n - 1) {
        r->next = r->n - 2;
        upstream_call_release(&r->call);
        call_next(r);
    } else {
        answer(r->x, r->n, r->fibonacci, r->calls, clock_now_ns() - r->begin_ns);
    }
}

static void check_done(struct self_check *check, enum self_verdict verdict)
{
    struct recursion *r = check->arg;

    if (verdict == SELF_ALLOWED) {
        r->begin_ns = clock_now_ns();
        call_next(r);
        return;
    }
    exchange_fail(r->x, 403,
                  "%.*s is not known to be this server: start it with --self-url or --allow-upstream for that name, or "
                  "with the same "
                  "--cluster-id on every instance (its /healthz %s).",
                  SLICE_FMT(slice_take(buf_slice(&r->base_text), 128)), check->why);
}

/* False: answered. */
static bool find_base(struct recursion *r)
{
    struct err err = { 0 };
    bool found;

    if (!query_text(r->x, "url", &r->base_text, &found)) {
        return false;
    }
    if (!found) {
        base_of_request(r->x, &r->base_text);
    }
    while (slice_ends(buf_slice(&r->base_text), SLICE("/"))) {
        r->base_text.len--;
    }
    if (!buf_ok(&r->base_text) || url_parse(&r->base, buf_slice(&r->base_text), &err) != 0) {
        exchange_fail(r->x, 400, "url is not the base of a server: %s.",
                      err.what[0] != '\0' ? err.what : "it is too long");
        return false;
    }
    if (r->base.userinfo.ptr != NULL || r->base.query.len > 0) {
        exchange_fail(r->x, 400, "url must be scheme, host and perhaps a path, without user and query.");
        return false;
    }
    return true;
}

void handle_recursive(struct exchange *x)
{
    uint64_t n;

    if (!exchange_number(x, "n", x->worker->config->max_recursion, &n)) {
        return;
    }
    if (n <= 2) {
        answer(x, n, 1, 1, 0);
        return;
    }
    struct recursion *r = calloc(1, sizeof(*r));
    if (r == NULL) {
        exchange_fail(x, 500, "Out of memory.");
        return;
    }
    r->x = x;
    r->n = n;
    r->next = n - 1;
    r->calls = 1;
    buf_init(&r->base_text, BASE_MAX_BYTES);
    x->state = r;
    x->on_end = exchange_ended;
    x->end_with_client = true;
    if (find_base(r)) {
        r->check.done = check_done;
        r->check.arg = r;
        self_check(&r->check, x->worker, &r->base);
    }
}
