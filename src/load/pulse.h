/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a worker lets others see of its counters while it measures: a copy, made ten times a second by a timer of its
 * loop (the one that watches the lag), never on the way of a request. Without a plan's on_pulse there is none.
 *
 * A copy is whole or not taken: its version is odd while it is written (a sequence lock with one writer). Each number
 * is stored with release and loaded with acquire, plain moves on x86, so that a reader that saw a number of the next
 * copy also sees its odd version. */
#ifndef PLIMSOLL_LOAD_PULSE_H
#define PLIMSOLL_LOAD_PULSE_H

#include "base/err.h"
#include "load/load.h"

#include <stdatomic.h>

struct loader;
struct run;

enum {
    PULSE_STARTED,
    PULSE_OK,
    PULSE_FAILED,
    PULSE_UNFINISHED,
    PULSE_RETRIED,
    PULSE_BYTES_RECEIVED,
    PULSE_IN_FLIGHT,
    PULSE_CONNECTIONS,
    PULSE_CPU_NS, /* of the thread */
    PULSE_AT_NS,  /* when it was made, from the window's start */
    PULSE_LAG_P99_NS,
    PULSE_LATENESS_P99_NS,
    PULSE_HIGHEST_FD,
    PULSE_KINDS, /* failed, by kind */
    PULSE_TARGETS = PULSE_KINDS + FAIL_KINDS
};
enum {
    PULSE_TARGET_STARTED,
    PULSE_TARGET_OK,
    PULSE_TARGET_FAILED,
    PULSE_TARGET_SUM_NS,
    PULSE_TARGET_MAX_NS,
    PULSE_PER_TARGET
};

#define PULSE_PERIOD_NS UINT64_C(100000000)

struct pulse {
    _Atomic uint64_t _version;
    void *_memory; /* mapped; NULL: nobody looks */
    _Atomic uint64_t *_values;
    size_t _count;
    unsigned _beats;
};

MUST_CHECK int pulse_init(struct pulse *p, size_t targets, struct err *err);
void pulse_release(struct pulse *p);
/* The worker's own counters as they are now. */
void pulse_publish(struct loader *w);
/* Into out (p->_count numbers, those of pulse_size()). False when the worker was writing all the while. */
bool pulse_read(struct pulse *p, uint64_t *out);
static inline size_t pulse_size(size_t targets)
{
    return PULSE_TARGETS + targets * PULSE_PER_TARGET;
}

/* The main thread's side: adds the workers' copies and calls the plan's on_pulse. */
struct pulse_reader {
    const struct load_plan *plan;
    struct run *run;
    struct loader *workers;
    uint64_t *latest; /* by worker, pulse_size() each; NULL: nobody looks, or no memory */
    uint64_t *cpu_before;
    struct load_pulse_target *targets;
    struct hist *second, *whole;
    size_t *cursors;
    uint64_t next_ns, cpu_at_ns, seconds, second_ok, second_failed;
    double second_s, second_due;
    double cpu_cores, cpu_busiest;
};

void pulse_reader_init(struct pulse_reader *r, struct run *run, struct loader *workers);
void pulse_reader_release(struct pulse_reader *r);
void pulse_reader_poll(struct pulse_reader *r);
/* After all workers are over: the figures that the result will have. */
void pulse_reader_last(struct pulse_reader *r);

#endif
