/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is gathered while `plimsoll ab` runs: every ended request, the progress lines, and what -v shows.
 *
 * take_records() runs in the engine's writing thread, show() in the worker's (there is one); the rest may look after
 * the run. */
#ifndef PLIMSOLL_CLI_AB_RUN_H
#define PLIMSOLL_CLI_AB_RUN_H

#include "base/buf.h"
#include "base/strlist.h"
#include "cli/ab_options.h"
#include "load/load.h"
#include "report/ab_report.h"

struct ab_run {
    const struct ab_options *options;
    volatile int *stop; /* 2 once a socket error ends the run */
    int64_t wall_minus_monotonic_ns;

    struct ab_sample *samples;
    size_t count, _room;
    bool out_of_memory;
    uint64_t failed_connect, failed_receive, failed_length, failed_exceptions;
    uint64_t write_errors, non_2xx, kept_alive;
    int fatal;           /* enum fail_kind of the socket error that ended the run; -1: none */
    uint64_t _heartbeat; /* a line each so many requests; 0: none */

    struct strlist secrets; /* of the request, which replies that are shown may hold */
    struct buf _body;       /* of the reply being shown, when there are secrets to look for */
    bool _reply_open;       /* a reply is being shown */
    unsigned _status;
};

void ab_run_init(struct ab_run *run, const struct ab_options *o, volatile int *stop);
void ab_run_release(struct ab_run *run);
/* "Completed N requests" is said above 150 requests. */
bool ab_run_has_heartbeat(const struct ab_run *run);
void ab_run_take_records(void *arg, const struct load_record *records, size_t count);
void ab_run_show(void *arg, enum load_seen what, uint32_t connection, struct slice bytes);
/* Ends what -v shows of the last reply. */
void ab_run_show_end(struct ab_run *run);

#endif
