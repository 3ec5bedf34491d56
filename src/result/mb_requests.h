/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mb's request file: a JSON list of requests, each with where it goes, what is sent, and how its clients behave. Read
 * here because this room has the door to JSON; what it means to a run is cli/mb.c's business.
 *
 * As mb has it: a comma too many before a closing bracket is allowed, an unknown member is an error, only "host" is
 * required. */
#ifndef PLIMSOLL_RESULT_MB_REQUESTS_H
#define PLIMSOLL_RESULT_MB_REQUESTS_H

#include "base/err.h"
#include "base/strlist.h"

#include <stdint.h>

#define MB_CLIENTS_MAX 50000u

struct mb_request {
    char *host_from; /* NULL: any */
    char *host;
    uint16_t port; /* 80 unless said, also for https */
    bool https, tls_session_reuse;
    char *method, *path; /* "GET", "/" */
    struct strlist fields;
    char *body;            /* NULL: none */
    uint64_t random_bytes; /* of a random body; 0: none */
    uint64_t max_requests, keep_alive_requests, clients;
    uint64_t delay_min_ms, delay_max_ms, ramp_up_ms;
    bool close_client, has_linger;
    uint64_t linger_s;
    bool tcp_keep_alive;
    int tcp_idle_s, tcp_interval_s, tcp_probes; /* 0: the system's */
};

struct mb_requests {
    struct mb_request *items;
    size_t count;
};

/* The caller ends *out with mb_requests_release(), also after -1. ERR_CONFIG says the line, or the request and its
 * member. */
MUST_CHECK int mb_requests_read(struct mb_requests *out, struct slice json, struct err *err);
void mb_requests_release(struct mb_requests *r);

#endif
