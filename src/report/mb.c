/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/mb.h"

#include <inttypes.h>
#include <string.h>

#include "report/digits.h"

#define NUMBERS 15u
#define NUMBERS_MAX_BYTES (NUMBERS * (DIGITS_MAX + 2u))
#define UNIT_STEP 1024.0

static char *put(char *at, uint64_t value)
{
    at = digits_put(at, value);
    *at++ = ',';
    return at;
}

static char *put_socket(char *at, int socket)
{
    if (socket >= 0)
        return put(at, (uint64_t)socket);
    memcpy(at, "-1,", 3);
    return at + 3;
}

static char *put_text(char *at, struct slice text)
{
    if (text.len > 0)
        memcpy(at, text.ptr, text.len);
    return at + text.len;
}

/* By hand: printf would cost more than the request itself on a fast target. */
void mb_line_add(struct buf *out, const struct mb_line *line)
{
    const struct slice error = slice_str(line->error);
    char *const begin = buf_reserve(out, NUMBERS_MAX_BYTES + line->method_and_url.len + error.len);
    char *at = begin;

    if (at == NULL)
        return;
    at = put(at, line->start_us);
    at = put(at, line->delay_us);
    at = put(at, line->status);
    at = put(at, line->written);
    at = put(at, line->read);
    at = put_text(at, line->method_and_url);
    *at++ = ',';
    at = put(at, line->thread);
    at = put_socket(at, line->socket);
    at = put(at, line->connections);
    at = put(at, line->requests);
    at = put(at, line->connect_us);
    at = put(at, line->writable_us);
    at = put(at, line->established_us);
    at = put(at, line->tls_reused);
    at = put_text(at, error);
    *at++ = '\n';
    out->len += (size_t)(at - begin);
}

static void add_bytes(struct buf *out, double bytes)
{
    static const char *const UNITS[] = { "B", "kiB", "MiB", "GiB", "TiB", "PiB", "EiB" };
    size_t unit = 0;

    while (bytes > UNIT_STEP && unit + 1 < sizeof(UNITS) / sizeof(UNITS[0])) {
        bytes /= UNIT_STEP;
        unit++;
    }
    buf_printf(out, "%.2f%s", bytes, UNITS[unit]);
}

static void add_traffic(struct buf *out, const char *label, uint64_t bytes, double seconds)
{
    buf_add_str(out, label);
    add_bytes(out, (double)bytes);
    buf_add_str(out, ", ");
    add_bytes(out, seconds > 0 ? (double)bytes / seconds : 0);
    buf_add_str(out, "/s\n");
}

void mb_summary_add(struct buf *out, const struct mb_summary *s)
{
    buf_printf(out, "Time: %.2fs\n", s->seconds);
    add_traffic(out, "Sent: ", s->sent_bytes, s->seconds);
    add_traffic(out, "Recv: ", s->received_bytes, s->seconds);
    buf_printf(out, "Hits: %" PRIu64 ", %.2f/s\n", s->hits, s->seconds > 0 ? (double)s->hits / s->seconds : 0);
    if (s->connection_errors + s->status_errors + s->parser_errors > 0)
        buf_printf(out, "Errors connection: %" PRIu64 ", status: %" PRIu64 ", parser: %" PRIu64 "\n",
                   s->connection_errors, s->status_errors, s->parser_errors);
}
