/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "serve/encode.h"

#include "serve/exchange.h"
#include "serve/worker.h"

void encode_component(struct buf *out, struct slice text)
{
    for (size_t i = 0; i < text.len; i++) {
        unsigned char c = (unsigned char)text.ptr[i];
        bool plain = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' ||
                     c == '.' || c == '_' || c == '~';
        if (plain) {
            buf_add_char(out, (char)c);
        } else {
            buf_printf(out, "%%%02X", c);
        }
    }
}

void base_of_request(const struct exchange *x, struct buf *out)
{
    struct slice scheme = x->secure ? SLICE("https") : SLICE("http"), host = x->head->host;

    if (x->worker->config->trust_proxy) {
        struct slice proto = request_head_field(x->head, SLICE("X-Forwarded-Proto"));
        struct slice forwarded = request_head_field(x->head, SLICE("X-Forwarded-Host"));
        if (slice_eq_nocase(proto, SLICE("http")) || slice_eq_nocase(proto, SLICE("https"))) {
            scheme = proto;
        }
        if (forwarded.len > 0) {
            host = slice_trim(slice_split(&forwarded, ','));
        }
    }
    buf_add_slice(out, scheme);
    buf_add_str(out, "://");
    buf_add_slice(out, host);
}
