/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One worker's counters of one target. Plain numbers in mapped memory; merged after the workers have stopped.
 * Identity at the end of a run: started = ok + failed + unfinished. */
#ifndef PLIMSOLL_LOAD_TALLY_H
#define PLIMSOLL_LOAD_TALLY_H

#include "result/result.h"

struct tally {
    uint64_t started, sent, ok, failed, unfinished, retried, interim_replies, early_replies;
    uint64_t ok_in_window, in_window_ns, oldest_unfinished_ns;
    uint64_t bytes_sent, bytes_received, body_bytes_received;
    uint64_t connections_opened, connections_reused, tls_handshakes, tls_resumed;
    struct hist latency, service_time;
    uint64_t status[STATUS_MAX];
};

/* The same worker's counters of the warm-up: outside all figures. */
struct warm_tally {
    uint64_t started, sent, ok, failed, unfinished, retried;
};

/* Adds the counters (not the histograms) of one worker to a target's or the whole run's totals. */
void tally_add_to(const struct tally *t, struct totals *totals);

#endif
