/* SPDX-License-Identifier: GPL-3.0-or-later */
/* When requests are due in the open model: pure numbers, no clock.
 *
 * A schedule is a rate over time r(t), made of stages that are constant or linear. With L(t) the integral of r from 0
 * to t (the requests due up to t), request k = 0, 1, 2 … is due where L(t) = k. Within a stage that goes from r0 to r1
 * in T seconds, L(t) = r0 t + (r1 - r0) t^2 / 2T, whose inverse is written t = 2y / (r0 + sqrt(r0^2 + 2y (r1 - r0) /
 * T)): it stays exact where the usual form subtracts nearly equal numbers.
 *
 * A worker has part of a schedule: the requests whose number k has one of its turns, k mod cycle (load/deal.h), so it
 * finds the next one without walking those of others. Poisson: by time change, the k-th arrival of a process of rate
 * r(t) lies where L(t) equals the k-th arrival of one of rate 1 (Cinlar 1975); the sum of independent parts, each of a
 * rate in proportion to its turns, is Poisson again. Reproducible by seed. Bursts: N requests together every period. */
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

/* All of it: one turn, 0, in a cycle of 1. */
struct schedule_part {
    const uint32_t *turns; /* rising; as long as the schedule lives */
    uint32_t count;        /* at least 1 */
    uint64_t cycle;        /* turns of all parts */
};

struct schedule {
    const struct load_schedule *_plan;
    struct schedule_part _part;
    uint64_t number;    /* of the next request, over the whole plan */
    uint32_t _turn;     /* its place in the turns */
    uint64_t _cycle;    /* the number that its cycle begins with */
    size_t _stage;      /* that holds the next request */
    double _before;     /* L at that stage's beginning */
    uint64_t _stage_ns; /* that beginning */
    double _arrival;    /* Poisson: L at the next request … */
    double _spacing;    /* … and how far the next one is on average */
    uint64_t next_ns;   /* from the start; UINT64_MAX: none is left */
    struct rng _rng;
};

/* stream: no other part of the plan has the same, so that Poisson parts are independent. */
void schedule_init(struct schedule *s, const struct load_schedule *plan, const struct schedule_part *part,
                   uint64_t seed, uint64_t stream);
/* The next request has been taken. */
void schedule_take(struct schedule *s);
/* How many requests of this part are due before t_ns and not yet taken. Moves the schedule beyond them. */
uint64_t schedule_skip(struct schedule *s, uint64_t t_ns);
/* L(t): requests due before t of all parts together (the expected number for Poisson). */
double schedule_expected(const struct load_schedule *plan, uint64_t t_ns);
/* The same in whole requests: those with a number below it are due before t. Not for Poisson. */
uint64_t schedule_due_before(const struct load_schedule *plan, uint64_t t_ns);
/* The length of all stages; UINT64_MAX when the last has no end. */
uint64_t schedule_length_ns(const struct load_schedule *plan);

#endif
