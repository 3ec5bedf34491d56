/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/ab_run.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "http/redact.h"
#include "http/secrets.h"
#include "cli/print.h"

enum { HEARTBEAT_ABOVE = 150, HEARTBEAT_LEAST = 100, HEARTBEATS = 10, SHOWN_MAX_BYTES = 1 << 20 };

void ab_run_init(struct ab_run *run, const struct ab_options *o, volatile int *stop)
{
    *run = (struct ab_run){ .options = o, .stop = stop, .fatal = -1 };
    buf_init(&run->_body, SHOWN_MAX_BYTES);
    run->wall_minus_monotonic_ns = (int64_t)(clock_wall_ns() - clock_now_ns());
    if (!o->quiet && o->requests > HEARTBEAT_ABOVE)
        run->_heartbeat = o->requests / HEARTBEATS > HEARTBEAT_LEAST ? o->requests / HEARTBEATS : HEARTBEAT_LEAST;
}

void ab_run_release(struct ab_run *run)
{
    free(run->samples);
    strlist_release(&run->secrets);
    buf_release(&run->_body);
}

bool ab_run_has_heartbeat(const struct ab_run *run)
{
    return run->_heartbeat > 0;
}

static bool make_room(struct ab_run *run)
{
    if (run->count < run->_room)
        return true;
    const size_t room = run->_room > 0 ? run->_room * 2 : 1024;
    struct ab_sample *const more = realloc(run->samples, room * sizeof(more[0]));
    if (more == NULL) {
        run->out_of_memory = true;
        return false;
    }
    run->samples = more;
    run->_room = room;
    return true;
}

/* ab counts from the call of connect() or, on a kept connection, from sending. A connection of the ramp waited for the
 * window to begin between the two: that time is nobody's. */
static struct ab_sample sample_of(const struct ab_run *run, const struct load_record *r)
{
    const bool opened = !(r->flags & LOAD_REUSED) && r->connect_start_ns > 0;
    const uint64_t open_ns = r->tls_done_ns > 0 ? r->tls_done_ns : r->connected_ns;
    const uint64_t sent_ns = r->sent_first_ns > 0 ? r->sent_first_ns : opened ? r->connect_start_ns : r->due_ns;
    const uint64_t connect_ns = opened && open_ns > r->connect_start_ns ? open_ns - r->connect_start_ns : 0;
    const uint64_t rest_ns = r->end_ns > sent_ns ? r->end_ns - sent_ns : 0;
    const uint64_t start_ns = opened ? r->connect_start_ns : sent_ns;
    const bool waited = r->reply_first_ns > 0 && r->reply_first_ns > r->sent_last_ns && r->sent_last_ns > 0;

    return (struct ab_sample){
        .started_wall_us = (uint64_t)((int64_t)start_ns + run->wall_minus_monotonic_ns) / 1000,
        .connect_us = connect_ns / 1000,
        .total_us = connect_ns / 1000 + rest_ns / 1000,
        .wait_us = waited ? (r->reply_first_ns - r->sent_last_ns) / 1000 : 0,
    };
}

/* ab's headings: Connect, Receive, Length (the wrong one, or none), Exceptions (TLS and the rest). */
static void count_failure(struct ab_run *run, const struct load_record *r)
{
    switch ((enum fail_kind)r->fail) {
    case FAIL_DNS:
    case FAIL_CONNECT_REFUSED:
    case FAIL_CONNECT_TIMEOUT:
    case FAIL_CONNECT_UNREACHABLE:
    case FAIL_PORTS_EXHAUSTED:
    case FAIL_FILES_EXHAUSTED:
        run->failed_connect++;
        break;
    case FAIL_RESET:
    case FAIL_TIMEOUT:
        run->failed_receive++;
        if (r->sent_first_ns > 0 && r->sent_last_ns == 0)
            run->write_errors++;
        break;
    case FAIL_CLOSED_EARLY:
    case FAIL_TRUNCATED:
    case FAIL_BODY:
    case FAIL_HEADER:
        run->failed_length++;
        break;
    case FAIL_TLS:
    case FAIL_BAD_MESSAGE:
    case FAIL_HEADER_TOO_LARGE:
    case FAIL_STATUS:
    case FAIL_KINDS:
        run->failed_exceptions++;
        break;
    }
}

/* What ab without -r ends for: errors of its sockets, and replies that do not come. */
static bool is_socket_error(uint8_t fail)
{
    return fail <= FAIL_RESET || fail == FAIL_TIMEOUT;
}

static void take_record(struct ab_run *run, const struct load_record *r)
{
    if ((r->flags & (LOAD_WARMUP | LOAD_UNFINISHED)) != 0 || run->fatal >= 0 || !make_room(run))
        return;
    if (r->fail != LOAD_OK && is_socket_error(r->fail) && !run->options->keep_going) {
        run->fatal = r->fail;
        *run->stop = 2;
        return;
    }
    run->samples[run->count++] = sample_of(run, r);
    if (r->fail != LOAD_OK)
        count_failure(run, r);
    if (r->status != 0 && (r->status < 200 || r->status >= 300))
        run->non_2xx++;
    if ((r->flags & LOAD_KEPT_ALIVE) != 0)
        run->kept_alive++;
    if (run->_heartbeat > 0 && run->count % run->_heartbeat == 0)
        fprintf(stderr, "Completed %zu requests\n", run->count);
}

void ab_run_take_records(void *arg, const struct load_record *records, size_t count)
{
    for (size_t i = 0; i < count; i++)
        take_record(arg, &records[i]);
}

static void flush_body(struct ab_run *run)
{
    secrets_mask(&run->secrets, &run->_body, 0);
    fwrite(run->_body.data != NULL ? run->_body.data : "", 1, run->_body.len, stdout);
    buf_clear(&run->_body);
}

void ab_run_show_end(struct ab_run *run)
{
    if (!run->_reply_open)
        return;
    run->_reply_open = false;
    flush_body(run);
    putchar('\n');
    if (run->_status < 200 || run->_status >= 300)
        printf("WARNING: Response code not 2xx (%u)\n", run->_status);
    else if (run->options->verbosity >= 3)
        printf("LOG: Response code = %u\n", run->_status);
}

/* "HTTP/1.1 200 …" */
static unsigned status_of(struct slice head)
{
    const struct slice digits = slice_take(slice_drop(head, sizeof("HTTP/1.1 ") - 1), 3);
    uint64_t n = 0;

    return slice_to_u64(digits, &n) ? (unsigned)n : 500;
}

static void show_head(const struct ab_run *run, struct slice head)
{
    struct buf shown;

    buf_init(&shown, SHOWN_MAX_BYTES);
    redact_head(&shown, head);
    secrets_mask(&run->secrets, &shown, 0);
    cli_print(stdout, &shown);
}

/* Whole, when there are secrets: they may lie on both sides of a read. */
static void show_body(struct ab_run *run, struct slice bytes)
{
    if (run->secrets.count == 0) {
        fwrite(bytes.ptr, 1, bytes.len, stdout);
        return;
    }
    while (bytes.len > 0) {
        const struct slice piece = slice_take(bytes, SHOWN_MAX_BYTES - run->_body.len);

        buf_add_slice(&run->_body, piece);
        bytes = slice_drop(bytes, piece.len);
        if (run->_body.len == SHOWN_MAX_BYTES || !buf_ok(&run->_body))
            flush_body(run);
    }
}

void ab_run_show(void *arg, enum load_seen what, uint32_t connection, struct slice bytes)
{
    struct ab_run *run = arg;

    if (what != LOAD_SEEN_BODY)
        ab_run_show_end(run);
    if (what == LOAD_SEEN_REQUEST)
        return; /* all are the same, and shown before the first */
    if (what == LOAD_SEEN_HEAD) {
        fputs("LOG: header received:\n", stdout);
        run->_reply_open = true;
        run->_status = status_of(bytes);
        show_head(run, bytes);
        return;
    }
    show_body(run, bytes);
}
