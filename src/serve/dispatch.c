/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "serve/dispatch.h"

#include <stdlib.h>

#include "base/clock.h"
#include "serve/access.h"
#include "serve/access_log.h"
#include "serve/routes.h"
#include "serve/site.h"
#include "serve/turns.h"
#include "serve/worker.h"

#define ALL_METHODS ((1u << REQUEST_METHODS) - 1)

static void find(struct exchange *x)
{
    const struct request_head *h = x->head;

    x->_allowed = ALL_METHODS;
    if (h->asterisk || route_find(h->method, h->path, &x->route, &x->arg, &x->_allowed) != ROUTE_NO_PATH) {
        return;
    }
    x->arg = SLICE("");
    if (x->worker->site->root >= 0) {
        x->_allowed = 1u << REQUEST_GET | 1u << REQUEST_HEAD;
        if ((x->_allowed & 1u << h->method) != 0) {
            x->route = route_static();
        }
    }
}

bool dispatch_route(struct exchange *x)
{
    find(x);
    return x->route == NULL || (x->route->flags & ROUTE_WRITES) == 0 || access_may_write(x);
}

bool dispatch_reads_body(const struct exchange *x)
{
    return x->route != NULL && (x->route->flags & ROUTE_READS_BODY) != 0;
}

static void answer_without_route(struct exchange *x)
{
    char text[ROUTE_ALLOW_MAX];
    struct field allow = { SLICE("Allow"), route_allow(text, x->_allowed) };

    if (x->_allowed == 0) {
        exchange_fail(x, 404, "There is no %.*s here; GET / lists what there is.",
                      SLICE_FMT(slice_take(x->head->path, 128)));
    } else if (x->head->method == REQUEST_OPTIONS) {
        exchange_answer(x, &(struct answer){ .status = 204, .fields = &allow, .field_count = 1 });
    } else {
        exchange_fail_fields(x, 405, &allow, 1, "%s is not possible here, only %.*s.",
                             request_method_name(x->head->method), SLICE_FMT(allow.value));
    }
}

bool dispatch_start(struct exchange *x)
{
    if (x->route == NULL) {
        answer_without_route(x);
    } else if (turn_take(x)) {
        x->route->start(x);
    } else {
        return false;
    }
    return true;
}

void dispatch_detach(struct exchange *x)
{
    void (*on_end)(struct exchange *) = x->on_end;

    x->on_end = NULL;
    x->on_body = NULL;
    x->on_body_end = NULL;
    if (x->_has_timer) {
        timer_stop(&x->_timer);
    }
    if (on_end != NULL) {
        on_end(x);
    }
    free(x->_owned);
    x->_owned = NULL;
    turn_end(x);
}

void dispatch_record(const struct exchange *x, int fd, uint64_t begin_ns, uint64_t content_bytes, bool complete)
{
    struct worker *w = x->worker;
    uint64_t ns = clock_now_ns() - begin_ns;

    if (complete) {
        metrics_add(&w->metrics, x->route, x->_status, ns);
    } else {
        count_add(&w->metrics.cut_off, 1);
    }
    if (w->site->access_log < 0) {
        return;
    }
    access_log_add(
        &w->log_lines,
        &(struct access_entry){ .x = x, .fd = fd, .content_bytes = content_bytes, .ns = ns, .complete = complete });
    if (w->log_lines.len >= ACCESS_LOG_FULL) {
        access_log_flush(&w->log_lines, w->site->access_log);
    }
}
