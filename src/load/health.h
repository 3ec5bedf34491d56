/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The generator watching itself and its machine. */
#ifndef PLIMSOLL_LOAD_HEALTH_H
#define PLIMSOLL_LOAD_HEALTH_H

#include "result/result.h"

/* Counters of the network namespace at one moment (/proc/net); what can not be read is 0. */
struct net_counters {
    uint64_t time_wait, retransmits;
};
void net_counters_read(struct net_counters *out);

/* How many processors this process may use. */
unsigned health_cpus(void);
/* Whether the generator was the limit, from the figures already in *h: sets limited and reasons. */
void health_judge(struct generator_health *h, unsigned cpus);

#endif
