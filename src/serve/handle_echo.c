/* SPDX-License-Identifier: GPL-3.0-or-later */
/* GET /headers: what arrived here, for a look at what proxies add and remove. */
#include "serve/handlers.h"

#include "base/json_text.h"

static void add_member(struct buf *out, const char *name, struct slice value)
{
    buf_printf(out, "\"%s\":", name);
    json_add_string(out, value);
    buf_add_char(out, ',');
}

void handle_headers(struct exchange *x)
{
    const struct request_head *h = x->head;
    struct slice rest = h->fields, name, value;
    struct buf out;

    buf_init(&out, 8 * (size_t)h->bytes + 1024); /* each byte is 6 in the worst case, and there are frames */
    buf_add_char(&out, '{');
    add_member(&out, "method", slice_str(request_method_name(h->method)));
    add_member(&out, "scheme", x->secure ? SLICE("https") : SLICE("http"));
    add_member(&out, "host", h->host);
    add_member(&out, "path", h->path);
    add_member(&out, "query", h->query);
    buf_printf(&out, "\"httpVersion\":\"%u.%u\",\"headers\":[", h->version / 10u, h->version % 10u);
    for (const char *comma = ""; request_head_next(&rest, &name, &value); comma = ",") {
        buf_printf(&out, "%s[", comma);
        json_add_string(&out, name);
        buf_add_char(&out, ',');
        json_add_string(&out, value);
        buf_add_char(&out, ']');
    }
    buf_add_str(&out, "]}\n");
    exchange_reply_buf(x, 200, TYPE_JSON, &out);
}
