/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "serve/access_log.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/json_text.h"
#include "http/redact.h"
#include "net/addr.h"
#include "serve/exchange.h"
#include "serve/routes.h"

enum { TARGET_MAX_BYTES = 8 * 1024 };

int access_log_open(int *out, const char *path, struct err *err)
{
    *out = slice_eq(slice_str(path), SLICE("-")) ? dup(STDOUT_FILENO)
                                                 : open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
    return *out >= 0 ? 0 : err_set(err, ERR_CONFIG, errno, "cannot write the access log %s", path);
}

static void add_target(struct buf *out, const struct request_head *h)
{
    struct buf whole, safe;

    buf_init(&whole, TARGET_MAX_BYTES);
    buf_init(&safe, 2 * TARGET_MAX_BYTES);
    buf_add_slice(&whole, slice_take(h->path, TARGET_MAX_BYTES / 2));
    if (h->query.len > 0) {
        buf_add_char(&whole, '?');
        buf_add_slice(&whole, slice_take(h->query, TARGET_MAX_BYTES / 2 - 1));
    }
    redact_url(&safe, buf_slice(&whole));
    json_add_string(out, buf_slice(&safe));
    buf_release(&whole);
    buf_release(&safe);
}

static void add_peer(struct buf *out, int fd)
{
    struct addr peer = { .len = sizeof(peer.sa) };
    char text[ADDR_TEXT_MAX];

    if (getpeername(fd, &peer.sa.any, &peer.len) == 0) {
        buf_add_str(out, ",\"client\":");
        json_add_string(out, slice_str(addr_format(text, &peer)));
    }
}

void access_log_add(struct buf *lines, const struct access_entry *entry)
{
    const struct exchange *x = entry->x;
    struct slice agent = request_head_field(x->head, SLICE("User-Agent"));
    char now[CLOCK_RFC3339_MAX];

    buf_printf(lines, "{\"time\":\"%s\"", clock_format_rfc3339(now, clock_wall_ns()));
    add_peer(lines, entry->fd);
    buf_printf(lines,
               ",\"method\":\"%s\",\"target\":", x->head->line.len > 0 ? request_method_name(x->head->method) : "");
    add_target(lines, x->head);
    buf_printf(lines, ",\"version\":\"%u.%u\",\"tls\":%s,\"route\":", x->head->version / 10u, x->head->version % 10u,
               x->secure ? "true" : "false");
    json_add_string(lines, slice_str(route_name(route_number(x->route))));
    buf_printf(lines, ",\"status\":%u,\"bytes\":%llu,\"seconds\":%.6f,\"complete\":%s", x->_status,
               (unsigned long long)entry->content_bytes, (double)entry->ns / 1e9, entry->complete ? "true" : "false");
    if (agent.len > 0) {
        buf_add_str(lines, ",\"userAgent\":");
        json_add_string(lines, slice_take(agent, 256));
    }
    buf_add_str(lines, "}\n");
}

void access_log_flush(struct buf *lines, int file)
{
    size_t done = 0;

    while (buf_ok(lines) && done < lines->len) {
        ssize_t n = write(file, lines->data + done, lines->len - done);
        if (n < 0 && errno != EINTR) {
            break; /* a full disk must not stop the server */
        }
        done += n > 0 ? (size_t)n : 0;
    }
    buf_clear(lines);
}
