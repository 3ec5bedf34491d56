/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the target saw: the truth a load generator's figures are held against. */
#ifndef TARGET_COUNTS_H
#define TARGET_COUNTS_H

#include "script.h"

#include <stdio.h>

enum { COUNTS_LISTENERS_MAX = 4096 };

struct counts {
    uint64_t accepted, open, open_max;
    uint64_t begun;    /* requests whose first byte came */
    uint64_t heads;    /* … whose head came whole */
    uint64_t requests; /* … that came whole */
    uint64_t replies;  /* whose last byte was written */
    uint64_t bytes_in, body_bytes_in, bytes_out;
    uint64_t outstanding_max;   /* requests waiting for a reply on one connection */
    uint64_t on_connection_max; /* requests that one connection carried */
    uint64_t client_fins, client_resets;
    uint64_t abandoned;                    /* connections the client ended with a request unanswered */
    uint64_t by_reply[SCRIPT_REPLIES_MAX]; /* requests for which it was chosen */
    struct {
        uint64_t accepted, requests;
    } listeners[COUNTS_LISTENERS_MAX];
    size_t listener_count;
    /* When requests became whole, since the first; NULL: not asked for. */
    uint64_t *arrivals_ns;
    size_t arrival_count, arrival_room;
};

void counts_add_arrival(struct counts *c, uint64_t now_ns);
/* One line of JSON. */
void counts_print(const struct counts *c, FILE *out);

#endif
