/* SPDX-License-Identifier: GPL-3.0-or-later */
/* This machine as a place to measure on: what its kernel says of it, how it behaves for a moment, and what of that
 * would spoil a measurement.
 *
 * Three steps, so that each can be tried without the others: facts are read below a root that is "" but in tests
 * (machine_read), then found by trying (machine_watch, machine_try), then judged (machine_judge), which looks at
 * nothing but the facts. Nothing on the machine is changed. What can not be read is unknown, never a failure: NAN, ""
 * or 0 where 0 is no value. */
#ifndef PLIMSOLL_MACHINE_MACHINE_H
#define PLIMSOLL_MACHINE_MACHINE_H

#include "result/checkup.h"

#define MACHINE_NAME_MAX 64
#define MACHINE_BUSY_MAX 3

struct busy_process {
    uint64_t pid;
    char name[MACHINE_NAME_MAX]; /* printable */
    double cores;
};

struct machine_facts {
    /* Files: limits of this process (INFINITY: none); open files of the machine and how many it can have. */
    double open_files_soft, open_files_hard, files_used, files_max;

    /* Network, of this namespace. */
    double port_first, port_last, tw_reuse, time_wait, somaxconn, conntrack_count, conntrack_max;
    double ipv6_disabled;            /* 0 or 1 */
    bool ipv6_loopback, ipv6_global; /* such an address is there */
    bool address_translation;        /* a table of iptables may send connections elsewhere */

    /* Processors. */
    double processors, capacity; /* running; how many of them this process may use together */
    double throttled_share;      /* of the group's periods, those in which it was stopped */
    char governor[MACHINE_NAME_MAX];
    double governed; /* processors with a governor other than "performance", whose name is above */
    double turbo;    /* 0 or 1 */
    const char *turbo_mend;
    bool is_virtual, on_battery;

    /* Clocks. */
    char clock_source[MACHINE_NAME_MAX], clock_sources[4 * MACHINE_NAME_MAX];

    /* The rest. */
    double memory_available, memory_total; /* bytes */
    char huge_pages[MACHINE_NAME_MAX];     /* the mode in brackets: "always" */
    double tracer_pid;
    bool preloads; /* LD_PRELOAD is set */

    /* Seen while watching. */
    double watched_s, stolen_share, others_cores;
    struct busy_process busiest[MACHINE_BUSY_MAX];   /* falling; pid 0: no more */
    double timer_p50_ns, timer_p99_ns, timer_max_ns; /* lateness of timers of 1 ms */

    /* Tried. */
    double clock_read_ns, clock_resolution_ns;
    double round_trip_p50_ns; /* a byte there and back over TCP on the loopback interface */
    double wall_synced, wall_error_s;
};

/* Every fact unknown. */
void machine_facts_init(struct machine_facts *f);
void machine_read(struct machine_facts *f, const char *root);
/* Sleeps through time_ns in steps of 1 ms and sees who else used the processors meanwhile. False: out of memory. */
MUST_CHECK bool machine_watch(struct machine_facts *f, const char *root, uint64_t time_ns);
/* Takes a few milliseconds of one processor. */
void machine_try(struct machine_facts *f);

/* A finding for each check, in order. -1: out of memory. */
MUST_CHECK int machine_judge(const struct machine_facts *f, struct checkup *out, struct err *err);
/* The n-th check's name; NULL: there are fewer. */
const char *machine_check_name(size_t n);

#endif
