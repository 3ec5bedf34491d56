/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/request_log.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "report/record_log.h"

enum { LINES_MAX_BYTES = 4 << 20, FLUSH_BYTES = 256 << 10 };

int request_log_open(struct request_log *log, const char *path, struct err *err)
{
    *log = (struct request_log){ .path = path, .fd = -1 };
    buf_init(&log->lines, LINES_MAX_BYTES);
    if (path == NULL)
        return 0;
    log->fd = strcmp(path, "-") == 0 ? fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3)
                                     : open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (log->fd < 0) {
        err_set(err, ERR_CONFIG, errno, "--log: cannot write %s", path);
        return err_hint(err, "choose a place that this user may write to");
    }
    log_line_add_header(&log->lines);
    return 0;
}

static void flush(struct request_log *log)
{
    struct slice rest = buf_slice(&log->lines);

    if (!buf_ok(&log->lines) && log->sys_error == 0)
        log->sys_error = ENOMEM;
    while (rest.len > 0 && log->sys_error == 0) {
        const ssize_t n = write(log->fd, rest.ptr, rest.len);

        if (n > 0)
            rest = slice_drop(rest, (size_t)n);
        else if (n == 0 || errno != EINTR)
            log->sys_error = n == 0 ? EIO : errno;
    }
    buf_clear(&log->lines);
}

/* Between two moments of a record, where both apply. */
static uint64_t between(uint64_t from_ns, uint64_t to_ns)
{
    if (from_ns == 0 || to_ns == 0)
        return LOG_LINE_ABSENT;
    return to_ns > from_ns ? to_ns - from_ns : 0; /* a reply may begin before the request is sent whole */
}

static const char *error_of(const struct load_record *r)
{
    const bool fine = r->fail == LOAD_OK || (r->flags & LOAD_UNFINISHED) != 0;

    return fine ? NULL : fail_kind_text((enum fail_kind)r->fail);
}

static void add_line(struct request_log *log, const struct load_record *r)
{
    const bool unfinished = (r->flags & LOAD_UNFINISHED) != 0;
    const struct log_line line = {
        .due_ns = (int64_t)(r->due_ns - log->origin_ns),
        .latency_ns = unfinished ? LOG_LINE_ABSENT : between(r->due_ns, r->end_ns),
        .service_time_ns = unfinished ? LOG_LINE_ABSENT : between(r->sent_first_ns, r->end_ns),
        .connect_ns = between(r->connect_start_ns, r->connected_ns),
        .tls_ns = between(r->connected_ns, r->tls_done_ns),
        .send_ns = between(r->sent_first_ns, r->sent_last_ns),
        .wait_ns = between(r->sent_last_ns, r->reply_first_ns),
        .receive_ns = unfinished ? LOG_LINE_ABSENT : between(r->reply_first_ns, r->end_ns),
        .bytes_received = r->bytes_received,
        .body_bytes = r->body_bytes,
        .connection = r->connection,
        .target = r->target,
        .status = r->status,
        .reused = (r->flags & LOAD_REUSED) != 0,
        .warmup = (r->flags & LOAD_WARMUP) != 0,
        .retried = (r->flags & LOAD_RETRIED) != 0,
        .unfinished = unfinished,
        .error = error_of(r),
    };

    log_line_add(&log->lines, &line);
}

void request_log_add(struct request_log *log, const struct load_record *records, size_t count, uint64_t window_start_ns)
{
    if (log->fd < 0 || count == 0 || log->sys_error != 0)
        return;
    log->origin_ns = window_start_ns;
    for (size_t i = 0; i < count; i++) {
        add_line(log, &records[i]);
        if (log->lines.len > FLUSH_BYTES)
            flush(log);
    }
}

int request_log_close(struct request_log *log, struct err *err)
{
    if (log->fd < 0)
        return 0;
    flush(log);
    if (close(log->fd) != 0 && log->sys_error == 0)
        log->sys_error = errno;
    log->fd = -1;
    buf_release(&log->lines);
    return log->sys_error == 0 ? 0
                               : err_set(err, ERR_SYSTEM, log->sys_error, "--log: cannot write all of %s", log->path);
}
