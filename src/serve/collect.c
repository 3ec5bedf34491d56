/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "serve/collect.h"

#include <stdlib.h>

struct collect {
    struct buf body;
    size_t max_bytes;
    void (*done)(struct exchange *x, struct slice body);
};

static void on_body(struct exchange *x, struct slice content)
{
    struct collect *c = x->state;

    buf_add_slice(&c->body, content);
    if (!buf_ok(&c->body)) {
        exchange_fail(x, 413, "The body is larger than the %zu bytes that are taken here.", c->max_bytes);
    }
}

static void on_body_end(struct exchange *x)
{
    struct collect *c = x->state;

    c->done(x, buf_slice(&c->body));
}

static void on_end(struct exchange *x)
{
    struct collect *c = x->state;

    buf_release(&c->body);
    free(c);
}

void collect_body(struct exchange *x, size_t max_bytes, void (*done)(struct exchange *x, struct slice body))
{
    struct collect *c = calloc(1, sizeof(*c));

    if (c == NULL) {
        exchange_fail(x, 500, "Out of memory.");
        return;
    }
    buf_init(&c->body, max_bytes);
    c->max_bytes = max_bytes;
    c->done = done;
    x->state = c;
    x->on_body = on_body;
    x->on_body_end = on_body_end;
    x->on_end = on_end;
    if (x->head->content_length > max_bytes) {
        exchange_fail(x, 413, "The body is larger than the %zu bytes that are taken here.", max_bytes);
    }
}
