/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What mb prints: a line of CSV for each request, and the summary. Pure; failures are the buf's. */
#ifndef PLIMSOLL_REPORT_MB_H
#define PLIMSOLL_REPORT_MB_H

#include "base/buf.h"

/* The columns, in order; times in microseconds, those of day since the epoch. There is no header row. */
struct mb_line {
    uint64_t start_us; /* of the request; the first of a connection starts with connecting */
    uint64_t delay_us; /* to the end of the reply, or the failure */
    unsigned status;   /* 0: none */
    uint64_t written, read;
    struct slice method_and_url;
    unsigned thread;
    int socket;
    uint64_t connections, requests;       /* how often connected; requests sent since then */
    uint64_t connect_us;                  /* when it began to connect */
    uint64_t writable_us, established_us; /* since then: TCP, and with TLS; 0: not reached */
    bool tls_reused;
    const char *error; /* "": none */
};

void mb_line_add(struct buf *out, const struct mb_line *line);

struct mb_summary {
    double seconds;
    uint64_t sent_bytes, received_bytes, hits;
    uint64_t connection_errors, status_errors, parser_errors;
};

/* Four lines, and one of errors when there are any. */
void mb_summary_add(struct buf *out, const struct mb_summary *s);

#endif
