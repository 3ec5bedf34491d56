/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/record_log.h"

#include <string.h>

#include "report/digits.h"

#define NUMBERS 16u         /* cells of at most DIGITS_MAX + sign + point + comma */
#define ERROR_MAX_BYTES 40u /* a kind's name; longer ones are cut */
#define LINE_MAX_BYTES (NUMBERS * (DIGITS_MAX + 4u) + ERROR_MAX_BYTES + 16u)
#define NS_DECIMALS 9u

void log_line_add_header(struct buf *out)
{
    buf_add_str(out, "due_s,latency_s,service_time_s,connect_s,tls_s,send_s,wait_s,receive_s,status,error,"
                     "received_bytes,body_bytes,target,connection,reused,warmup,retried,unfinished\n");
}

static char *put_seconds(char *at, uint64_t ns)
{
    uint64_t fraction = ns % 1000000000u;

    at = digits_put(at, ns / 1000000000u);
    *at++ = '.';
    for (size_t i = NS_DECIMALS; i > 0; i--) {
        at[i - 1] = (char)('0' + fraction % 10);
        fraction /= 10;
    }
    return at + NS_DECIMALS;
}

static char *put_due(char *at, int64_t ns)
{
    if (ns < 0)
        *at++ = '-';
    return put_seconds(at, ns < 0 ? (uint64_t)0 - (uint64_t)ns : (uint64_t)ns);
}

/* ",SECONDS", or "," when it does not apply. */
static char *put_time(char *at, uint64_t ns)
{
    *at++ = ',';
    return ns == LOG_LINE_ABSENT ? at : put_seconds(at, ns);
}

static char *put_count(char *at, uint64_t value)
{
    *at++ = ',';
    return digits_put(at, value);
}

static char *put_flag(char *at, bool value)
{
    *at++ = ',';
    *at++ = value ? '1' : '0';
    return at;
}

static char *put_error(char *at, const char *error)
{
    const size_t len = error != NULL ? strnlen(error, ERROR_MAX_BYTES) : 0;

    *at++ = ',';
    if (len > 0)
        memcpy(at, error, len);
    return at + len;
}

void log_line_add(struct buf *out, const struct log_line *line)
{
    char *const begin = buf_reserve(out, LINE_MAX_BYTES);
    char *at = begin;

    if (begin == NULL)
        return;
    at = put_due(at, line->due_ns);
    at = put_time(at, line->latency_ns);
    at = put_time(at, line->service_time_ns);
    at = put_time(at, line->connect_ns);
    at = put_time(at, line->tls_ns);
    at = put_time(at, line->send_ns);
    at = put_time(at, line->wait_ns);
    at = put_time(at, line->receive_ns);
    *at++ = ',';
    if (line->status > 0)
        at = digits_put(at, line->status);
    at = put_error(at, line->error);
    at = put_count(at, line->bytes_received);
    at = put_count(at, line->body_bytes);
    at = put_count(at, line->target);
    at = put_count(at, line->connection);
    at = put_flag(at, line->reused);
    at = put_flag(at, line->warmup);
    at = put_flag(at, line->retried);
    at = put_flag(at, line->unfinished);
    *at++ = '\n';
    out->len += (size_t)(at - begin);
    out->data[out->len] = '\0';
}
