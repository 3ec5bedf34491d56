/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shapes for load tests: bodies of any size, statuses, delays, chunks. */
#include "serve/handlers.h"

#include <stdio.h>
#include <string.h>

#include "serve/pattern.h"
#include "serve/query.h"
#include "serve/routes.h"
#include "serve/status.h"
#include "serve/worker.h"

#define BODY_MAX_BYTES (16ull * 1024 * 1024 * 1024)
#define DRIP_MAX_BYTES (1024u * 1024u)
#define CHUNK_BYTES 4096u
#define CHUNK_MAX_BYTES ((uint64_t)EXCHANGE_FILL_ROOM)

void handle_bytes(struct exchange *x)
{
    bool html = x->route->suffix.len > 0;
    uint64_t n;

    if (exchange_number(x, "The number of bytes", BODY_MAX_BYTES, &n)) {
        exchange_answer(x,
                        &(struct answer){
                            .status = 200, .body = BODY_PATTERN, .type = html ? TYPE_HTML : TYPE_BYTES, .length = n });
    }
}

/* Fields that a client needs to make sense of some statuses. */
static size_t status_fields(uint64_t code, struct field out[1])
{
    switch (code) {
    case 301:
    case 302:
    case 303:
    case 307:
    case 308:
        out[0] = (struct field){ SLICE("Location"), SLICE("/") };
        return 1;
    case 401:
        out[0] = (struct field){ SLICE("WWW-Authenticate"), SLICE("Basic realm=\"plimsoll\"") };
        return 1;
    case 429:
    case 503:
        out[0] = (struct field){ SLICE("Retry-After"), SLICE("1") };
        return 1;
    default:
        return 0;
    }
}

void handle_status(struct exchange *x)
{
    struct field fields[1];
    char text[64];
    uint64_t code;

    if (!exchange_number(x, "The status", 599, &code)) {
        return;
    }
    if (code < 200) {
        exchange_fail(x, 400, "The status must be 200 to 599, not %u: anything below is no final answer.",
                      (unsigned)code);
        return;
    }
    int len = snprintf(text, sizeof(text), "{\"status\":%u}\n", (unsigned)code);
    bool empty = status_has_no_content((uint16_t)code) || code == 205;
    exchange_answer(x, &(struct answer){ .status = (uint16_t)code,
                                         .body = empty ? BODY_NONE : BODY_BYTES,
                                         .type = empty ? SLICE("") : TYPE_JSON,
                                         .bytes = { text, (size_t)len },
                                         .fields = fields,
                                         .field_count = status_fields(code, fields) });
}

static void delay_is_over(struct exchange *x)
{
    char text[64];
    int len = snprintf(text, sizeof(text), "{\"delayMs\":%llu}\n", (unsigned long long)x->numbers[0]);

    exchange_reply(x, 200, TYPE_JSON, slice_from(text, (size_t)len));
}

void handle_delay(struct exchange *x)
{
    if (!exchange_number(x, "The delay in milliseconds", x->worker->config->max_delay_ns / 1000000u, &x->numbers[0])) {
        return;
    }
    x->on_time = delay_is_over;
    x->end_with_client = true;
    if (x->numbers[0] == 0) {
        delay_is_over(x);
    } else {
        exchange_start_timer(x, x->numbers[0] * 1000000u);
    }
}

/* numbers: what is left, and the size of a chunk. */
static size_t fill_chunk(struct exchange *x, char *out, size_t room, bool *end)
{
    size_t n = (size_t)(x->numbers[0] < x->numbers[1] ? x->numbers[0] : x->numbers[1]);

    (void)room; /* never less than EXCHANGE_FILL_ROOM */
    pattern_copy(out, 0, n);
    x->numbers[0] -= n;
    *end = x->numbers[0] == 0;
    return n;
}

void handle_chunked(struct exchange *x)
{
    uint64_t n, chunk = CHUNK_BYTES;

    if (!exchange_number(x, "The number of bytes", BODY_MAX_BYTES, &n) ||
        !query_number(x, "chunk", 1, CHUNK_MAX_BYTES, &chunk)) {
        return;
    }
    x->numbers[0] = n;
    x->numbers[1] = chunk;
    exchange_answer(
        x, &(struct answer){
               .status = 200, .body = BODY_FILL, .type = TYPE_BYTES, .length = LENGTH_UNKNOWN, .fill = fill_chunk });
}

/* numbers: bytes to send, and the wait between two of them in ns; state: not NULL when the wait is due. */
static size_t fill_drip(struct exchange *x, char *out, size_t room, bool *end)
{
    if (x->numbers[1] == 0) {
        size_t n = x->numbers[0] < room ? (size_t)x->numbers[0] : room;
        memset(out, 'x', n);
        x->numbers[0] -= n;
        *end = x->numbers[0] == 0;
        return n;
    }
    if (x->state != NULL) {
        x->state = NULL;
        exchange_start_timer(x, x->numbers[1]);
        return 0;
    }
    x->state = x;
    *out = 'x';
    x->numbers[0]--;
    *end = x->numbers[0] == 0;
    return 1;
}

void handle_drip(struct exchange *x)
{
    uint64_t bytes = 10, ms = 100;

    if (!query_number(x, "bytes", 0, DRIP_MAX_BYTES, &bytes) ||
        !query_number(x, "ms", 0, x->worker->config->max_delay_ns / 1000000u, &ms)) {
        return;
    }
    x->numbers[0] = bytes;
    x->numbers[1] = ms * 1000000u;
    x->on_time = exchange_resume;
    x->end_with_client = true;
    exchange_answer(x, &(struct answer){
                           .status = 200, .body = BODY_FILL, .type = TYPE_BYTES, .length = bytes, .fill = fill_drip });
}
