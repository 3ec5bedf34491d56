/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The gateway at work: POST /performance/{name} of an echo flow answers with what it got, GET /performance/{name} of a
 * rest flow calls the flow's URL. /performance/backend is the server behind the flow "rest" that comes with the server.
 */
#include "serve/handlers.h"

#include <stdio.h>
#include <stdlib.h>

#include <jansson.h>

#include "base/json_text.h"
#include "base/random.h"
#include "serve/collect.h"
#include "serve/flows.h"
#include "serve/self.h"
#include "serve/site.h"
#include "serve/worker.h"

enum { ECHO_MAX_BYTES = 16 * 1024 * 1024 };

#define CALL_NS (60ull * 1000000000u)

static void answer_performance(struct exchange *x)
{
    char id[UUID_TEXT_MAX], text[128];

    uuid_make(id);
    int len = snprintf(text, sizeof(text), "{\"performance\":\"test\",\"id\":\"%s\"}\n", id);
    exchange_reply(x, 200, TYPE_JSON, slice_from(text, (size_t)len));
}

void handle_backend(struct exchange *x)
{
    answer_performance(x);
}

/* The flow, if it is of that kind. False: answered. */
static bool find_flow(struct exchange *x, enum flow_kind kind, struct flow *out)
{
    static const struct field ALLOW_POST = { { "Allow", 5 }, { "POST", 4 } },
                              ALLOW_GET = { { "Allow", 5 }, { "GET", 3 } };
    struct err err = { 0 };
    enum flow_found found = flow_name_is_good(x->arg) ? flows_get(&x->worker->site->flows, x->arg, out, &err)
                                                      : FLOW_ABSENT;

    if (found == FLOW_ABSENT) {
        exchange_fail(x, 404, "There is no flow %.*s.", SLICE_FMT(slice_take(x->arg, 128)));
    } else if (found == FLOW_BROKEN) {
        exchange_fail(x, 500, "The flow can not be read: %s.", err.what);
    } else if (out->kind != kind) {
        exchange_fail_fields(x, 405, kind == FLOW_ECHO ? &ALLOW_GET : &ALLOW_POST, 1, "%s is %s flow: ask it with %s.",
                             out->name, kind == FLOW_ECHO ? "a rest" : "an echo", kind == FLOW_ECHO ? "GET" : "POST");
    } else {
        return true;
    }
    return false;
}

/* ---- echo ---- */

static bool is_json_type(const struct exchange *x)
{
    struct slice type = request_head_field(x->head, SLICE("Content-Type"));
    struct slice media = slice_trim(slice_split(&type, ';'));

    return slice_eq_nocase(media, SLICE("application/json")) ||
           (media.len > 5 && slice_eq_nocase(slice_drop(media, media.len - 5), SLICE("+json")));
}

/* JSON as it came, anything else as a string. False: answered. */
static bool add_echo(struct exchange *x, struct buf *out, struct slice body)
{
    json_error_t fault = { 0 };
    json_t *document = body.len > 0 ? json_loadb(body.ptr, body.len, JSON_DECODE_ANY | JSON_ALLOW_NUL, &fault) : NULL;

    if (document != NULL) {
        json_decref(document);
        buf_add_slice(out, slice_trim(body));
    } else if (body.len == 0) {
        buf_add_str(out, "null");
    } else if (is_json_type(x)) {
        exchange_fail(x, 400, "The body is not JSON: %s.", fault.text);
        return false;
    } else {
        json_add_string(out, body);
    }
    return true;
}

static void echo(struct exchange *x, struct slice body)
{
    char id[UUID_TEXT_MAX];
    struct buf out;

    uuid_make(id);
    buf_init(&out, 6 * (size_t)ECHO_MAX_BYTES + 256); /* each byte may become six */
    buf_printf(&out, "{\"id\":\"%s\",\"echo\":", id);
    if (add_echo(x, &out, body)) {
        buf_add_str(&out, "}\n");
        exchange_reply_buf(x, 200, TYPE_JSON, &out);
    }
    buf_release(&out);
}

void handle_echo_flow(struct exchange *x)
{
    struct flow flow;

    if (find_flow(x, FLOW_ECHO, &flow)) {
        collect_body(x, ECHO_MAX_BYTES, echo);
    }
}

/* ---- rest ---- */

struct rest {
    struct exchange *x;
    struct flow flow;
    struct url url;
    struct self_check check;
    struct upstream_call call;
    bool calling;
};

static void rest_ended(struct exchange *x)
{
    struct rest *r = x->state;

    self_cancel(&r->check);
    if (r->calling) {
        upstream_cancel(&r->call);
    }
    upstream_call_release(&r->call);
    free(r);
}

static void rest_answered(struct upstream_call *call)
{
    struct rest *r = call->arg;

    r->calling = false;
    if (call->fail != UPSTREAM_OK) {
        exchange_fail(r->x, call->fail == UPSTREAM_TIMEOUT ? 504 : 502, "%s: %s.", r->flow.url, call->why);
    } else if (call->status < 200 || call->status > 299) {
        exchange_fail(r->x, 502, "%s answered %u.", r->flow.url, call->status);
    } else {
        answer_performance(r->x);
    }
}

static void rest_checked(struct self_check *check, enum self_verdict verdict)
{
    struct rest *r = check->arg;
    struct url base = r->url;
    struct buf rest;

    if (verdict != SELF_ALLOWED) {
        exchange_fail(r->x, 403,
                      "The flow calls a server that is not known to be this one: start it with --allow-upstream %.*s "
                      "(its /healthz %s).",
                      SLICE_FMT(r->url.host), check->why);
        return;
    }
    const struct origin *origin = origins_find(&r->x->worker->site->origins, &r->url);
    buf_init(&rest, FLOW_URL_MAX + 16);
    buf_add_slice(&rest, r->url.path);
    buf_add_slice(&rest, r->url.query);
    base.path = SLICE("");
    r->call.done = rest_answered;
    r->call.arg = r;
    r->calling = buf_ok(&rest) && upstream_get(&r->call, r->x->worker, &base, buf_slice(&rest),
                                               origin != NULL && origin->ours, CALL_NS) == 0;
    buf_release(&rest);
    if (!r->calling) {
        exchange_fail(r->x, 500, "%s can not be called.", r->flow.url);
    }
}

void handle_rest_flow(struct exchange *x)
{
    struct rest *r = calloc(1, sizeof(*r));

    if (r == NULL) {
        exchange_fail(x, 500, "Out of memory.");
        return;
    }
    if (!find_flow(x, FLOW_REST, &r->flow)) {
        free(r);
        return;
    }
    if (r->flow.url[0] == '\0') {
        snprintf(r->flow.url, sizeof(r->flow.url), "%s/performance/backend", x->worker->site->self_url);
    }
    r->x = x;
    x->state = r;
    x->on_end = rest_ended;
    x->end_with_client = true;
    if (url_parse(&r->url, slice_str(r->flow.url), NULL) != 0) {
        exchange_fail(x, 500, "The flow's url is not good.");
        return;
    }
    r->check.done = rest_checked;
    r->check.arg = r;
    self_check(&r->check, x->worker, &r->url);
}
