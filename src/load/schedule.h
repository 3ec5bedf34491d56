/* SPDX-License-Identifier: GPL-3.0-or-later */
/* When requests are due in the open model: pure numbers, no clock.
 *
 * A schedule is a rate over time r(t), made of stages that are constant or linear. With L(t) the integral of r from 0
 * to t (the requests due up to t), request k = 0, 1, 2 … is due where L(t) = k. Within a stage that goes from r0 to r1
 * in T seconds, L(t) = r0 t + (r1 - r0) t^2 / 2T, whose inverse is written t = 2y / (r0 + sqrt(r0^2 + 2y (r1 - r0) /
 * T)): it stays exact where the usual form subtracts nearly equal numbers.
 *
 * Shares: share i of n owns the requests k = i, i + n, i + 2n …: exact for any n, and shares never fire together.
 * Poisson: by time change, the k-th arrival of a process of rate r(t) lies where L(t) equals the k-th arrival of one of
 * rate 1 (Cinlar 1975); the sum of n independent shares of rate r/n is Poisson again. Reproducible by seed. Bursts: N
 * requests together every period. */
#ifndef PLIMSOLL_LOAD_SCHEDULE_H
#define PLIMSOLL_LOAD_SCHEDULE_H

#include "base/random.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct load_stage {
    double from_per_s, to_per_s;
    uint64_t length_ns; /* UINT64_MAX: for ever (the last stage) */
};

enum load_arrivals { LOAD_ARRIVALS_CONSTANT, LOAD_ARRIVALS_POISSON };

struct load_schedule {
    const struct load_stage *stages;
    size_t stage_count; /* 0: no schedule, the closed model */
    enum load_arrivals arrivals;
    uint64_t burst_size; /* 0: none; else the stages are not used */
    uint64_t burst_period_ns;
};

struct schedule {
    const struct load_schedule *_plan;
    uint32_t _share, _shares;
    uint64_t _taken;    /* by this share */
    size_t _stage;      /* that holds the next request */
    double _before;     /* L at that stage's beginning */
    uint64_t _stage_ns; /* that beginning */
    double _arrival;    /* Poisson: L at the next request */
    uint64_t next_ns;   /* from the start; UINT64_MAX: none is left */
    struct rng _rng;
};

void schedule_init(struct schedule *s, const struct load_schedule *plan, uint32_t share, uint32_t shares,
                   uint64_t seed);
/* The next request has been taken. */
void schedule_take(struct schedule *s);
/* How many requests of this share are due before t_ns and not yet taken. Moves the schedule beyond them. */
uint64_t schedule_skip(struct schedule *s, uint64_t t_ns);
/* L(t): requests due before t of all shares together (the expected number for Poisson). */
double schedule_expected(const struct load_schedule *plan, uint64_t t_ns);
/* The length of all stages; UINT64_MAX when the last has no end. */
uint64_t schedule_length_ns(const struct load_schedule *plan);

#endif
