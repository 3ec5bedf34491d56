/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "http/request_reader.h"
#include "live/forms.h"
#include "live/page.h"
#include "live/server.h"

enum { HEAD_MAX = 8192, FIELDS_MAX = 100, BODY_MAX_BYTES = 1 << 20 };

/* The page may run its own script and nothing else, and may not be framed. */
#define POLICY                                                                                             \
    "Content-Security-Policy: default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; " \
    "connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'\r\n"

static void reply(struct buf *out, const char *status, const char *type, struct slice body, bool with_body)
{
    buf_printf(out,
               "HTTP/1.1 %s\r\nContent-Type: %s\r\nContent-Length: %zu\r\nConnection: close\r\nCache-Control: "
               "no-store\r\nX-Content-Type-Options: nosniff\r\nReferrer-Policy: no-referrer\r\n" POLICY "%s\r\n",
               status, type, body.len, slice_starts(slice_str(status), SLICE("405")) ? "Allow: GET, HEAD\r\n" : "");
    if (with_body)
        buf_add_slice(out, body);
}

static void refuse(struct buf *out, const char *status, const char *why)
{
    struct buf body;

    buf_init(&body, 1024);
    buf_printf(&body, "%s\n", why);
    reply(out, status, "text/plain; charset=utf-8", buf_slice(&body), true);
    buf_release(&body);
}

static void answer_path(struct buf *out, const struct request_head *head, const struct live_figures *figures)
{
    const bool with_body = head->method != REQUEST_HEAD;
    struct buf body;

    buf_init(&body, BODY_MAX_BYTES);
    if (slice_eq(head->path, SLICE("/"))) {
        reply(out, "200 OK", "text/html; charset=utf-8", slice_from(live_page, live_page_len), with_body);
    } else if (slice_eq(head->path, SLICE("/live.json"))) {
        live_json(&body, figures);
        reply(out, "200 OK", "application/json", buf_slice(&body), with_body);
    } else if (slice_eq(head->path, SLICE("/metrics"))) {
        live_metrics(&body, figures);
        reply(out, "200 OK", LIVE_METRICS_TYPE, buf_slice(&body), with_body);
    } else {
        refuse(out, "404 Not Found", "here are /, /live.json and /metrics");
    }
    buf_release(&body);
}

bool live_answer(struct buf *out, struct slice request, const struct live_figures *figures)
{
    const struct request_limits limits = { HEAD_MAX, FIELDS_MAX };
    struct request_reader reader = { 0 };
    struct request_head head;

    switch (request_reader_scan(&reader, &limits, request.ptr, request.len, &head)) {
    case REQUEST_MORE:
        return false;
    case REQUEST_REFUSED:
        refuse(out, "400 Bad Request", head.reason);
        return true;
    case REQUEST_READY:
        break;
    }
    if (head.method != REQUEST_GET && head.method != REQUEST_HEAD)
        refuse(out, "405 Method Not Allowed", "these are figures to read");
    else
        answer_path(out, &head, figures);
    return true;
}
