/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "load/tally.h"

void tally_add_to(const struct tally *t, struct totals *totals)
{
    totals->started += t->started;
    totals->sent += t->sent;
    totals->ok += t->ok;
    totals->failed += t->failed;
    totals->unfinished += t->unfinished;
    totals->retried += t->retried;
    totals->interim_replies += t->interim_replies;
    totals->early_replies += t->early_replies;
    totals->ok_in_window += t->ok_in_window;
    totals->in_window_s += (double)t->in_window_ns / 1e9;
    totals->bytes_sent += t->bytes_sent;
    totals->bytes_received += t->bytes_received;
    totals->body_bytes_received += t->body_bytes_received;
    totals->connections_opened += t->connections_opened;
    totals->connections_reused += t->connections_reused;
    totals->tls_handshakes += t->tls_handshakes;
    totals->tls_resumed += t->tls_resumed;
    if ((double)t->oldest_unfinished_ns / 1e9 > totals->unfinished_oldest_s)
        totals->unfinished_oldest_s = (double)t->oldest_unfinished_ns / 1e9;
}
