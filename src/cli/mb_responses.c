/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/mb_responses.h"

#include <errno.h>
#include <unistd.h>

#include "base/units.h"
#include "report/mb.h"

enum { ERROR_MAX_BYTES = 64 };

static bool is_parser(uint8_t fail)
{
    return fail == FAIL_BAD_MESSAGE || fail == FAIL_HEADER_TOO_LARGE;
}

/* mb's words for where it failed, then ours for what. */
static const char *error_text(char out[ERROR_MAX_BYTES], const struct load_record *record)
{
    if (record->fail == LOAD_OK)
        return "";
    snprintf(out, ERROR_MAX_BYTES, "%s: %s",
             record->sent_first_ns == 0 ? "socket_write()"
             : is_parser(record->fail)  ? "socket_read(): parser"
                                        : "socket_read(): connection",
             fail_kind_text((enum fail_kind)record->fail));
    return out;
}

static uint64_t us_between(uint64_t from_ns, uint64_t to_ns)
{
    return from_ns != 0 && to_ns > from_ns ? (to_ns - from_ns) / NS_PER_US : 0;
}

void mb_responses_line(const struct mb_responses *r, const struct load_record *record, struct buf *out)
{
    const bool first = record->on_connection <= 1;
    const uint64_t start_ns = first ? record->socket_start_ns : record->sent_first_ns;
    char error[ERROR_MAX_BYTES];
    const struct mb_line line = {
        .start_us = (start_ns + r->wall_offset_ns) / NS_PER_US,
        .delay_us = us_between(start_ns, record->end_ns),
        .status = record->fail == LOAD_OK ? record->status : 0,
        .written = record->bytes_sent,
        .read = record->bytes_received,
        .method_and_url = slice_str(r->names->items[record->target]),
        .thread = record->thread,
        .socket = record->socket,
        .connections = record->opened,
        .requests = record->on_connection,
        .connect_us = (record->socket_start_ns + r->wall_offset_ns) / NS_PER_US,
        .writable_us = us_between(record->socket_start_ns, record->socket_open_ns),
        .established_us = us_between(record->socket_start_ns, record->socket_ready_ns),
        .tls_reused = (record->flags & LOAD_TLS_RESUMED) != 0,
        .error = error_text(error, record),
    };

    mb_line_add(out, &line);
}

static void write_lines(struct mb_responses *r)
{
    struct slice rest = buf_slice(&r->lines);

    while (rest.len > 0 && r->sys_error == 0) {
        const ssize_t n = write(r->fd, rest.ptr, rest.len);

        if (n >= 0)
            rest = slice_drop(rest, (size_t)n);
        else if (errno != EINTR)
            r->sys_error = errno;
    }
}

void mb_responses_add(struct mb_responses *r, const struct load_record *records, size_t count)
{
    buf_clear(&r->lines);
    for (size_t i = 0; i < count; i++)
        if ((records[i].flags & LOAD_UNFINISHED) == 0)
            mb_responses_line(r, &records[i], &r->lines);
    if (!buf_ok(&r->lines) && r->sys_error == 0)
        r->sys_error = ENOMEM;
    write_lines(r);
}
