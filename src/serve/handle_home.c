/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "serve/handlers.h"

#include "base/buf.h"
#include "base/json_text.h"
#include "serve/routes.h"
#include "serve/site.h"
#include "serve/worker.h"

enum { LIST_MAX_BYTES = 64 * 1024 };

/* home.html, embedded at build time. */
extern const char home_html[];
extern const size_t home_html_len;

/* A browser asks for HTML by name; curl and load generators take anything and get the list. */
static bool wants_html(const struct exchange *x)
{
    struct slice accept = request_head_field(x->head, SLICE("Accept"));

    while (accept.len > 0) {
        struct slice one = slice_split(&accept, ',');
        if (slice_eq_nocase(slice_trim(slice_split(&one, ';')), SLICE("text/html"))) {
            return true;
        }
    }
    return false;
}

static void answer_page(struct exchange *x)
{
    static const char POLICY[] =
        "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; connect-src 'self'; img-src data:; "
        "base-uri 'none'; form-action 'self'; frame-ancestors 'none'";
    const struct field fields[] = { { SLICE("Vary"), SLICE("Accept") },
                                    { SLICE("Content-Security-Policy"), { POLICY, sizeof(POLICY) - 1 } } };

    exchange_answer(x, &(struct answer){ .status = 200,
                                         .body = BODY_BYTES,
                                         .type = TYPE_HTML,
                                         .bytes = { home_html, home_html_len },
                                         .fields = fields,
                                         .field_count = 2 });
}

void handle_home(struct exchange *x)
{
    if (wants_html(x)) {
        answer_page(x);
        return;
    }
    struct buf text;
    size_t count;
    const struct route *routes = route_table(&count);

    buf_init(&text, LIST_MAX_BYTES);
    buf_printf(&text, "plimsoll %s: the target application\n\n", PLIMSOLL_VERSION);
    for (size_t i = 0; i < count; i++) {
        char allow[ROUTE_ALLOW_MAX];
        if (routes[i].text != NULL) {
            buf_printf(&text, "%-24s %s\n%-24s %.*s\n", routes[i].pattern, routes[i].text, "",
                       SLICE_FMT(route_allow(allow, route_methods(&routes[i]))));
        }
    }
    size_t len = text.len;
    char *bytes = buf_detach(&text);
    exchange_reply_owned(x, 200, TYPE_TEXT, bytes, len);
}

void handle_health(struct exchange *x)
{
    struct buf out;

    buf_init(&out, 4096);
    buf_add_str(&out, "{\"status\":\"ok\",\"clusterId\":");
    json_add_string(&out, slice_str(x->worker->site->cluster_id));
    buf_add_str(&out, "}\n");
    exchange_reply_buf(x, 200, TYPE_JSON, &out);
}
