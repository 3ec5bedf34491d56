/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "load/share.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "base/units.h"
#include "load/prepare.h"

int share_check(const struct load *l, uint64_t n, const char *what, struct err *err)
{
    const uint32_t shares = load_share_count(l->plan.share);

    if (n >= shares)
        return 0;
    err_set(err, ERR_USAGE, 0, "--share: there are %llu %s for %u shares", (unsigned long long)n, what, shares);
    return err_hint(err, "each share needs one: make fewer shares, or a larger plan");
}

/* Numbered through target by target; each target keeps those of this share. */
uint64_t share_connections(struct load *l)
{
    struct run *run = &l->run;

    run->all_connections = 0;
    for (size_t i = 0; i < run->target_count; i++) {
        uint32_t *connections = &run->targets[i].manner.connections;
        const uint64_t before = run->all_connections;

        run->has_manners = run->has_manners || run->targets[i].spec->manner != NULL;
        run->all_connections += *connections;
        *connections = (uint32_t)load_share_between(run->share, before, *connections);
    }
    return load_share_of(run->share, run->all_connections);
}

/* Numbers of the plan that are split and nothing else; before anything is made of them. */
int share_numbers(struct load *l, struct err *err)
{
    struct load_plan *plan = &l->plan;

    if (plan->share.index >= load_share_count(plan->share))
        BUG("a share beyond the last");
    if ((plan->requests > 0 && share_check(l, plan->requests, "requests", err) != 0) ||
        (plan->max_in_flight > 0 && share_check(l, plan->max_in_flight, "requests in flight", err) != 0))
        return -1;
    plan->requests = load_share_of(plan->share, plan->requests);
    plan->max_in_flight = load_share_of(plan->share, plan->max_in_flight);
    return 0;
}

/* Numbers of a schedule that follow each other fall to all shares when there are as many of them. */
int share_check_schedule(const struct load *l, struct err *err)
{
    const struct load_plan *plan = &l->plan;
    const struct load_schedule *s = &plan->schedule;

    if (load_share_count(plan->share) == 1 || s->stage_count != 1 || s->burst_size > 0 || plan->duration_ns == 0 ||
        s->arrivals == LOAD_ARRIVALS_POISSON || s->stages[0].from_per_s != s->stages[0].to_per_s)
        return 0;
    return share_check(l, (uint64_t)ceil(schedule_expected(s, plan->duration_ns)), "requests due in the window", err);
}

/* Which connection of which target is the k-th of the run, where targets have different numbers of them: a round of all
 * that still have one, again and again, so that every worker has a part of each. */
int share_place_connections(struct load *l, struct err *err)
{
    struct run *run = &l->run;
    uint32_t k = 0;

    run->connections = l->connections;
    if (!run->has_manners && load_share_count(run->share) == 1)
        return 0;
    run->places = calloc(l->capacity, sizeof(*run->places));
    if (run->places == NULL)
        return err_set(err, ERR_SYSTEM, ENOMEM, "no memory for %u connection%s", l->connections,
                       units_plural(l->connections));
    for (uint32_t ordinal = 0; k < l->connections; ordinal++)
        for (uint32_t i = 0; i < run->target_count && k < l->connections; i++)
            if (run->targets[i].manner.connections > ordinal)
                run->places[k++] = (struct place){ i, ordinal };
    for (; k < l->capacity; k++) {
        const uint64_t number = load_share_number(run->share, k);

        run->places[k] = (struct place){ (uint32_t)(number % run->target_count),
                                         (uint32_t)(number / run->target_count) };
    }
    return 0;
}
