/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "serve/exchange.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/err.h"
#include "base/json_text.h"
#include "serve/routes.h"
#include "serve/worker.h"

const struct slice TYPE_JSON = { "application/json", 16 };
const struct slice TYPE_TEXT = { "text/plain; charset=utf-8", 25 };
const struct slice TYPE_HTML = { "text/html; charset=utf-8", 24 };
const struct slice TYPE_BYTES = { "application/octet-stream", 24 };

void exchange_answer(struct exchange *x, const struct answer *a)
{
    if (x->_status != 0) {
        BUG("%s was answered twice (%u, then %u)", x->route != NULL ? x->route->pattern : "a request", x->_status,
            a->status);
    }
    x->_status = a->status;
    x->_protocol->answer(x, a);
}

bool exchange_is_answered(const struct exchange *x)
{
    return x->_status != 0;
}

void exchange_reply(struct exchange *x, uint16_t status, struct slice type, struct slice bytes)
{
    exchange_answer(x, &(struct answer){ .status = status, .body = BODY_BYTES, .type = type, .bytes = bytes });
}

void exchange_reply_owned(struct exchange *x, uint16_t status, struct slice type, char *bytes, size_t len)
{
    if (bytes == NULL) {
        exchange_fail(x, 500, "Out of memory.");
        return;
    }
    x->_owned = bytes;
    exchange_reply(x, status, type, slice_from(bytes, len));
}

void exchange_reply_buf(struct exchange *x, uint16_t status, struct slice type, struct buf *bytes)
{
    size_t len = bytes->len;
    char *detached = buf_detach(bytes);

    exchange_reply_owned(x, status, type, detached, len);
}

__attribute__((format(printf, 5, 0))) static void fail(struct exchange *x, uint16_t status, const struct field *fields,
                                                       size_t count, const char *fmt, va_list args)
{
    char text[512];
    struct buf json;

    vsnprintf(text, sizeof(text), fmt, args);
    buf_init(&json, EXCHANGE_SMALL_BYTES);
    buf_add_str(&json, "{\"error\":");
    json_add_string(&json, slice_str(text));
    buf_printf(&json, ",\"status\":%u}\n", status);
    exchange_answer(x, &(struct answer){ .status = status,
                                         .body = BODY_BYTES,
                                         .type = TYPE_JSON,
                                         .bytes = buf_slice(&json),
                                         .fields = fields,
                                         .field_count = count });
    buf_release(&json);
}

void exchange_fail(struct exchange *x, uint16_t status, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    fail(x, status, NULL, 0, fmt, args);
    va_end(args);
}

void exchange_fail_fields(struct exchange *x, uint16_t status, const struct field *fields, size_t count,
                          const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    fail(x, status, fields, count, fmt, args);
    va_end(args);
}

void exchange_resume(struct exchange *x)
{
    x->_protocol->resume(x);
}

void exchange_read_more(struct exchange *x)
{
    x->body_paused = false;
    x->_protocol->read_more(x);
}

void exchange_abort(struct exchange *x)
{
    x->_protocol->abort(x);
}

static void timer_fired(struct timer *t)
{
    struct exchange *x = t->arg;

    x->on_time(x);
}

void exchange_start_timer(struct exchange *x, uint64_t delay_ns)
{
    if (!x->_has_timer) {
        x->_timer.on_time = timer_fired;
        x->_timer.arg = x;
        timer_init(&x->_timer, x->worker->loop);
        x->_has_timer = true;
    }
    timer_start(&x->_timer, delay_ns);
}

bool exchange_number(struct exchange *x, const char *what, uint64_t max, uint64_t *out)
{
    if (!slice_to_u64(x->arg, out)) {
        exchange_fail(x, 400, "%s must be a whole number, not \"%.*s\".", what, SLICE_FMT(slice_take(x->arg, 64)));
        return false;
    }
    if (*out > max) {
        exchange_fail(x, 400, "%s must be at most %llu, not %llu.", what, (unsigned long long)max,
                      (unsigned long long)*out);
        return false;
    }
    return true;
}
