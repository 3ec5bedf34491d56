/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "load/schedule.h"

#include <math.h>

#define ROUNDING 1e-6 /* of a request: so far L(t) may be off */
#define SETTLED 2     /* numbers about a moment whose times are looked at */

static double seconds(uint64_t ns)
{
    return (double)ns / 1e9;
}

static double slope(const struct load_stage *g)
{
    return g->from_per_s == g->to_per_s ? 0 : (g->to_per_s - g->from_per_s) / seconds(g->length_ns);
}

/* Requests of one stage up to t seconds after its beginning. */
static double stage_count(const struct load_stage *g, double t)
{
    return g->from_per_s * t + slope(g) * t * t / 2;
}

static double stage_total(const struct load_stage *g)
{
    return g->length_ns == UINT64_MAX ? INFINITY : stage_count(g, seconds(g->length_ns));
}

/* Where the stage's count reaches y. */
static double stage_time(const struct load_stage *g, double y)
{
    const double root = g->from_per_s * g->from_per_s + 2 * slope(g) * y;

    return y <= 0 ? 0 : 2 * y / (g->from_per_s + sqrt(root > 0 ? root : 0));
}

/* The time at which L(t) = y; y never falls from call to call. */
static uint64_t time_of(struct schedule *s, double y)
{
    const struct load_schedule *plan = s->_plan;
    double t;

    while (s->_stage < plan->stage_count && y - s->_before >= stage_total(&plan->stages[s->_stage])) {
        s->_before += stage_total(&plan->stages[s->_stage]);
        s->_stage_ns += plan->stages[s->_stage].length_ns;
        s->_stage++;
    }
    if (s->_stage == plan->stage_count)
        return UINT64_MAX;
    t = stage_time(&plan->stages[s->_stage], y - s->_before) * 1e9;
    return t < 9e18 ? s->_stage_ns + (uint64_t)(t + 0.5) : UINT64_MAX;
}

static uint64_t due_of(struct schedule *s, uint64_t k)
{
    if (s->_plan->burst_size > 0)
        return k / s->_plan->burst_size * s->_plan->burst_period_ns;
    return time_of(s, (double)k);
}

static void find_next(struct schedule *s)
{
    if (s->_plan->arrivals == LOAD_ARRIVALS_POISSON && s->_plan->burst_size == 0) {
        s->_arrival += -log1p(-rng_unit(&s->_rng)) * s->_spacing;
        s->next_ns = time_of(s, s->_arrival);
        return;
    }
    s->next_ns = due_of(s, s->number);
}

static void find_number(struct schedule *s)
{
    s->number = s->_cycle + s->_part.turns[s->_turn];
}

void schedule_init(struct schedule *s, const struct load_schedule *plan, const struct schedule_part *part,
                   uint64_t seed, uint64_t stream)
{
    *s = (struct schedule){ ._plan = plan, ._part = *part, ._spacing = (double)part->cycle / part->count };
    rng_init(&s->_rng, rng_derive(seed, stream));
    find_number(s);
    find_next(s);
}

void schedule_take(struct schedule *s)
{
    if (++s->_turn == s->_part.count) {
        s->_turn = 0;
        s->_cycle += s->_part.cycle;
    }
    find_number(s);
    find_next(s);
}

uint64_t schedule_due_before(const struct load_schedule *plan, uint64_t t_ns)
{
    if (plan->burst_size > 0)
        return t_ns == 0 ? 0 : ((t_ns - 1) / plan->burst_period_ns + 1) * plan->burst_size;
    return (uint64_t)ceil(schedule_expected(plan, t_ns) - ROUNDING);
}

/* How many of the part's turns are below it. */
static uint32_t turns_below(const struct schedule_part *part, uint64_t turn)
{
    uint32_t low = 0, high = part->count;

    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;

        if (part->turns[middle] < turn)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Goes on to the part's first request that is not below number, unless it is there already; how many lie between. */
static uint64_t skip_to(struct schedule *s, uint64_t number)
{
    const struct schedule_part *part = &s->_part;
    const uint64_t taken = s->_cycle / part->cycle * part->count + s->_turn;

    if (number <= s->number)
        return 0;
    s->_cycle = number / part->cycle * part->cycle;
    s->_turn = turns_below(part, number % part->cycle);
    if (s->_turn == part->count) {
        s->_turn = 0;
        s->_cycle += part->cycle;
    }
    find_number(s);
    find_next(s);
    return s->_cycle / part->cycle * part->count + s->_turn - taken;
}

uint64_t schedule_skip(struct schedule *s, uint64_t t_ns)
{
    uint64_t skipped = 0;

    if (s->_plan->arrivals != LOAD_ARRIVALS_POISSON || s->_plan->burst_size > 0) {
        const uint64_t all = schedule_due_before(s->_plan, t_ns);

        /* It may be off at a boundary: the last ones are settled with the schedule itself. */
        skipped = skip_to(s, all > SETTLED ? all - SETTLED : 0);
    }
    while (s->next_ns < t_ns) {
        schedule_take(s);
        skipped++;
    }
    return skipped;
}

double schedule_expected(const struct load_schedule *plan, uint64_t t_ns)
{
    double sum = 0;

    if (plan->burst_size > 0)
        return seconds(t_ns) * (double)plan->burst_size / seconds(plan->burst_period_ns);
    for (size_t i = 0; i < plan->stage_count; i++) {
        const struct load_stage *g = &plan->stages[i];

        if (t_ns <= g->length_ns)
            return sum + stage_count(g, seconds(t_ns));
        sum += stage_total(g);
        t_ns -= g->length_ns;
    }
    return sum;
}

uint64_t schedule_length_ns(const struct load_schedule *plan)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < plan->stage_count; i++) {
        if (plan->stages[i].length_ns == UINT64_MAX)
            return UINT64_MAX;
        sum += plan->stages[i].length_ns;
    }
    return plan->burst_size > 0 ? UINT64_MAX : sum;
}
